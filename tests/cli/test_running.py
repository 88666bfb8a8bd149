"""How a program is run, with programs that start no Spark."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from reflow.cli.running import program_path, run_program

GOOD = """
from reflow.runtime.ledger.progress import Summary
class Program:
    def run(self, options):
        print(options.checkpoint, options.drain, options.until, options.settings)
        return Summary(1, 5, 5.0, 9, 9, 9, 0, 0, 1.0)
program = Program()
"""
BAD = """
class Program:
    def run(self, options):
        raise RuntimeError("the disk is full\\n\\tat org.apache.spark.Some.where(Some.scala:1)")
program = Program()
"""
STOPPED = BAD.replace("RuntimeError(", "KeyboardInterrupt(")


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
    assert run_program(BAD, arguments(tmp_path), {}) == 1
    captured = capsys.readouterr()
    assert captured == ("", "reflow: the run failed: the disk is full\n")


def test_an_interrupted_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run_program(STOPPED, arguments(tmp_path), {}) == 1
    assert "goes on from here" in capsys.readouterr().err


def test_the_program_lies_beside_the_state_or_on_this_machine(tmp_path: Path) -> None:
    assert program_path(f"file://{tmp_path}/a") == tmp_path / "a" / "program.py"
    remote = program_path("hdfs://name/state")
    assert remote.name == "program.py"
    assert remote.parent.is_dir()
