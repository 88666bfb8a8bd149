"""Wrong arguments end with status 2 and a sentence, before the compiler is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from .call import call


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    result = call(capsys, "--version")
    assert (result.status, result.out.split()[0]) == (0, "reflow")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["check"],
        ["explain", "a.cql", "b.cql"],
        ["explain", "a.cql", "--format", "png"],
        ["compile", "a.cql"],
        ["run", "a.cql"],
        ["run", "a.cql", "--checkpoint", "c", "--drain", "--until", "5"],
        ["run", "a.cql", "--checkpoint", "c", "--quiet", "--json-progress"],
        ["run", "a.cql", "--checkpoint", "c", "--nonsense"],
    ],
)
def test_wrong_arguments(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    result = call(capsys, *arguments)
    assert result.status == 2
    assert "usage: reflow" in result.err
    assert result.out == ""


@pytest.mark.parametrize(
    "command",
    [["check"], ["explain"], ["compile", "-o", "x.py"], ["run", "--checkpoint", "c"]],
)
def test_file_missing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: list[str]
) -> None:
    path = str(tmp_path / "missing.cql")
    result = call(capsys, *command, path)
    assert (result.status, result.out) == (2, "")
    assert result.err == f"reflow: {path}: no such file\n"


def test_file_is_a_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    result = call(capsys, "check", str(tmp_path))
    assert (result.status, result.err) == (
        2,
        f"reflow: {tmp_path}: is a folder, not a .cql file\n",
    )


def test_file_is_not_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "latin.cql"
    path.write_bytes(b"SELECT '\xe9'")
    result = call(capsys, "check", str(path))
    assert (result.status, result.err) == (2, f"reflow: {path}: not UTF-8 text (byte 8)\n")


@pytest.mark.parametrize("pair", ["k", "=v", ""])
def test_setting_without_a_value(capsys: pytest.CaptureFixture[str], pair: str) -> None:
    result = call(capsys, "run", "a.cql", "--checkpoint", "c", "--set", pair)
    assert (result.status, result.err) == (2, f"reflow: --set {pair}: expected NAME=VALUE\n")


def test_settings_hold_equals_signs_and_later_ones_win() -> None:
    from reflow.cli.run import parse_settings

    assert parse_settings(["a=1", "b=x=y", "a=2", "c="]) == {"a": "2", "b": "x=y", "c": ""}
