"""Runs a command and ends when all that it left behind has ended.

Java outlives the Python that started it for a moment. As its foster parent this process waits for
it, so that whoever started this process learns the CPU time of both. On Linux only: elsewhere the
CPU time of Java is missing.
"""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

_SET_CHILD_SUBREAPER = 36  # of Linux' prctl.h


def main(command: Sequence[str]) -> int:
    """`python adopt.py COMMAND…`; the command's exit status."""
    if platform.system() == "Linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    status = subprocess.call(command)
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
