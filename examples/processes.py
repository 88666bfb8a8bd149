"""`reflow run` as processes that can be killed and started again."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue
from typing import Any

PATIENCE = 300
"""Seconds within which what is waited for has to show itself."""

Progress = Mapping[str, Any]


class Failed(Exception):
    """Something that had to happen did not."""


def reflow(folder: Path, *arguments: str) -> str:
    """What a command says that is run in a folder. Raises Failed with its complaint."""
    command = [sys.executable, "-m", "reflow.cli", *arguments]
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True)
    if done.returncode:
        raise Failed(f"reflow {' '.join(arguments)}: {done.stderr.strip()[-2000:]}")
    return done.stdout


class Process:
    """A `.cql` file of a folder at work; its state lies in the folder's `state/`."""

    def __init__(self, folder: Path, name: str, settings: Sequence[str] = ()) -> None:
        """`settings`: `NAME=VALUE`, beside those that every process has."""
        self.name = name
        self.told: list[Progress] = []
        command = [sys.executable, "-m", "reflow.cli", "run", f"{name}.cql"]
        command += ["--checkpoint", f"state/{name}", "--json-progress", "--master", "local[1]"]
        for setting in ("spark.driver.memory=1g", *settings):
            command += ["--set", setting]
        self._errors = (folder / f"{name}.err").open("a")
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self._errors, text=True, cwd=folder
        )
        self._told: Queue[Progress | None] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait(self, for_this: Callable[[Progress], bool], patience: float = PATIENCE) -> None:
        """For an epoch whose progress says something. Raises Failed if none does in time."""
        end = time.monotonic() + patience
        while True:
            try:
                progress = self._told.get(timeout=max(end - time.monotonic(), 0.001))
            except Empty:
                raise Failed(f"{self.name} did nothing for {patience} s") from None
            if progress is None:
                raise Failed(f"{self.name} has ended: {self.name}.err says why")
            if for_this(progress):
                return

    def kill(self) -> None:
        """As when its machine goes: nothing is ended in order."""
        self._process.kill()
        self._ended()

    def stop(self) -> None:
        """As Ctrl-C does, after the running epoch."""
        self._process.terminate()
        self._ended()

    def _ended(self) -> None:
        self._process.wait(timeout=PATIENCE)
        self._reader.join()
        self._errors.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            progress = json.loads(line)
            self.told.append(progress)
            self._told.put(progress)
        self._told.put(None)
