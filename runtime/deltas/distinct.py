"""DISTINCT over announced ends: UPA's δ* (5.3.1), which keeps what it has put out, never its input;
and for comparison the operator that does not know better than to keep its input.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import TICK, VE, VS, T, W, big, listed
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Slice
from .keep import ended, kept
from .touched import of_touched, with_keys

_OLD: Final = "_old"
_ALL: Final = "_all"
_ON: Final = "_on"


def distinct(e: Epoch, name: str, intervals: Intervals) -> Intervals:
    """The time that each value's new elements add to the time it was covered: only positive
    weights.

    State: per value the covered intervals that end after `complete`; the youngest duplicate is the
    end of the last one. Elements may start after `now`. WK, ends announced (UPA 5.2).
    """
    columns = intervals.columns
    covered = e.state.read(name, Slice(ve_after=e.start - TICK))
    frame = None
    if intervals.frame is not None:
        if covered is not None:
            covered = of_touched(e, name, covered, columns, intervals.frame)
        frame = e.share(e.sql(_newly_covered(e, columns, covered, intervals.frame)))
    live = f"{VE} > {big(e.complete)}"
    e.state.add(
        name,
        None if frame is None else frame.where(live),
        lambda merged: e.sql(_merged(columns, e.view(merged.where(live)))),
        ended(e.complete),
    )
    past = lambda wanted: e.state.read(name, wanted)  # noqa: E731
    # Even over endless elements: a late copy adds the stretch up to where the value was covered.
    return Intervals(columns, frame, past, True, True)


def distinct_stored(e: Epoch, name: str, intervals: Intervals) -> Intervals:
    """The same change as `distinct` gives, found without δ*: the input tells what was covered.

    State: the input, from the archive or kept (UPA 5.3.1, the operator before the improvement).
    What the output was is kept by those who need it.
    """
    columns = intervals.columns
    intervals = kept(e, f"{name}.input", intervals)
    frame = None
    if intervals.frame is not None:
        assert intervals.past is not None
        stored = intervals.past(Slice(ve_after=e.start - TICK))
        if stored is not None:
            stored = with_keys(e, stored, columns, intervals.frame)
        frame = e.share(e.sql(_newly_covered(e, columns, stored, intervals.frame)))
    return Intervals(columns, frame, None, True, True)


def _newly_covered(
    e: Epoch, columns: tuple[str, ...], covered: DataFrame | None, new: DataFrame
) -> str:
    """Maximal stretches that some new element covers and no old one did."""
    ends = e.sql(_ends(columns, e.view(new), old=False))
    if covered is not None:
        ends = ends.unionByName(e.sql(_ends(columns, e.view(covered), old=True)))
    upto = _window(columns) + " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    on = f"SUM({_ALL}) OVER ({upto}) > 0 AND SUM({_OLD}) OVER ({upto}) = 0"
    return _stretches(columns, e.view(e.spread(ends, columns)), on)


def _merged(columns: tuple[str, ...], covered: str) -> str:
    """Touching stretches of a value as one."""
    upto = _window(columns) + " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    ends = f"({_ends(columns, covered, old=True)})"
    return _stretches(columns, ends, f"SUM({_OLD}) OVER ({upto}) > 0")


def _ends(columns: tuple[str, ...], source: str, old: bool) -> str:
    """Starts and ends of elements, counted once for all and once for the old ones."""
    known = 1 if old else 0
    start = f"named_struct('{T}', {VS}, '{_OLD}', {known}L, '{_ALL}', 1L)"
    end = f"named_struct('{T}', {VE}, '{_OLD}', -{known}L, '{_ALL}', -1L)"
    return f"SELECT {listed(columns, f'inline(array({start}, {end}))')} FROM {source}"


def _stretches(columns: tuple[str, ...], ends: str, on: str) -> str:
    """The maximal stretches in which a condition on the counts holds, as elements of weight 1."""
    window = _window(columns)
    at = listed(columns, T)
    counted = f"SELECT {at}, SUM({_OLD}) AS {_OLD}, SUM({_ALL}) AS {_ALL} FROM {ends} GROUP BY {at}"
    flagged = f"SELECT {at}, {on} AS {_ON} FROM ({counted})"
    before = f"coalesce(lag({_ON}) OVER ({window}), FALSE) AS _before"
    turns = f"SELECT *, {before} FROM ({flagged})"
    until = f"SELECT *, lead({T}) OVER ({window}) AS {VE} FROM ({turns}) WHERE {_ON} <> _before"
    return f"SELECT {listed(columns, f'{T} AS {VS}', VE, f'1L AS {W}')} FROM ({until}) WHERE {_ON}"


def _window(columns: tuple[str, ...]) -> str:
    return f"PARTITION BY {listed(columns)} ORDER BY {T}"
