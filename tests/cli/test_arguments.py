"""Wrong arguments end with status 2 and a sentence, before the compiler is loaded."""

from __future__ import annotations

import argparse
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


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("timezone=Mars", "'Mars' is not a value of `timezone`"),
        ("timezon=UTC", "there is no setting `timezon`"),
        ("unbounded_state=yes", "'yes' is not a value of `unbounded_state`"),
        ("revise_when=never", "'never' is not a value of `revise_when`"),
        ("on_property_violation=ignore", "'ignore' is not a value of `on_property_violation`"),
        ("spark.sql.session.timeZone=UTC", "follows from `timezone`"),
    ],
)
def test_settings_of_the_language_are_checked_before_spark_starts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, pair: str, said: str
) -> None:
    file = _joined(tmp_path)
    result = call(capsys, "run", file, "--checkpoint", str(tmp_path / "c"), "--set", pair)
    assert (result.status, result.out) == (2, "")
    assert said in result.err


def test_settings_of_the_language_reach_the_compiler_and_those_of_spark_the_session(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reflow.cli import running

    ran: list[tuple[str, dict[str, str]]] = []

    def note(text: str, _: argparse.Namespace, settings: dict[str, str]) -> int:
        ran.append((text, settings))
        return 0

    monkeypatch.setattr(running, "run_program", note)
    monkeypatch.setattr("reflow.cli.spark_environment.prepare", lambda master: None)
    start = ("run", _joined(tmp_path), "--checkpoint", str(tmp_path / "c"))
    assert call(capsys, *start).status == 2  # the join has no window
    sets = ("UNBOUNDED_STATE=allow", "timezone=Europe/Rome", "spark.x=1")
    assert call(capsys, *start, *(part for one in sets for part in ("--set", one))).status == 0
    ((text, settings),) = ran
    assert 'timezone="Europe/Rome"' in text
    assert settings == {"spark.x": "1"}


def _joined(folder: Path) -> str:
    """A file that needs unbounded state and has a zone of its own."""
    file = folder / "q.cql"
    file.write_text(
        "SET timezone = 'UTC';\n"
        "CREATE STREAM s (ts TIMESTAMP, k INT, ORDER BY ts) FROM CSV 's/';\n"
        "SELECT a.k FROM s AS a JOIN s AS b ON a.k = b.k;\n",
        encoding="utf-8",
    )
    return str(file)


def test_a_missing_file_does_not_keep_the_others_from_being_checked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    good = tmp_path / "good.cql"
    good.write_text("CREATE STREAM s (t BIGINT, ORDER BY t) FROM CSV 's/'; SELECT t FROM s [NOW];")
    missing = tmp_path / "missing.cql"
    result = call(capsys, "check", str(missing), str(good))
    assert (result.status, result.out) == (2, f"{good}: ok\n")
    assert result.err == f"reflow: {missing}: no such file\n"
