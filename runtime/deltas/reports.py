"""Reports: an answer as a stream. ISTREAM, RSTREAM, and streams as input of windows."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from ..elements.columns import FOREVER, T, VE, VS, W
from ..elements.deltas import Intervals, Points, cols, union
from ..epoch.context import Epoch
from .trace import add_trace, read_trace

_OLD: Final = "_old_w"
_NEW: Final = "_new_w"


def istream(e: Epoch, name: str, points: Points) -> Points:
    """Rows that enter the answer: by how much their multiplicity rises at an instant.

    State: the net changes at instants from `complete` on, which may still be corrected.
    """
    columns = points.columns
    recent = e.state.read(name)
    e.state.add(name, _unsettled(points.frame, e.complete), lambda f: _live(f, columns, e.complete))
    if points.frame is None:
        return Points(columns, None)
    both = union(_tagged(recent, old=True), _tagged(points.frame, old=False))
    assert both is not None
    net = _net(both, columns).where(F.col(T) >= e.start)
    rise = F.greatest(F.col(_NEW), F.lit(0)) - F.greatest(F.col(_OLD), F.lit(0))
    return Points(columns, net.select(*cols(columns), T, rise.alias(W)).where(F.col(W) != 0))


def rstream(e: Epoch, name: str, points: Points) -> Points:
    """The whole answer at each instant at which it changes.

    State: the answer as of `complete` and later changes.
    """
    columns = points.columns
    trace = read_trace(e, name, columns)
    add_trace(e, name, points)
    if points.frame is None:
        return Points(columns, None)
    both = union(_tagged(trace, old=True), _tagged(points.frame, old=False))
    assert both is not None
    net = e.share(_net(both, columns))
    instants = _instants(net.where(F.col(T) >= e.start), e.before)
    pieces = _pieces(net, columns)
    return Points(columns, _shown(pieces, instants, columns))


def as_stream(points: Points) -> Intervals:
    """A reported stream as elements `[t, for ever)`, for a window above it."""
    end = F.lit(FOREVER)

    def change(frame: DataFrame) -> DataFrame:
        return frame.select(*cols(points.columns), F.col(T).alias(VS), end.alias(VE), W)

    return Intervals(points.columns, None if points.frame is None else change(points.frame))


def _unsettled(frame: DataFrame | None, complete: int) -> DataFrame | None:
    return None if frame is None else frame.where(F.col(T) >= complete)


def _live(frame: DataFrame, columns: tuple[str, ...], complete: int) -> DataFrame:
    alive = frame.where(F.col(T) >= complete)
    return alive.groupBy(*cols(columns), T).agg(F.sum(W).alias(W)).where(F.col(W) != 0)


def _tagged(frame: DataFrame | None, old: bool) -> DataFrame | None:
    """Weights as old and new ones: what was known counts in both."""
    if frame is None:
        return None
    known = F.col(W) if old else F.lit(0).cast("long")
    return frame.withColumn(_OLD, known).withColumnRenamed(W, _NEW)


def _net(frame: DataFrame, columns: tuple[str, ...]) -> DataFrame:
    return frame.groupBy(*cols(columns), T).agg(
        F.sum(_OLD).alias(_OLD), F.sum(_NEW).alias(_NEW)
    )


def _instants(net: DataFrame, before: int) -> DataFrame:
    """(_t, is_old, is_new): the instants at which the answer changes, by what was known and what is."""
    old = F.max((F.col(_OLD) != 0) & (F.col(T) <= before))
    changes = net.groupBy(T).agg(old.alias("is_old"), F.max(F.col(_NEW) != 0).alias("is_new"))
    return changes.where("is_old OR is_new")


def _pieces(net: DataFrame, columns: tuple[str, ...]) -> DataFrame:
    """(row…, _vs, _ve, old and new multiplicity) between two changes of a row."""
    order = Window.partitionBy(*cols(columns)).orderBy(T)
    upto = order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    pieces = net.select(
        *cols(columns),
        F.col(T).alias(VS),
        F.lead(T).over(order).alias(VE),
        F.sum(_OLD).over(upto).alias(_OLD),
        F.sum(_NEW).over(upto).alias(_NEW),
    )
    return pieces.where((F.col(_OLD) != 0) | (F.col(_NEW) != 0))


def _shown(pieces: DataFrame, instants: DataFrame, columns: tuple[str, ...]) -> DataFrame:
    """Every piece at each instant that it covers."""
    covered = (F.col(VS) <= F.col(T)) & ((F.col(T) < F.col(VE)) | F.col(VE).isNull())
    shown = pieces.join(F.broadcast(instants), covered)
    new = F.when(F.col("is_new"), F.greatest(F.col(_NEW), F.lit(0))).otherwise(0)
    old = F.when(F.col("is_old"), F.greatest(F.col(_OLD), F.lit(0))).otherwise(0)
    return shown.select(*cols(columns), T, (new - old).alias(W)).where(F.col(W) != 0)
