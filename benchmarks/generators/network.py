"""Network flows with the proportions of UPA's experiments.

Columns: `ts` (timestamp), `link` (1 or 2), `src` (uniform over 2,000), `dst` (uniform over 500),
`protocol` (ftp 5 %, telnet 20 %, smtp 15 %, dns 20 %, http 40 %), `nbytes` (40 to 1,500).
Timestamps are `step` microseconds apart and begin half a millisecond after midnight, so that none
lies on a whole minute: a window `(τ-T, τ]` and a window `[τ-T, τ)` then hold the same rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import numpy as np
import pyarrow as pa

from .files import write_csv

SOURCES = 2_000
DESTINATIONS = 500
PROTOCOLS = {"ftp": 0.05, "telnet": 0.20, "smtp": 0.15, "dns": 0.20, "http": 0.40}
START = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000 + 500
# Rows are drawn in blocks of this size, each from a seed of its own: files of any size are equal.
BLOCK = 100_000


def flows(rows: int, *, seed: int = 1, step: int = 1_000) -> Iterator[pa.Table]:
    """`rows` flows in order of `ts`, in blocks."""
    for first in range(0, rows, BLOCK):
        yield _block(first, seed, step).slice(0, min(BLOCK, rows - first))


def linked(
    units: int, *, sources: int = SOURCES, seed: int = 1, step: int = 1_000_000
) -> Iterator[pa.Table]:
    """One flow a link and time unit of `step` microseconds, as in UPA's experiments; `2 * units`
    rows. `sources`: how many values `src` has.
    """
    for first, table in zip(count(0, BLOCK), flows(2 * units, seed=seed), strict=False):
        numbers = np.arange(first, first + table.num_rows, dtype=np.int64)
        drawn = np.random.default_rng([seed, first, sources]).integers(0, sources, BLOCK)
        columns = {
            "ts": pa.array(START + numbers // 2 * step).cast(pa.timestamp("us")),
            "link": pa.array((numbers % 2 + 1).astype(np.int32)),
            "src": pa.array(drawn[: table.num_rows].astype(np.int32)),
        }
        for name, column in columns.items():
            table = table.set_column(table.column_names.index(name), name, column)
        yield table


def _block(first: int, seed: int, step: int) -> pa.Table:
    chance = np.random.default_rng([seed, first])
    numbers = np.arange(first, first + BLOCK, dtype=np.int64)
    protocol = chance.choice(len(PROTOCOLS), size=BLOCK, p=list(PROTOCOLS.values()))
    return pa.table(
        {
            "ts": pa.array(START + numbers * step).cast(pa.timestamp("us")),
            "link": chance.integers(1, 3, BLOCK, dtype=np.int32),
            "src": chance.integers(0, SOURCES, BLOCK, dtype=np.int32),
            "dst": chance.integers(0, DESTINATIONS, BLOCK, dtype=np.int32),
            "protocol": pa.array(list(PROTOCOLS)).take(pa.array(protocol)),
            "nbytes": chance.integers(40, 1_501, BLOCK, dtype=np.int32),
        }
    )


def main() -> None:
    """`python -m benchmarks.generators.network FOLDER --rows 10000000`."""
    parser = argparse.ArgumentParser(description="Write network flows as CSV files.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rows-per-file", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--step", type=int, default=1_000, help="microseconds between rows")
    given = parser.parse_args()
    tables = flows(given.rows, seed=given.seed, step=given.step)
    files = write_csv(given.folder, tables, given.rows_per_file)
    print(f"{given.rows:,} flows in {len(files)} files in {given.folder}")


if __name__ == "__main__":
    main()
