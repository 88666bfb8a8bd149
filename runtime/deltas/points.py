"""The interval-to-point step: arrivals and expiries as changes at instants up to `now` (DESIGN section 2)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ..elements.columns import FOREVER, T, VE, VS, W
from ..elements.deltas import Intervals, Points, Slice, cols, union
from ..epoch.context import Epoch
from .keep import kept

_SIGN = {VS: 1, VE: -1}


def to_points(e: Epoch, name: str, intervals: Intervals) -> Points:
    """(row, +w at `_vs`) and (row, -w at `_ve`) as far as they lie up to `now`.

    New elements bring both ends; of earlier ones, what begins or ends in `(before, now]` is read from the
    archive, or from state of its own.
    """
    begun, ended = expiries(e, name, intervals)
    columns = intervals.columns
    changes = union(
        _both_ends(intervals.frame, columns, e.now),
        None if begun is None else _one_end(begun, columns, VS),
        None if ended is None else _one_end(ended, columns, VE),
    )
    return Points(columns, changes)


def expiries(
    e: Epoch, name: str, intervals: Intervals
) -> tuple[DataFrame | None, DataFrame | None]:
    """The earlier elements that begin in `(before, now]`, and those that end in it."""
    if not intervals.ends and not intervals.ahead:
        return None, None
    past = kept(e, name, intervals, until=e.now).past
    assert past is not None
    begun = past(Slice(vs_after=e.before, vs_upto=e.now)) if intervals.ahead else None
    return begun, past(Slice(ve_after=e.before, ve_upto=e.now))


def _both_ends(frame: DataFrame | None, columns: tuple[str, ...], now: int) -> DataFrame | None:
    if frame is None:
        return None
    ends = F.array(
        F.struct(F.col(VS).alias(T), F.col(W).alias(W)),
        F.struct(F.col(VE).alias(T), (-F.col(W)).alias(W)),
    )
    exploded = frame.select(*cols(columns), F.inline(ends))
    return exploded.where((F.col(T) <= now) & (F.col(T) < FOREVER))


def _one_end(frame: DataFrame, columns: tuple[str, ...], end: str) -> DataFrame:
    weight = F.col(W) * F.lit(_SIGN[end])
    return frame.select(*cols(columns), F.col(end).alias(T), weight.alias(W))
