"""The interval-to-point step: arrivals and expiries as changes at instants up to `now` (DESIGN
section 2).
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import FOREVER, POS, VE, VS, T, W, big, quote
from ..elements.context import Epoch
from ..elements.deltas import STANDS, Intervals, Points, Slice, union
from .keep import kept
from .once import planned_once

_START: Final = (f"{VS} AS {T}", f"{W} AS {W}", f"{VS} AS {STANDS}")
_END: Final = (f"{VE} AS {T}", f"-{W} AS {W}", f"{VE} - 1 AS {STANDS}")


def to_points(e: Epoch, name: str, intervals: Intervals) -> Points:
    """(row, +w at `_vs`) and (row, -w at `_ve`) as far as they lie up to `now`.

    New elements bring both ends; of earlier ones, what begins or ends in `(before, now]` is read
    from the archive, or from state of its own.
    """
    frame = row_changes(e, name, intervals)
    if frame is not None:
        frame = frame.drop(STANDS)
    return Points(intervals.columns, frame, ordered=intervals.ordered)


def row_changes(e: Epoch, name: str, intervals: Intervals) -> DataFrame | None:
    """The frame of `to_points` with `_stands`."""
    if intervals.ends or intervals.ahead:
        # What is new is kept besides, for its ends.
        intervals = planned_once(e, intervals)
    begun, ended = expiries(e, name, intervals)
    columns = [quote(column) for column in intervals.columns]
    columns += [POS] if intervals.ordered else []
    return union(
        _new(intervals, columns, e.now),
        None if begun is None else begun.selectExpr(*columns, *_START),
        None if ended is None else ended.selectExpr(*columns, *_END),
    )


def expiries(
    e: Epoch, name: str, intervals: Intervals
) -> tuple[DataFrame | None, DataFrame | None]:
    """The earlier elements that begin in `(before, now]`, and those that end in it."""
    if not intervals.ends and not intervals.ahead:
        return None, None
    past = kept(e, name, intervals, e.now, intervals.ordered).past
    assert past is not None
    if e.now <= e.before:
        # Time stands still, as in most drains: without rows, the epoch has nothing to write.
        return None, None
    begun = past(Slice(vs_after=e.before, vs_upto=e.now)) if intervals.ahead else None
    ended = past(Slice(ve_after=e.before, ve_upto=e.now)) if intervals.ends else None
    return begun, ended


def _new(intervals: Intervals, columns: list[str], now: int) -> DataFrame | None:
    frame = intervals.frame
    if frame is None:
        return None
    if not intervals.ends:
        started = frame.selectExpr(*columns, *_START)
        return started.where(f"{T} <= {big(now)}") if intervals.ahead else started
    return both_ends(frame, columns).where(f"{T} <= {big(min(now, FOREVER - 1))}")


def both_ends(frame: DataFrame, columns: list[str]) -> DataFrame:
    """Every element as two points, with `_stands`."""
    ends = ", ".join(_struct(end) for end in (_START, _END))
    return frame.selectExpr(*columns, f"inline(array({ends}))")


def _struct(columns: tuple[str, ...]) -> str:
    return f"struct({', '.join(columns)})"
