"""Run an emitted program in this process and kill the process at a step of the epoch protocol.

    python -m tests.faults.killer STEP EPOCH PROGRAM [arguments of the program]

The process sends itself SIGKILL when STEP has been reached in EPOCH or in a later one.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
from typing import Final

from reflow.runtime.archive import compaction
from reflow.runtime.epoch import protocol

SOON: Final = 2
"""Buckets that are merged where that is what is tested: few epochs suffice to see it."""


def strike_at(step: str, epoch: int) -> None:
    """From now on, reaching the step ends the process as a power cut would."""

    wanted, first = step, epoch

    def reached(step: str, epoch: int) -> None:
        if step == wanted and epoch >= first:
            os.kill(os.getpid(), signal.SIGKILL)

    protocol.reached = reached


def main(arguments: list[str]) -> None:
    step, epoch, program, *rest = arguments
    if step in ("merged", "folded"):
        vars(compaction)["MERGE_AFTER"] = SOON
    strike_at(step, int(epoch))
    sys.argv = [program, *rest]
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
