"""`reflow run` as a process of its own, which never outlives the test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .java import quick

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300
"""Seconds after which a process that still runs is killed: who waits for its output fails then."""


@contextmanager
def running(query: Path, checkpoint: Path, errors: Path) -> Iterator[subprocess.Popen[str]]:
    """The command over a file, its progress as JSON on its standard output. Whatever happens, its
    group of processes is gone behind it.
    """
    command = [sys.executable, "-m", "reflow.cli", "run", str(query), "--json-progress"]
    command += ["--checkpoint", str(checkpoint), "--master", "local[1]"]
    settings = {**quick(), "spark.sql.shuffle.partitions": "2"}
    command += [part for item in settings.items() for part in ("--set", "=".join(item))]
    with errors.open("w") as stderr:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            start_new_session=True,
        )
    guard = threading.Timer(PATIENCE, end, [process])
    guard.start()
    try:
        yield process
    finally:
        guard.cancel()
        end(process)
        process.communicate()


def end(process: subprocess.Popen[Any]) -> None:
    """Kill a process and all that it has started; its group has its number."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
