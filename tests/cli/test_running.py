"""How a program is run, with programs that start no Spark."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from reflow.cli.failure import UsageError
from reflow.cli.running import program_path, run_program

GOOD = """
from reflow.runtime.ledger.progress import Summary
class Program:
    def run(self, options):
        print(options.checkpoint, options.drain, options.until, options.settings)
        return Summary(1, 5, 5.0, 9, 9, 9, 0, 0, 1.0)
program = Program()
"""
KNOWN = """
from reflow.runtime.program import RunError
class Program:
    def run(self, options):
        raise RunError("the disk is full")
program = Program()
"""
UNKNOWN = KNOWN.replace("RunError(", "ZeroDivisionError(")
STOPPED = KNOWN.replace("RunError(", "KeyboardInterrupt(")
INSTANT = KNOWN.replace("RunError", "BadInstant")


def arguments(checkpoint: Path) -> argparse.Namespace:
    """Those of `reflow run … --drain --json-progress`."""
    return argparse.Namespace(
        checkpoint=str(checkpoint),
        drain=True,
        until=None,
        master=None,
        rebuild=False,
        quiet=False,
        json_progress=True,
    )


def test_a_good_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    checkpoint = tmp_path / "deep" / "state"
    assert run_program(GOOD, arguments(checkpoint), {"k": "v"}) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"{checkpoint} True None {{'k': 'v'}}"
    assert second.startswith('{"event": "summary", "epochs": 1')
    assert (checkpoint / "program.py").read_text() == GOOD


def test_a_failing_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run_program(KNOWN, arguments(tmp_path), {}) == 1
    assert capsys.readouterr() == ("", "reflow: the run failed: the disk is full\n")


def test_a_failure_that_nobody_foresaw_shows_its_place(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run_program(UNKNOWN, arguments(tmp_path), {}) == 1
    err = capsys.readouterr().err
    assert f'"{tmp_path}/program.py", line 5' in err
    assert "ZeroDivisionError: the disk is full" in err


def test_an_interrupted_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run_program(STOPPED, arguments(tmp_path), {}) == 1
    assert "goes on from here" in capsys.readouterr().err


def test_a_wrong_instant_is_the_users(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--until None: the disk is full"):
        run_program(INSTANT, arguments(tmp_path), {})


def test_the_program_lies_beside_the_state_or_on_this_machine(tmp_path: Path) -> None:
    assert program_path(f"file://{tmp_path}/a") == tmp_path / "a" / "program.py"
    remote = program_path("hdfs://name/state")
    assert remote.name == "program.py"
    assert remote.parent.is_dir()
