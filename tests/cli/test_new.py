"""`reflow new` makes the same starter everywhere and never writes over anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from .call import call


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_starter(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert call(capsys, "new", str(tmp_path / "one")).status == 0
    assert call(capsys, "new", str(tmp_path / "deep" / "two")).status == 0
    made = files(tmp_path / "one")
    assert set(made) == {
        ".gitignore",
        "README.md",
        "averages.cql",
        "averages.test.cql",
        "data/quotes/quotes-0.csv",
    }
    assert made == files(tmp_path / "deep" / "two")
    assert made["data/quotes/quotes-0.csv"].count(b"\n") == 1 + 3 * 240


def test_an_empty_folder_is_used(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert call(capsys, "new", str(tmp_path)).status == 0


def test_a_used_folder_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("kept")
    result = call(capsys, "new", str(tmp_path))
    assert (result.status, result.out) == (2, "")
    assert "not an empty folder" in result.err
    assert files(tmp_path) == {"mine": b"kept"}


def test_a_file_in_the_way(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("kept")
    assert call(capsys, "new", str(tmp_path / "mine")).status == 2
    assert call(capsys, "new", str(tmp_path / "mine" / "below")).status == 2


def test_the_starter_compiles(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    call(capsys, "new", str(tmp_path / "one"))
    result = call(capsys, "check", str(tmp_path / "one" / "averages.cql"))
    assert (result.status, result.err) == (0, "")
