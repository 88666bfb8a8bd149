"""Stock quotes: 200 symbols, a quote of each every second, prices as random walks.

Columns: `ts` (timestamp; the symbols of a second are 5 ms apart), `symbol` (`IBM`, then `AAB`,
`AAC`, …), `price` (to the cent), `volume` (1 to 1,000).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice, product
from pathlib import Path
from string import ascii_uppercase

import numpy as np
import pyarrow as pa

from .files import write_csv

SYMBOLS = 200
START = int(datetime(2026, 1, 5, 9, 30, tzinfo=UTC).timestamp()) * 1_000_000
BLOCK_SECONDS = 500
# A hundredth of a per cent a second: about one per cent in three hours.
STEP = 0.0001


def quotes(rows: int, *, seed: int = 1) -> Iterator[pa.Table]:
    """`rows` quotes in order of `ts`, in blocks of 100,000."""
    start = np.random.default_rng([seed, 0])
    level = np.log(start.uniform(5, 500, SYMBOLS))
    names = pa.array(symbols())
    size = BLOCK_SECONDS * SYMBOLS
    for block, first in enumerate(range(0, rows, size), start=1):
        chance = np.random.default_rng([seed, block])
        walk = level + np.cumsum(chance.normal(0, STEP, (BLOCK_SECONDS, SYMBOLS)), axis=0)
        level = walk[-1]
        yield _block(first, walk, names, chance).slice(0, min(size, rows - first))


def symbols() -> list[str]:
    """The 200 names, IBM first."""
    others = ("".join(letters) for letters in product(ascii_uppercase, repeat=3))
    return ["IBM", *islice((name for name in others if name != "IBM"), 1, SYMBOLS)]


def _block(first: int, walk: np.ndarray, names: pa.Array, chance: np.random.Generator) -> pa.Table:
    size = walk.size
    numbers = np.arange(first, first + size, dtype=np.int64)
    return pa.table(
        {
            "ts": pa.array(START + numbers * (1_000_000 // SYMBOLS)).cast(pa.timestamp("us")),
            "symbol": names.take(pa.array(numbers % SYMBOLS)),
            "price": np.round(np.exp(walk.reshape(size)), 2),
            "volume": chance.integers(1, 1_001, size, dtype=np.int32),
        }
    )


def main() -> None:
    """`python -m benchmarks.generators.quotes FOLDER --rows 1000000`."""
    parser = argparse.ArgumentParser(description="Write stock quotes as CSV files.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rows-per-file", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    files = write_csv(given.folder, quotes(given.rows, seed=given.seed), given.rows_per_file)
    print(f"{given.rows:,} quotes in {len(files)} files in {given.folder}")


if __name__ == "__main__":
    main()
