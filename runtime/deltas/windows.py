"""Time windows: how long an element is valid (DESIGN section 1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import TICK, VE, VS, big, quote, string
from ..elements.deltas import Intervals, Past, Slice

_TWO_HOURS: Final = 2 * 3_600_000_000


def window_range(
    intervals: Intervals, length: int, slide: int | None = None, zone: str | None = None
) -> Intervals:
    """`[vs, vs + length)`, both ends rounded up to multiples of `slide`; `zone` aligns slides of
    whole days.

    With a slide, elements may start after `now`. WKS (UPA 5.2).
    """
    start, end = VS, f"{VS} + {big(length)}"
    if slide is not None:
        start, end = _rounded(start, slide, zone), _rounded(f"({end})", slide, zone)
    columns = [quote(column) for column in intervals.columns]
    rest = [name for name in intervals.engine if name not in (VS, VE)]

    def change(frame: DataFrame) -> DataFrame:
        return frame.selectExpr(*columns, f"{start} AS {VS}", f"{end} AS {VE}", *rest)

    # Rounding moves an end by less than a slide; a local day can be longer than 24 hours.
    slack = 0 if slide is None else slide + (0 if zone is None else _TWO_HOURS)
    past = None if intervals.past is None else _past(intervals.past, change, length, slack)
    frame = None if _is_settled(intervals, length + slack) else intervals.frame
    frame = None if frame is None else change(frame)
    if frame is not None and intervals.settled is not None:
        frame = _unsettled(frame, columns, rest, intervals.settled)
    ahead = intervals.ahead or slide is not None
    return replace(intervals, frame=frame, past=past, ends=True, ahead=ahead, latest=None)


def window_now(intervals: Intervals) -> Intervals:
    """`[vs, vs + 1 tick)`: the rows of the present instant."""
    return window_range(intervals, TICK)


def window_unbounded(intervals: Intervals) -> Intervals:
    """`[vs, for ever)`: nothing ever leaves. MON (UPA's monotonic queries)."""
    return intervals


def _is_settled(intervals: Intervals, length: int) -> bool:
    """Whether all new elements have ended before that which a replay does not tell."""
    settled, latest = intervals.settled, intervals.latest
    return settled is not None and latest is not None and latest + length <= settled


def _unsettled(frame: DataFrame, columns: list[str], rest: list[str], settled: int) -> DataFrame:
    """What of the elements lies at an instant or after it."""
    start = f"greatest({VS}, {big(settled)}) AS {VS}"
    return frame.where(f"{VE} > {big(settled)}").selectExpr(*columns, start, VE, *rest)


def _past(past: Past, change: Callable[[DataFrame], DataFrame], length: int, slack: int) -> Past:
    """The window over earlier elements: bounds on ends become bounds on starts, which the archive
    indexes.
    """

    def slice_(wanted: Slice) -> DataFrame | None:
        lower = [
            None if wanted.vs_after is None else wanted.vs_after - slack,
            None if wanted.ve_after is None else wanted.ve_after - length - slack,
        ]
        upper = [wanted.vs_upto, None if wanted.ve_upto is None else wanted.ve_upto - length]
        below = max((bound for bound in lower if bound is not None), default=None)
        above = min((bound for bound in upper if bound is not None), default=None)
        rows = past(Slice(below, above))
        if rows is None:
            return None
        changed, condition = change(rows), wanted.condition()
        return changed if condition is None else changed.where(condition)

    return slice_


def _rounded(instant: str, slide: int, zone: str | None) -> str:
    """The least multiple of the slide that is not before the instant."""
    if zone is None:
        return _ceiling(instant, slide)
    text = string(zone)
    local = f"unix_micros(from_utc_timestamp(timestamp_micros({instant}), {text}))"
    rounded = f"timestamp_micros({_ceiling(local, slide)})"
    return f"unix_micros(to_utc_timestamp({rounded}, {text}))"


def _ceiling(instant: str, slide: int) -> str:
    return f"({instant} + pmod(-({instant}), {big(slide)}))"
