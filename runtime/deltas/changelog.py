"""A point edge as events: the k-th rise of a row is paired with its k-th fall (DESIGN section 1, normal form)."""

from __future__ import annotations

from functools import reduce
from typing import Final

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from ..elements.columns import FOREVER, T, VE, VS, W, quote
from ..elements.deltas import Points, cols, union
from ..epoch.context import Epoch

_RANK: Final = "_rank"
_SIGN: Final = "_sign"
_TOUCHED: Final = "__k"


def events(e: Epoch, name: str, points: Points) -> DataFrame | None:
    """The change of the events (row…, _vs, _ve, _w): an open event has `_ve` FOREVER; closing one withdraws it and
    puts the closed one out.

    State: the events put out that are open, or end at or after `complete`.
    """
    columns = points.columns
    if points.frame is None:
        return None
    known = e.state.read(name)
    if known is not None:
        known = _standing(known, columns, e.since)
        known = _of_touched_rows(known, points)
    changes = union(_ends_of(known, columns), points.frame.select(*cols(columns), T, W))
    assert changes is not None
    now = _paired(changes, columns)
    before = None if known is None else known.withColumn(W, -F.col(W))
    difference = union(now, before)
    assert difference is not None
    changed = e.share(_net(difference, columns))
    e.state.add(name, changed, lambda f: _standing(f, columns, e.complete))
    return changed


def _of_touched_rows(known: DataFrame, points: Points) -> DataFrame:
    """Events of the rows that change now; the others keep theirs."""
    assert points.frame is not None
    renamed = {column: column + _TOUCHED for column in points.columns}
    rows = points.frame.select(*cols(points.columns)).distinct().withColumnsRenamed(renamed)
    pairs = [F.col(quote(a)).eqNullSafe(F.col(quote(b))) for a, b in renamed.items()]
    return known.join(rows, reduce(lambda a, b: a & b, pairs, F.lit(True)), "left_semi")


def _net(frame: DataFrame, columns: tuple[str, ...]) -> DataFrame:
    keys = [*cols(columns), F.col(VS), F.col(VE)]
    return frame.groupBy(*keys).agg(F.sum(W).alias(W)).where(F.col(W) != 0)


def _standing(frame: DataFrame, columns: tuple[str, ...], complete: int) -> DataFrame:
    return _net(frame.where(F.col(VE) >= complete), columns)


def _ends_of(frame: DataFrame | None, columns: tuple[str, ...]) -> DataFrame | None:
    if frame is None:
        return None
    ends = F.array(
        F.struct(F.col(VS).alias(T), F.col(W).alias(W)),
        F.struct(F.col(VE).alias(T), (-F.col(W)).alias(W)),
    )
    return frame.select(*cols(columns), F.inline(ends)).where(F.col(T) < FOREVER)


def _paired(changes: DataFrame, columns: tuple[str, ...]) -> DataFrame:
    """Net changes as events: every unit of rise and of fall gets its rank, equal ranks are one event."""
    net = changes.groupBy(*cols(columns), T).agg(F.sum(W).alias(W)).where(F.col(W) != 0)
    sign = F.signum(F.col(W).cast("double")).cast("int")
    units = F.explode(F.sequence(F.lit(1).cast("long"), F.abs(F.col(W)))).alias("_unit")
    each = net.select(*cols(columns), T, sign.alias(_SIGN), units)
    order = Window.partitionBy(*cols(columns), _SIGN).orderBy(T)
    ranked = each.withColumn(_RANK, F.row_number().over(order))
    paired = ranked.groupBy(*cols(columns), _RANK).agg(
        F.min(F.when(F.col(_SIGN) > 0, F.col(T))).alias(VS),
        F.min(F.when(F.col(_SIGN) < 0, F.col(T))).alias(VE),
    )
    end = F.coalesce(F.col(VE), F.lit(FOREVER))
    one = F.lit(1).cast("long").alias(W)
    return paired.select(*cols(columns), VS, end.alias(VE), one)
