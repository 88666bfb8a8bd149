"""Starts programs as processes of their own, whole or doomed, and leaves none running."""

from __future__ import annotations

import os
import runpy
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ..harness.java import quick
from ..harness.processes import PATIENCE, ROOT, end


@dataclass(frozen=True)
class Ended:
    """How a process ended; `killed` by SIGKILL."""

    status: int
    output: str

    @property
    def killed(self) -> bool:
        return self.status == -signal.SIGKILL


def finish(program: Path, directory: Path) -> bool:
    """Drain the program on `directory/checkpoint`, in the session of this process; whether it did
    not fail.
    """
    made = runpy.run_path(str(program))["program"]
    try:
        made.main([*_on(directory), "--quiet"])
    except SystemExit:
        return False
    return True


def run(program: Path, directory: Path, kill_at: tuple[str, int]) -> Ended:
    """The same as a process of its own, which dies at (step, epoch)."""
    step, epoch = kill_at
    start = ["-m", "tests.faults.killer", step, str(epoch), str(program)]
    command = [sys.executable, *start, *_on(directory), "--quiet"]
    command += ["--master", "local[2]", "--set", "spark.sql.shuffle.partitions=2"]
    for name, value in quick().items():
        command += ["--set", f"{name}={value}"]
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    log = directory / "process.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=output, start_new_session=True
        )
        try:
            status = process.wait(PATIENCE)
        finally:
            # The JVM is in the process group of its own; a killed parent leaves it behind.
            end(process)
            process.wait()
    return Ended(status, log.read_text())


def _on(directory: Path) -> list[str]:
    """Which checkpoint, and that the run ends."""
    return ["--checkpoint", str(directory / "checkpoint"), "--drain"]
