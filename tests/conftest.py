"""What all tests share: markers, the option that rewrites golden files, one Spark session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_HERE = Path(__file__).parent
_LONGEST = ["faults", "properties", "conformance"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "spark: needs Spark")
    config.addinivalue_line("markers", "slow: takes long; `make check` leaves it out")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Who uses the session needs Spark. The longest come first, so that processes that share the
    tests end together.
    """
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("spark")
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    if item.get_closest_marker("spark") is None:
        return len(_LONGEST) + 1
    folder = item.path.relative_to(_HERE).parts[0]
    return _LONGEST.index(folder) if folder in _LONGEST else len(_LONGEST)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compares a text with a file; with --update-golden it writes the file instead."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing: run the test with --update-golden and look at it"
        assert text == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A small local session with the engine's settings, made when the first test asks for it."""
    from reflow.runtime.run.session import open_session

    from .harness.gateway import remember_classes
    from .harness.java import quick

    remember_classes()
    settings = {
        "spark.sql.shuffle.partitions": "2",
        **quick("-Xms1500m", "-Xmn700m"),
        # One session runs all tests of a process: plans of 20 queries at once fill 1 GB at times.
        "spark.driver.memory": "2g",
        # Spark sends all of Hadoop's properties along with each file that it reads. Most are YARN's
        # and MapReduce's, of which a local session needs none.
        "spark.driver.extraClassPath": str(Path(__file__).parent / "harness" / "hadoop"),
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    session = open_session("reflow tests", "local[2]", settings, "UTC")
    yield session
    session.stop()
