"""Writes 100,000 flows, about one a second on each of two links, as CSV files in `data/flows/`."""

from __future__ import annotations

from pathlib import Path

from benchmarks.generators.files import write_csv
from benchmarks.generators.network import flows

DATA = Path(__file__).resolve().parent / "data" / "flows"
ROWS = 100_000


def main() -> None:
    """Does nothing if the data is there."""
    if DATA.exists():
        return
    # Half a second between rows: with two links that is about one tuple a second on each.
    files = write_csv(DATA, flows(ROWS, seed=1, step=500_000), rows_per_file=10_000)
    print(f"prepared {ROWS:,} flows in {len(files)} files")


if __name__ == "__main__":
    main()
