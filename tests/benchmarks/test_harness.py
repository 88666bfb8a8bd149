"""The harness times whole batches: also what happens between two epochs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.support.harness import Line, OutOfPatience, durations, figures, run_json_lines


def epoch(at: float, rows: int, **milliseconds: int) -> Line:
    """A line of progress."""
    return Line({"event": "epoch", "numInputRows": rows, "durationMs": milliseconds}, at)


def test_a_delta_programs_batches_reach_from_line_to_line() -> None:
    lines = [epoch(9.0, 5, epoch=700), epoch(9.5, 5, epoch=400), epoch(10.5, 5, epoch=400)]
    assert durations(lines) == ((0.7, 0.5, 1.0), (0.7, 0.4, 0.4))


def test_epochs_without_rows_are_not_counted_but_are_not_hidden_either() -> None:
    lines = [epoch(1.0, 5, epoch=700), epoch(1.5, 0, epoch=100), epoch(2.5, 5, epoch=400)]
    assert durations(lines) == ((0.7, 1.0), (0.7, 0.4))


def test_sparks_own_figure_is_whole() -> None:
    lines = [epoch(1.0, 5, triggerExecution=700), epoch(1.0, 5, triggerExecution=400)]
    assert durations(lines) == ((0.7, 0.4), (0.7, 0.4))


def test_a_process(tmp_path: Path) -> None:
    line = '{"event": "epoch", "numInputRows": 4, "durationMs": {"epoch": 5}}'
    code = f"print('noise'); print('{line}'); print('{line}'); print('{{\"event\": \"summary\"}}')"
    # The system counts a process's time in steps of a hundredth of a second.
    code += "\nimport time\nwhile time.process_time() < 0.1: pass"
    run = run_json_lines([sys.executable, "-c", code], tmp_path / "new")
    assert (run.rows, len(run.batches), run.epochs) == (8, 2, (0.005, 0.005))
    assert run.cpu > 0.05
    assert run.wall > 0


def test_a_failing_process(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="failed with status 3"):
        run_json_lines([sys.executable, "-c", "raise SystemExit(3)"], tmp_path)


def test_figures() -> None:
    assert figures([3.0, 1.0, 2.0]) == "2.00 (1.00 to 3.00)"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt")
def test_what_a_process_leaves_behind_is_waited_for(tmp_path: Path) -> None:
    # Its output goes elsewhere: a pipe that is still open would keep the run waiting by itself.
    work = "import time\nwhile time.process_time() < 0.1: pass\nopen('done', 'w')"
    code = (
        "import subprocess, sys; subprocess.Popen("
        f"[sys.executable, '-c', {work!r}], stdout=subprocess.DEVNULL)"
    )
    run = run_json_lines([sys.executable, "-c", code], tmp_path)
    assert (tmp_path / "done").exists()
    assert run.cpu > 0.05


def test_other_children_are_not_waited_for(tmp_path: Path) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
        run_json_lines([sys.executable, "-c", ""], tmp_path)
        assert other.poll() is None


def test_a_process_that_takes_too_long_is_killed_with_all_it_started(tmp_path: Path) -> None:
    child = "import subprocess; subprocess.Popen(['cat', 'pipe'])"
    os.mkfifo(tmp_path / "pipe")  # nobody writes: whoever reads it waits for ever
    with pytest.raises(OutOfPatience):
        run_json_lines([sys.executable, "-c", f"{child}; open('pipe').read()"], tmp_path, 0.5)
    # Had one of them lived, it would read the pipe, and could be written to.
    with pytest.raises(OSError, match="No such device"):
        os.open(tmp_path / "pipe", os.O_WRONLY | os.O_NONBLOCK)
