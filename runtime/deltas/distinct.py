"""DISTINCT over announced ends: UPA's δ* (5.3.1). Keeps what it has put out, never its input."""

from __future__ import annotations

from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from ..elements.columns import T, TICK, VE, VS, W, quote
from ..elements.deltas import Intervals, Slice, cols, union
from ..epoch.context import Epoch
from ..state.store import Dead
from .group_accumulators import LARGE_STATE

_OLD: Final = "_old"
_ALL: Final = "_all"
_FLAG: Final = "_flag"
_BEFORE: Final = "_before"
_VALUE: Final = "__v"


def distinct(e: Epoch, name: str, intervals: Intervals) -> Intervals:
    """The time that each value's new elements add to the time it was covered: only positive weights.

    State: per value the covered intervals that end after `complete`; the youngest duplicate is the end of the
    last one. Elements may start after `now`. WK, ends announced (UPA 5.2, rule 3).
    """
    columns = intervals.columns
    covered = e.state.read(name, Slice(ve_after=e.start - TICK))
    frame = None
    if intervals.frame is not None:
        new = intervals.frame.select(*cols(columns), VS, VE).distinct()
        frame = e.share(_newly_covered(columns, _touched(e, name, columns, covered, new), new))
    e.state.add(
        name,
        None if frame is None else frame.where(F.col(VE) > e.complete),
        lambda merged: _merged(merged.where(F.col(VE) > e.complete), columns),
        _ended(e),
    )
    ahead = intervals.ahead or intervals.ends
    return Intervals(columns, frame, lambda wanted: e.state.read(name, wanted), intervals.ends, ahead)


def _ended(e: Epoch) -> Dead:
    return lambda file: VE in file.high and file.high[VE] <= e.complete


def _touched(
    e: Epoch, name: str, columns: tuple[str, ...], covered: DataFrame | None, new: DataFrame
) -> DataFrame | None:
    if covered is None or e.state.rows(name) <= LARGE_STATE:
        return covered
    renamed = {column: column + _VALUE for column in columns}
    values = new.select(*cols(columns)).distinct().withColumnsRenamed(renamed)
    pairs = [F.col(quote(a)).eqNullSafe(F.col(quote(b))) for a, b in renamed.items()]
    same = reduce(lambda a, b: a & b, pairs, F.lit(True))
    return covered.join(F.broadcast(values), same, "left_semi")


def _newly_covered(
    columns: tuple[str, ...], covered: DataFrame | None, new: DataFrame
) -> DataFrame:
    """Maximal stretches that some new element covers and no old one did."""
    ends = union(_ends(covered, columns, old=True), _ends(new, columns, old=False))
    assert ends is not None
    summed = _summed(ends, columns)
    order = _order(columns)
    newly = (F.sum(_ALL).over(_upto(order)) > 0) & (F.sum(_OLD).over(_upto(order)) == 0)
    return _stretches(summed.select(*cols(columns), T, newly.alias(_FLAG)), columns, order)


def _summed(ends: DataFrame, columns: tuple[str, ...]) -> DataFrame:
    return ends.groupBy(*cols(columns), T).agg(F.sum(_OLD).alias(_OLD), F.sum(_ALL).alias(_ALL))


def _order(columns: tuple[str, ...]) -> WindowSpec:
    return Window.partitionBy(*cols(columns)).orderBy(T)


def _upto(order: WindowSpec) -> WindowSpec:
    return order.rowsBetween(Window.unboundedPreceding, Window.currentRow)


def _stretches(flagged: DataFrame, columns: tuple[str, ...], order: WindowSpec) -> DataFrame:
    """From flags at instants to the stretches where the flag is on, as elements of weight 1."""
    before = F.coalesce(F.lag(_FLAG).over(order), F.lit(False))
    turns = flagged.withColumn(_BEFORE, before).where(F.col(_FLAG) != F.col(_BEFORE))
    until = turns.withColumn(VE, F.lead(T).over(order)).where(F.col(_FLAG))
    one = F.lit(1).cast("long")
    return until.select(*cols(columns), F.col(T).alias(VS), VE, one.alias(W))


def _ends(frame: DataFrame | None, columns: tuple[str, ...], old: bool) -> DataFrame | None:
    if frame is None:
        return None
    pair = F.array(_end(VS, 1, old), _end(VE, -1, old))
    return frame.select(*cols(columns), F.inline(pair))


def _end(end: str, sign: int, old: bool) -> Column:
    one = F.lit(sign).cast("long")
    return F.struct(
        F.col(end).alias(T), (one if old else F.lit(0).cast("long")).alias(_OLD), one.alias(_ALL)
    )


def _merged(frame: DataFrame, columns: tuple[str, ...]) -> DataFrame:
    """Touching stretches of a value as one."""
    ends = _ends(frame, columns, old=True)
    assert ends is not None
    summed = _summed(ends, columns)
    order = _order(columns)
    covered = F.sum(_OLD).over(_upto(order)) > 0
    return _stretches(summed.select(*cols(columns), T, covered.alias(_FLAG)), columns, order)
