"""`reflow fmt`: what is written, what is said, and the exit status."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from reflow.grammar.format import formatter

from .call import call

UGLY, PRETTY = "select a from t", "SELECT a\nFROM t\n"
BROKEN = "select from"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("ugly", UGLY), ("pretty", PRETTY), ("broken", BROKEN)):
        (tmp_path / f"{name}.cql").write_text(text)
    return tmp_path


def test_only_what_changes_is_written(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (files / "pretty.cql").stat()
    result = call(capsys, "fmt", "ugly.cql", "pretty.cql")
    assert (result.status, result.out, result.err) == (0, "ugly.cql: formatted\n", "")
    assert (files / "ugly.cql").read_text() == PRETTY
    after = (files / "pretty.cql").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert len(list(files.iterdir())) == 3


def test_check_lists_and_writes_nothing(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = call(capsys, "fmt", "--check", "ugly.cql", "pretty.cql")
    assert (result.status, result.out, result.err) == (1, "ugly.cql\n", "")
    assert (files / "ugly.cql").read_text() == UGLY
    assert call(capsys, "fmt", "pretty.cql", "--check").status == 0


@pytest.mark.parametrize("bad", ["broken.cql", "missing.cql"])
def test_a_bad_file_stops_no_other(
    files: Path, capsys: pytest.CaptureFixture[str], bad: str
) -> None:
    result = call(capsys, "fmt", bad, "ugly.cql")
    assert (result.status, result.out) == (2, "ugly.cql: formatted\n")
    assert bad in result.err
    assert (files / "broken.cql").read_text() == BROKEN
    assert (files / "ugly.cql").read_text() == PRETTY


def test_a_formatter_that_would_change_the_meaning_leaves_the_file_alone(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formatter, "_script", lambda words, layout: "SELECT b\nFROM t\n")
    for extra in ([], ["--check"]):
        result = call(capsys, "fmt", "ugly.cql", "missing.cql", *extra)
        assert (result.status, result.out) == (2, "")  # of the missing one; the first is 1
        assert "ugly.cql: formatting would change its tokens" in result.err
        assert "missing.cql" in result.err and "Traceback" not in result.err
        assert call(capsys, "fmt", "ugly.cql", *extra).status == 1
    assert (files / "ugly.cql").read_text() == UGLY


def test_carriage_returns_and_marks_are_changes(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "dos.cql").write_bytes(b"\xef\xbb\xbfSELECT a\r\nFROM t\r\n")
    assert call(capsys, "fmt", "--check", "dos.cql").out == "dos.cql\n"
    call(capsys, "fmt", "dos.cql")
    assert (files / "dos.cql").read_bytes() == PRETTY.encode()


def test_links_and_permissions_stay(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "ugly.cql").chmod(0o640)
    (files / "link.cql").symlink_to("ugly.cql")
    assert call(capsys, "fmt", "link.cql").status == 0
    assert (files / "link.cql").is_symlink()
    assert (files / "ugly.cql").read_text() == PRETTY
    assert (files / "ugly.cql").stat().st_mode & 0o777 == 0o640


class _Bytes:
    """A standard stream that holds bytes."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


def test_stdin_to_stdout(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    from reflow.cli import main

    monkeypatch.setattr(sys, "stdin", _Bytes(UGLY.encode()))
    assert main(["fmt", "-"]) == 0
    assert capsysbinary.readouterr().out == PRETTY.encode()
    monkeypatch.setattr(sys, "stdin", _Bytes(BROKEN.encode()))
    assert main(["fmt", "-"]) == 2
    captured = capsysbinary.readouterr()
    assert captured.out == b"" and b"<stdin>" in captured.err
