"""Sessions: rows of one key stay together until nothing has come for some time."""

from __future__ import annotations

from collections.abc import Sequence

from ..elements.columns import POS, VS, big
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Points
from .held_rows import END, KNOWN, LIVE, OLD_END, OLD_START, START, Held


def session_window(
    e: Epoch,
    name: str,
    intervals: Intervals,
    gap: int,
    by: Sequence[str],
    net: bool = False,
    ordered: bool = False,
) -> Points:
    """Each row from its `_vs` until `gap` after the last row of its session. Two rows of a value of
    `by` (SQL) that follow each other are of one session if less than `gap` lies between them.

    net: elements may be withdrawn. ordered: the points keep `_pos`. State: the rows of sessions
    that end at or after `complete`. Ends are signalled: later rows put them off.
    """
    ordered = ordered and intervals.ordered
    held = Held(intervals.columns, by, (POS,) if ordered else (), net, gap)
    return held.points(e, name, intervals, lambda _, view: _sweep(held, view, gap), ordered)


def _sweep(held: Held, view: str, gap: int) -> str:
    firsts, numbers, ends = [], [], []
    for flag, start, end in ((LIVE, START, END), (KNOWN, OLD_START, OLD_END)):
        rows = f"PARTITION BY {held.partition}, {flag}"
        since = f"{VS} - lag({VS}) OVER ({rows} ORDER BY {VS})"
        firsts.append(f"coalesce({since} >= {big(gap)}, TRUE) AS _first{flag}")
        # Rows of one instant are counted together: whichever of them is the first.
        began = f"CAST(_first{flag} AS INT)"
        numbers.append(f"SUM({began}) OVER ({rows} ORDER BY {VS}) AS _session{flag}")
        last = f"max({VS}) OVER ({rows}, _session{flag})"
        ends += [f"{VS} AS {start}", f"{last} + {big(gap)} AS {end}"]
    first = f"SELECT *, {', '.join(firsts)} FROM {view}"
    numbered = f"SELECT *, {', '.join(numbers)} FROM ({first})"
    return f"SELECT *, {', '.join(ends)} FROM ({numbered})"
