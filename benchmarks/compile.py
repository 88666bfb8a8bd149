"""Compile time of every example in process; `reflow explain` as a whole process."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from reflow.cli.compiling import compile_file
from reflow.cli.texts import read_source

from .support.harness import record

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def main() -> None:
    """`python -m benchmarks.compile [--repeats 5]`."""
    parser = argparse.ArgumentParser(description="Seconds from text to program.")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    table = [["example", "compile in process, ms", "explain, whole process, s"]]
    for path in sorted(EXAMPLES.glob("*/*.cql")):
        source = read_source(str(path))
        command = [sys.executable, "-m", "reflow.cli", "explain", str(path)]
        inside = timed(partial(compile_file, source), given.repeats)
        whole = timed(partial(explained, command), given.repeats)
        name = f"{path.parent.name}/{path.name}"
        table.append([name, f"{1000 * inside:.0f}", f"{whole:.2f}"])
    record(
        "compile", table, ["figures to reach: 100 ms, 0.6 s; medians; the first call not counted"]
    )


def timed(work: Callable[[], object], repeats: int) -> float:
    """Median seconds of a call, after one that is not counted."""
    work()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return median(seconds)


def explained(command: list[str]) -> None:
    """One process; it must succeed."""
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    main()
