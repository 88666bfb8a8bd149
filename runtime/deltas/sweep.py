"""The sweep: what a timeline operator emits at an instant, from its rows before and after, old and
new.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..elements.columns import T, W, listed, quote

NEW: Final = "_new"
NEW_BEFORE: Final = "_new_before"
OLD: Final = "_old"
OLD_BEFORE: Final = "_old_before"


def emitted(source: str, keys: Sequence[str], values: Sequence[str]) -> str:
    """New minus old of the change at each instant: SQL for points (keys…, values…, _t, _w).

    `source` has keys, `_t` and four structs, NULL where there is no row: `_new` and `_new_before`
    the row at the instant and just before it by all that is known now, `_old` and `_old_before` by
    what was known before this epoch. What cancels out is not emitted, so that there is one net
    change per row and instant.
    """
    candidates = ", ".join(
        [
            _candidate(NEW, [], 1, {NEW_BEFORE: -1, OLD: -1, OLD_BEFORE: 1}),
            _candidate(NEW_BEFORE, [NEW], -1, {OLD: -1, OLD_BEFORE: 1}),
            _candidate(OLD, [NEW, NEW_BEFORE], -1, {OLD_BEFORE: 1}),
            _candidate(OLD_BEFORE, [NEW, NEW_BEFORE, OLD], 1, {}),
        ]
    )
    exploded = f"SELECT {listed(keys, T)}, inline(array({candidates})) FROM ({source})"
    fields = [f"_row.{quote(name)} AS {quote(name)}" for name in values]
    columns = listed(keys, *fields, T, W)
    return f"SELECT {columns} FROM ({exploded}) WHERE {W} <> 0"


def _candidate(row: str, earlier: list[str], own: int, others: dict[str, int]) -> str:
    """A row with its net weight; none if it is missing, or stands among the earlier candidates
    already.
    """
    counted = " AND ".join([f"{row} IS NOT NULL", *[f"NOT {row} <=> {each}" for each in earlier]])
    equal = [f"{sign:+d} * CAST({row} <=> {other} AS INT)" for other, sign in others.items()]
    weight = f"CASE WHEN {counted} THEN CAST({own} {' '.join(equal)} AS BIGINT) ELSE 0L END"
    return f"named_struct('_row', {row}, '{W}', {weight})"
