"""`reflow test`: what passes, what fails and how it is told."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from .call import call

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TRIALS = Path(__file__).with_name("trials")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of tests, from which the command runs."""
    shutil.copytree(TRIALS, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    """The session of all tests, which the command finds and whose settings it changes."""
    names = ("spark.sql.shuffle.partitions", "spark.sql.session.timeZone", "spark.app.name")
    before = {name: spark.conf.get(name) for name in names}
    yield spark
    for name, value in before.items():
        if value is not None and spark.conf.isModifiable(name):
            spark.conf.set(name, value)


def timeless(text: str) -> str:
    return re.sub(r"\d+\.\d s\b", "0.0 s", text)


def test_what_is_right_passes(
    session: SparkSession, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call(capsys, "new", "first")
    result = call(capsys, "test", "passes.cql", "ticks.cql", "first/averages.test.cql")
    assert "FAIL" not in result.out
    assert result.out.splitlines()[-1].startswith("7 passed, 0 failed in ")
    assert result.status == 0
    assert session.conf.get("spark.sql.session.timeZone") == "UTC"
    names = {path.name for path in here.iterdir()}
    assert names == {"first", *(path.name for path in TRIALS.iterdir())}


def test_what_is_wrong_fails_and_is_shown(
    session: SparkSession,
    here: Path,
    capsys: pytest.CaptureFixture[str],
    golden: Callable[[Path, str], None],
) -> None:
    result = call(capsys, "test", "fails.cql", "missing.cql", "--junit", "out.xml")
    assert result.status == 2
    assert result.err == "reflow: missing.cql: no such file\n"
    golden(TRIALS / "fails.txt", timeless(result.out))
    suites = ElementTree.parse(here / "out.xml").getroot()
    assert suites.attrib["tests"] == suites.attrib["failures"] == "9"
    (suite,) = suites
    first = suite[0]
    assert (first.attrib["name"], first.attrib["line"]) == ("other rows", "7")
    assert "- missing" in str(first[0].text)


def test_no_spark_starts_for_cases_that_only_assert_errors(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = call(capsys, "test", "passes.cql", "fails.cql", "-k", "REFUSED", "-k", "no error")
    lines = timeless(result.out).splitlines()
    assert lines[:4] == [
        "passes.cql",
        "  ok    a wrong query is refused  0.0 s",
        "fails.cql",
        "  FAIL  no error  0.0 s",
    ]
    assert lines[-1] == "1 passed, 1 failed in 0.0 s"
    assert result.status == 1


def test_a_filter_that_fits_nothing_is_a_mistake(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = call(capsys, "test", "passes.cql", "-k", "nothing like it")
    assert (result.status, result.out) == (2, "")
    assert "no case holds 'nothing like it'" in result.err


def test_check_and_the_others_know_files_of_tests(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(capsys, "check", "passes.cql").out == "passes.cql: ok\n"
    wrong = call(capsys, "check", "fails.cql")
    assert (wrong.status, wrong.out) == (2, "")
    assert wrong.err.count("error[RF2005]: there is no column `y`") == 2
    assert "no error: it compiles" in wrong.err
    explained = call(capsys, "explain", "passes.cql")
    assert explained.status == 2
    assert explained.err.count("RF3501") == 1 and "`reflow test FILE` runs" in explained.err
