"""Multiplicity functions: for every row, by how much its multiplicity changes at which instant.

Two outputs are equal when their multiplicity functions are (DESIGN section 1, normal form).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

Row = tuple[Any, ...]
Changes = dict[Row, dict[int, int]]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(value: datetime) -> int:
    """A time as microseconds since 1970; one without a zone is read as UTC."""
    zoned = value if value.tzinfo else value.replace(tzinfo=UTC)
    return (zoned - EPOCH) // timedelta(microseconds=1)


def canonical(value: Any) -> Any:
    """A value as values are compared: times as microseconds, floats to 9 digits."""
    if isinstance(value, datetime):
        return microseconds(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else value.normalize()
    if isinstance(value, float):
        return float(f"{value:.9g}") + 0.0
    return value


def canonical_row(values: Iterable[Any]) -> Row:
    return tuple(canonical(value) for value in values)


def add(changes: Changes, row: Row, instant: int, weight: int) -> None:
    """Record one change; call `net` when all are in."""
    at = changes.setdefault(row, {})
    at[instant] = at.get(instant, 0) + weight


def net(changes: Changes, until: int | None = None) -> Changes:
    """The function without zeros, cut after the instant `until`, in order of time."""
    result: Changes = {}
    for row, at in changes.items():
        kept = {t: at[t] for t in sorted(at) if at[t] and (until is None or t <= until)}
        if kept:
            result[row] = kept
    return result


def from_changes(listed: Iterable[tuple[int, int, Iterable[Any]]]) -> Changes:
    """From a list of (instant, change, row)."""
    changes: Changes = {}
    for instant, weight, row in listed:
        add(changes, canonical_row(row), instant, weight)
    return net(changes)


def map_rows(changes: Changes, function: Callable[[Row], Row]) -> Changes:
    """The same changes under other names of the rows; rows that become equal are added up."""
    result: Changes = {}
    for row, at in changes.items():
        for instant, weight in at.items():
            add(result, function(row), instant, weight)
    return net(result)


def answer(changes: Changes, instant: int) -> Counter[Row]:
    """The multiset of rows at `instant`; negative counts, which are faults, stay visible."""
    counts = {row: sum(w for t, w in at.items() if t <= instant) for row, at in changes.items()}
    return Counter({row: count for row, count in counts.items() if count})


def difference(expected: Changes, actual: Changes, most: int = 12) -> str:
    """Empty if equal; else where they first differ, both answers there, and row by row how."""
    rows = [row for row in expected | actual if expected.get(row) != actual.get(row)]
    if not rows:
        return ""
    first = min(_first_difference(expected.get(row, {}), actual.get(row, {})) for row in rows)
    lines = [
        f"{len(rows)} rows differ, first at instant {first}",
        f"  answer at {first}: expected {_show_answer(answer(expected, first))}",
        f"  {'':>{len(str(first)) + 10}} actual   {_show_answer(answer(actual, first))}",
    ]
    for row in sorted(rows, key=repr)[:most]:
        lines.append(f"  {row!r}")
        lines.append(f"    expected {_show_changes(expected.get(row, {}))}")
        lines.append(f"    actual   {_show_changes(actual.get(row, {}))}")
    if len(rows) > most:
        lines.append(f"  … and {len(rows) - most} more rows")
    return "\n".join(lines)


def _first_difference(left: dict[int, int], right: dict[int, int]) -> int:
    return min(t for t in left.keys() | right.keys() if left.get(t, 0) != right.get(t, 0))


def _show_answer(rows: Counter[Row], most: int = 8) -> str:
    shown = [f"{row!r}×{count}" for row, count in sorted(rows.items(), key=repr)]
    return ", ".join(shown[:most]) + (" …" if len(shown) > most else "") if shown else "nothing"


def _show_changes(at: dict[int, int]) -> str:
    return " ".join(f"{weight:+d}@{t}" for t, weight in sorted(at.items())) or "nothing"
