"""The parser's cache: private, atomic, and no trouble when it cannot be used."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reflow.grammar import cache


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A small grammar, quickly built."""
    monkeypatch.setattr(cache, "grammar_text", lambda: 'script: "a"+')
    cache.parser.cache_clear()
    yield
    cache.parser.cache_clear()


def test_it_is_written_for_the_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache.parser().parse("aa")
    (file,) = (tmp_path / "reflow").iterdir()
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    cache.parser.cache_clear()
    cache.parser().parse("aa")


def test_a_directory_that_others_can_write_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "reflow").mkdir()
    (tmp_path / "reflow").chmod(0o777)
    cache.parser().parse("aa")
    assert list((tmp_path / "reflow").iterdir()) == []


def test_a_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "reflow").symlink_to(tmp_path / "elsewhere")
    cache.parser().parse("aa")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("place", ["relative", "/proc/nowhere", "/dev/null"])
def test_without_a_place_there_is_no_cache(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", place)
    cache.parser().parse("aa")
    assert not Path("relative").exists()


def test_a_broken_cache_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache.parser()
    (file,) = (tmp_path / "reflow").iterdir()
    file.write_bytes(b"broken")
    cache.parser.cache_clear()
    cache.parser().parse("aa")
    assert file.stat().st_size > 100
    assert list((tmp_path / "reflow").iterdir()) == [file]


def test_the_grammar_needs_neither_spark_nor_sqlglot() -> None:
    code = (
        "import sys; from reflow.grammar.parser import parse\n"
        "assert not {'pyspark', 'sqlglot', 'networkx'} & set(sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
