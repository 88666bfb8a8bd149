"""Elements of a physical stream (LMERGE III): which say something that may be said, as far as each
tells by itself and by the stables before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .columns import POS, big, quote

_IN_ORDER: Final = ("time", "file", "block", "row")
KIND: Final = "_kind"
"""What an element does: one of the numbers of `KINDS`."""
INSERT, ADJUST, STABLE = range(3)
KINDS: Final = {"insert": INSERT, "adjust": ADJUST, "stable": STABLE}

UNKNOWN_KIND: Final = "unknown kind of element"
NO_START: Final = "no order value"
BACKWARDS: Final = "ends before it starts"
INSERT_BEFORE: Final = "insert before a stable"
ADJUST_BEFORE: Final = "adjust before a stable"
UNKNOWN_EVENT: Final = "adjust of an unknown event"
INSERTS_ONLY: Final = "adjust in a stream of inserts only"
ANOMALIES: Final = (
    *(UNKNOWN_KIND, NO_START, BACKWARDS, INSERT_BEFORE),
    *(ADJUST_BEFORE, UNKNOWN_EVENT, INSERTS_ONLY),
)


def kind_of(column: str) -> str:
    """SQL: the number of what a column (SQL) says, or NULL."""
    cases = " ".join(f"WHEN '{word}' THEN {number}" for word, number in KINDS.items())
    return f"CASE lower({column}) {cases} END"


def instant_of(column: str, timestamps: bool) -> str:
    """SQL: a TIMESTAMP or BIGINT column (SQL) as an order value."""
    return (
        f"unix_micros(CAST({column} AS TIMESTAMP))" if timestamps else f"CAST({column} AS BIGINT)"
    )


def shown_of(instant: str, timestamps: bool) -> str:
    """SQL: an order value as the column that it came from."""
    return f"timestamp_micros({instant})" if timestamps else instant


def rejection_alone(kind: str, start: str, end: str, stable: int) -> str:
    """SQL: why an element says nothing that may be said, by itself and after what was `stable`
    before; or NULL. `kind`, `start`, `end`: SQL, of `kind_of` and `instant_of`.
    """
    return (
        f"CASE WHEN {kind} IS NULL THEN '{UNKNOWN_KIND}' WHEN {start} IS NULL THEN '{NO_START}'"
        f" WHEN {kind} <> {STABLE} AND {end} < {start} THEN '{BACKWARDS}'"
        f" WHEN {kind} = {INSERT} AND {start} < {big(stable)} THEN '{INSERT_BEFORE}' END"
    )


def rejection_after(start: str, end: str, old_end: str, stable: str) -> str:
    """SQL: why an element may not come after a `stable` (SQL, an order value), or is about what no
    event can be: a cancelled one is none any more; or NULL.
    """
    return (
        f"CASE WHEN {KIND} = {INSERT} AND {start} < {stable} THEN '{INSERT_BEFORE}'"
        f" WHEN {KIND} = {ADJUST} AND least({old_end}, {end}) < {stable} THEN '{ADJUST_BEFORE}'"
        f" WHEN {KIND} = {ADJUST} AND {old_end} <= {start} THEN '{UNKNOWN_EVENT}' END"
    )


ARRIVAL: Final = f"struct({', '.join(f'{POS}.{part}' for part in _IN_ORDER)}) AS {POS}"
"""SQL: the place of a row of one epoch and stream in the order of arrival, instead of that in the
order of the stream.
"""
_PART: Final = ("time", "file")
"""What of the place of a row tells the parts of a source that come one after the other."""


def after_stables(view: str, columns: Sequence[str], start: str, stable: int, single: bool) -> str:
    """SQL: the rows of a view with `_stable`, the largest `start` of a stable before each in the
    order of arrival, at least `stable`.

    `columns` are SQL. The view has `_kind` and `_pos` (the `ARRIVAL`), of one stream and one epoch.
    `single`: it is one partition; else each file counts for itself, with what all files before it
    say.
    """
    told = f"max(CASE WHEN {KIND} = {STABLE} THEN {start} END)"
    listed = ", ".join(columns)
    before = "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
    if single:
        so_far = f"{told} OVER (ORDER BY {POS} {before})"
        return f"SELECT {listed}, {_greatest(stable, so_far)} AS _stable FROM {view}"
    parts = [f"{POS}.{part}" for part in _PART]
    names = [f"_{part}" for part in _PART]
    of = ", ".join(f"{part} AS {name}" for part, name in zip(parts, names, strict=True))
    by = ", ".join(names)
    files = f"SELECT {of}, {told} AS _told FROM {view} GROUP BY {', '.join(parts)}"
    earlier = f"SELECT {by}, max(_told) OVER (ORDER BY {by} {before}) AS _earlier FROM ({files})"
    same = " AND ".join(f"{a} <=> {b}" for a, b in zip(parts, names, strict=True))
    so_far = f"{told} OVER (PARTITION BY {', '.join(parts)} ORDER BY {POS} {before})"
    stables = _greatest(stable, so_far, "_earlier")
    joined = f"{view} JOIN (SELECT /*+ BROADCAST */ * FROM ({earlier})) ON {same}"
    return f"SELECT {listed}, {stables} AS _stable FROM {joined}"


def _greatest(least: int, *others: str) -> str:
    return f"greatest({', '.join([big(least), *others])})"


def named(columns: Sequence[str]) -> list[str]:
    """Column names as SQL."""
    return [quote(column) for column in columns]
