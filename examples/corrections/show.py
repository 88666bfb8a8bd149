"""Compares the answers with what is true in the end: Parquet files in `out/` in, a table out."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.csv as pacsv
import pyarrow.dataset as ds
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
HOUR = timedelta(hours=1)
Averages = dict[tuple[datetime, str], tuple[int, float]]
"""By the begin of an hour and an airport: flights and their average delay."""


def main() -> None:
    """How many of the hours each way got right."""
    right = truth()
    table = Table(title=f"{len(right):,} averages of an hour and an airport", title_justify="left")
    for name in ("", "right", "wrong", "missing", "mean error, minutes"):
        table.add_column(name, justify="right" if name else "left")
    for name, found in (
        ("Reflow", answered("delays")),
        ("Reflow, REVISE BY IGNORE", answered("at_departure")),
        ("Spark by hand, watermark of 1 hour", by_hand()),
    ):
        if found:
            table.add_row(name, *compared(right, found))
    Console().print(table)


def compared(right: Averages, found: Averages) -> list[str]:
    """Right, wrong and missing averages; by how much those that are there are off."""
    there = {at: found[at] for at in right if at in found}
    same = sum(round(found[at][1], 6) == round(right[at][1], 6) for at in there)
    error = sum(abs(found[at][1] - right[at][1]) for at in there) / max(len(there), 1)
    return [f"{same:,}", f"{len(there) - same:,}", f"{len(right) - len(there):,}", f"{error:.2f}"]


def truth() -> Averages:
    """From the whole log: the last that is told of each flight counts."""
    last = {}
    for path in sorted((HERE / "data").glob("*.csv")):
        for row in pacsv.read_csv(path).to_pylist():
            last[row["id"]] = row
    hours = defaultdict(list)
    for row in last.values():
        if row["op"] != "d":
            begin = row["ts"].replace(minute=0, second=0, tzinfo=None)
            # A window of Reflow is (begin, end].
            begin -= HOUR if row["ts"].minute == row["ts"].second == 0 else timedelta()
            hours[begin, row["origin"]].append(row["delay"])
    return {at: (len(delays), sum(delays) / len(delays)) for at, delays in hours.items()}


def answered(query: str) -> Averages:
    """A changelog added up; a row that enters at an instant is about the hour before it."""
    folder = HERE / "out" / query
    weights: dict[tuple[object, ...], int] = defaultdict(int)
    if folder.exists():
        for row in ds.dataset(folder, format="parquet").to_table().to_pylist():
            weights[row["vs"], row["origin"], row["flights"], row["delay"]] += row["w"]
    return {
        (instant(vs) - HOUR, str(origin)): (flights, delay)
        for (vs, origin, flights, delay), weight in weights.items()
        if weight > 0
    }


def by_hand() -> Averages:
    """What plain Structured Streaming wrote."""
    folder = HERE / "out" / "by_hand"
    if not folder.exists():
        return {}
    rows = ds.dataset(folder, format="parquet").to_table().to_pylist()
    found = {}
    for row in rows:
        found[instant(row["begin"]), row["origin"]] = (row["flights"], row["delay"])
    return found


def instant(value: object) -> datetime:
    """An instant without its zone, which is UTC."""
    if isinstance(value, int):
        return datetime.fromtimestamp(value / 1_000_000, UTC).replace(tzinfo=None)
    assert isinstance(value, datetime)
    return value.replace(tzinfo=None)


if __name__ == "__main__":
    main()
