"""Two plans of one query, each quick where the other is slow, and their merge, as three processes:
once with FEEDBACK, once without.

    python -m examples.plan_race.race [--files N] [--rows N] [--adds N] [--times N]
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

import pyarrow as pa

from benchmarks.generators.files import write_one

from ..processes import Failed, Process

HERE = Path(__file__).resolve().parent
START = 1_700_000_000_000_000
SECOND = 1_000_000
SMALL = 8
PATIENCE = 1200
"""Seconds within which a process has to have begun, and all has to be merged."""


def factors(files: int, rows: int, adds: int) -> list[pa.Table]:
    """A table a file, each with so many rows: one that is small for both, to begin with; `files`
    with left numbers of `adds` about, and small right ones; as many the other way round.
    """
    chance, tables = random.Random(7), []
    for number in range(2 * files + 1):
        ids = range(number * rows, (number + 1) * rows)
        small = [chance.randint(1, SMALL) for _ in ids]
        large = [chance.randint(adds * 9 // 10, adds * 11 // 10) for _ in ids]
        left, right = (large, small) if number <= files else (small, large)
        left = small if number == 0 else left
        instants = pa.array([START + id * SECOND for id in ids], pa.timestamp("us"))
        columns = {"ts": instants, "id": list(ids), "left": left, "right": right}
        tables.append(pa.table(columns))
    return tables


def race(folder: Path, tables: list[pa.Table], how: str) -> tuple[float, dict[str, int]]:
    """Seconds until all products are there, and how many rows each plan skipped. The clock starts
    when all processes have done the first file, and gets all others at once.
    """
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("data", "out/a", "out/b"):
        (folder / name).mkdir(parents=True)
    for file in HERE.glob("*.cql"):
        shutil.copy(file, folder)
    write_one(folder / "data", 0, tables[0])
    names = ("plan_a", "plan_b", "merged")
    running = {name: Process(folder, name, [f"feedback={how}"]) for name in names}
    try:
        log = folder / "out" / "merged.log"
        for process in running.values():
            process.wait(lambda told: told["numInputRows"] > 0, PATIENCE)
        begun = time.monotonic()
        for number, table in enumerate(tables[1:], start=1):
            write_one(folder / "data", number, table)
        expected = sum(table.num_rows for table in tables)
        running["merged"].wait(lambda told: len(lines(log)) >= expected, PATIENCE)
        seconds = time.monotonic() - begun
        check(tables, lines(log))
        return seconds, {name: skipped(running[name]) for name in names[:2]}
    finally:
        for process in running.values():
            process.kill()


def lines(log: Path) -> list[str]:
    """Of a LOG: `[instant]:+:id, product`."""
    return log.read_text().splitlines() if log.exists() else []


def skipped(process: Process) -> int:
    """How many rows a process has passed over."""
    return sum(sum(told["skipped"].values()) for told in process.told)


def check(tables: list[pa.Table], found: list[str]) -> None:
    """Raises Failed unless each product is there once."""
    rows = (row for table in tables for row in table.to_pylist())
    right = Counter(f"{row['id']}, {row['left'] * row['right']}" for row in rows)
    told = Counter(line.split(":+:")[1] for line in found)
    if told != right:
        wrong = next(iter((told - right) + (right - told)))
        raise Failed(f"not each product is there once: {wrong}")


def main() -> int:
    """0: all products were right."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=HERE / "run")
    parser.add_argument("--files", type=int, default=10, help="in which one plan is slow")
    parser.add_argument("--rows", type=int, default=1_000, help="of a file")
    parser.add_argument("--adds", type=int, default=100_000, help="for a row, in the slow plan")
    parser.add_argument("--times", type=int, default=1)
    given = parser.parse_args()
    tables = factors(given.files, given.rows, given.adds)
    taken: dict[str, list[float]] = {"on": [], "off": []}
    for _ in range(given.times):
        for how, times in taken.items():
            seconds, passed = race(given.folder, tables, how)
            times.append(seconds)
            of = sum(table.num_rows for table in tables)
            shown = ", ".join(f"{name} skipped {rows:,}" for name, rows in passed.items())
            print(f"feedback {how:3}  {seconds:6.1f} s  {shown} of {of:,} rows", flush=True)
    on, off = (statistics.median(times) for times in taken.values())
    print(f"{off / on:.1f} times as fast with feedback")
    return 0


if __name__ == "__main__":
    sys.exit(main())
