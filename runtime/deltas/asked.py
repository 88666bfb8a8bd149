"""What is said to rows that ask for the current row of a key (`Lookup`)."""

from __future__ import annotations

from typing import Final

from ..elements.columns import T, W, listed
from ..elements.deltas import ASKER, FRESH

CURRENT: Final = "_current"
"""The current row, as a struct."""

NEW: Final = "_new"
OLD: Final = "_old"


def answers(asked: str, *more: str) -> str:
    """SQL for (more…, _asker, _current, _t, _w).

    `asked`: SQL for (more…, _asker, _t, _w, _fresh, _new, _old) with the current row by all that is
    known now and by what was known before this epoch, NULL where there is none. A fresh asker is
    told the new one; another one, where they differ, the new one and that the old one is gone.
    """
    new = f"named_struct('{CURRENT}', {NEW}, '_n', {W})"
    gone = f"CASE WHEN {FRESH} THEN 0L ELSE -{W} END"
    old = f"named_struct('{CURRENT}', {OLD}, '_n', {gone})"
    told = (
        f"SELECT {listed(more, ASKER, T)}, inline(array({new}, {old})) FROM ({asked})"
        f" WHERE {FRESH} OR NOT {NEW} <=> {OLD}"
    )
    return (
        f"SELECT {listed(more, ASKER, CURRENT, T)}, _n AS {W} FROM ({told})"
        f" WHERE {CURRENT} IS NOT NULL AND _n <> 0"
    )
