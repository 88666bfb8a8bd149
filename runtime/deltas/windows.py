"""Time windows: how long an element is valid (DESIGN section 1)."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ..elements.columns import TICK, VE, VS
from ..elements.deltas import Intervals, Past, Slice


def window_range(
    intervals: Intervals, length: int, slide: int | None = None, zone: str | None = None
) -> Intervals:
    """`[vs, vs + length)`, both ends rounded up to multiples of `slide`; `zone` aligns slides of whole days.

    With a slide, elements may start after `now`. WKS (UPA 5.2).
    """

    def change(frame: DataFrame) -> DataFrame:
        start = F.col(VS)
        end = F.col(VS) + F.lit(length)
        if slide is not None:
            start, end = _rounded(start, slide, zone), _rounded(end, slide, zone)
        return frame.withColumns({VS: start, VE: end})

    # Rounding moves an end by less than a slide; a local day can be an hour longer.
    slack = 0 if slide is None else slide + (0 if zone is None else _HOUR * 2)
    past = None if intervals.past is None else _past(intervals.past, change, length, slack)
    frame = None if intervals.frame is None else change(intervals.frame)
    ahead = intervals.ahead or slide is not None
    return Intervals(intervals.columns, frame, past, ends=True, ahead=ahead)


_HOUR = 3_600_000_000


def window_now(intervals: Intervals) -> Intervals:
    """`[vs, vs + 1 tick)`: the rows of the present instant."""
    return window_range(intervals, TICK)


def window_unbounded(intervals: Intervals) -> Intervals:
    """`[vs, for ever)`: nothing ever leaves. MON (UPA's monotonic queries)."""
    return intervals


def _past(
    past: Past, change: Callable[[DataFrame], DataFrame], length: int, slack: int
) -> Past:
    def slice_(wanted: Slice) -> DataFrame | None:
        lower = [
            None if wanted.vs_after is None else wanted.vs_after - slack,
            None if wanted.ve_after is None else wanted.ve_after - length - slack,
        ]
        upper = [wanted.vs_upto, None if wanted.ve_upto is None else wanted.ve_upto - length]
        below = [bound for bound in lower if bound is not None]
        above = [bound for bound in upper if bound is not None]
        rows = past(Slice(max(below, default=None), min(above, default=None)))
        if rows is None:
            return None
        changed = change(rows)
        condition = wanted.condition()
        return changed if condition is None else changed.where(condition)

    return slice_


def _rounded(instant: Column, slide: int, zone: str | None) -> Column:
    """The least multiple of the slide that is not before the instant."""
    if zone is None:
        return _ceiling(instant, slide)
    local = F.unix_micros(F.from_utc_timestamp(F.timestamp_micros(instant), zone))
    rounded = F.timestamp_micros(_ceiling(local, slide))
    return F.unix_micros(F.to_utc_timestamp(rounded, zone))


def _ceiling(instant: Column, slide: int) -> Column:
    step = F.lit(slide).cast("long")
    return instant + F.pmod(-instant, step)
