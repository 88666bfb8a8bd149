"""Writes half an hour of quotes, 200 symbols a second, as CSV files in `data/quotes/`."""

from __future__ import annotations

from pathlib import Path

from benchmarks.generators.files import write_csv
from benchmarks.generators.quotes import quotes

DATA = Path(__file__).resolve().parent / "data" / "quotes"
ROWS = 360_000


def main() -> None:
    """Does nothing if the data is there."""
    if DATA.exists():
        return
    files = write_csv(DATA, quotes(ROWS, seed=1), rows_per_file=60_000)
    print(f"prepared {ROWS:,} quotes in {len(files)} files")


if __name__ == "__main__":
    main()
