"""Change logs read back: which rows entered and left an answer, and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

Row: TypeAlias = tuple[Any, ...]
Changes: TypeAlias = Counter[tuple[Row, int]]
"""By how much the multiplicity of a row rises or falls at an instant (microseconds or ticks)."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_changes(folder: str, columns: int, now: int | None) -> Changes:
    """The net changes up to `now` that a CHANGELOG sink in Parquet says; its columns are `c0`, ….

    Values are compared as `comparable` gives them.
    """
    changes: Changes = Counter()
    if now is None:
        return changes
    for path in sorted(Path(folder).glob("epoch=*/*.parquet")):
        for *row, start, end, weight in _records(pq.read_table(path), columns):
            values = comparable_row(row)
            changes[values, instant(start)] += weight
            if end is not None:
                changes[values, instant(end)] -= weight
    return Counter({at: n for at, n in changes.items() if n and at[1] <= now})


def answer_at(changes: Changes, at: int) -> Counter[Row]:
    """How often each row is in the answer at an instant."""
    rows: Counter[Row] = Counter()
    for (row, when), weight in changes.items():
        if when <= at:
            rows[row] += weight
    return Counter({row: n for row, n in rows.items() if n})


def _records(table: pa.Table, columns: int) -> Iterator[tuple[Any, ...]]:
    names = [*[f"c{i}" for i in range(columns)], "vs", "ve", "w"]
    return zip(*[table.column(name).to_pylist() for name in names], strict=True)


def instant(value: Any) -> int:
    """An order value of a change log."""
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=UTC)
        return (moment - _EPOCH) // timedelta(microseconds=1)
    return int(value)


def comparable_row(row: list[Any] | tuple[Any, ...]) -> Row:
    return tuple(comparable(value) for value in row)


def comparable(value: Any) -> Any:
    """A value that can be hashed and compared: NaN is itself, lists and structs are tuples, zoned
    times are in UTC.
    """
    if isinstance(value, float):
        return "NaN" if value != value else value + 0.0
    if isinstance(value, datetime):
        return value.astimezone(UTC) if value.tzinfo else value
    if isinstance(value, list):
        return tuple(comparable(each) for each in value)
    if isinstance(value, dict):
        return tuple((name, comparable(each)) for name, each in value.items())
    return value
