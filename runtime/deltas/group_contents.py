"""GROUP BY by contents: at each instant that changes a touched group, its live rows are aggregated anew.

For MIN, MAX and sums of doubles where rows leave: nothing is ever subtracted.
"""

from __future__ import annotations

from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from ..elements.columns import FOREVER, T, TICK, VE, VS, W, quote
from ..elements.deltas import Intervals, Points, Slice, cols, union
from ..epoch.context import Epoch
from .grouping import ROWS, Grouping, frame_of_instants
from .keep import kept
from .sweep import emit_changes
from .trace import add_trace, read_trace

_OLD: Final = "_old_w"
_NEW: Final = "_new_w"
_KEY: Final = "__k"


def recomputed(
    e: Epoch, name: str, grouping: Grouping, rows: Intervals | Points, partial: bool
) -> Points:
    """The change of the grouped rows. `partial`: the rows hold measures, not arguments.

    State: the rows whose end lies after `complete` (intervals: the archive, if there is one).
    """
    made = _from_points(e, name, rows) if isinstance(rows, Points) else _live(e, name, rows)
    pieces, touched = made
    instants = _instants(e, grouping, pieces, touched)
    if instants is None:
        return Points(grouping.columns, None)
    measured = _measured(grouping, pieces, instants, partial)
    return Points(grouping.columns, _emitted(e, grouping, measured))


def _live(
    e: Epoch, name: str, rows: Intervals
) -> tuple[DataFrame | None, DataFrame | None]:
    """Pieces (row…, _vs, _ve, old and new weight) that are valid from `start` on, and the rows that change."""
    rows = kept(e, f"{name}.rows", rows)
    assert rows.past is not None
    past = rows.past(Slice(ve_after=e.start - TICK))
    pieces = union(_weighted(past, F.col(W)), _weighted(rows.frame, F.lit(0).cast("long")))
    begun = rows.past(Slice(vs_after=e.before, vs_upto=e.now))
    ended = rows.past(Slice(ve_after=e.before, ve_upto=e.now))
    return pieces, union(rows.frame, begun, ended)


def _weighted(frame: DataFrame | None, old: Column) -> DataFrame | None:
    if frame is None:
        return None
    return frame.withColumn(_OLD, old).withColumnRenamed(W, _NEW)


def _from_points(
    e: Epoch, name: str, points: Points
) -> tuple[DataFrame | None, DataFrame | None]:
    trace = read_trace(e, name, points.columns)
    add_trace(e, name, points)
    if points.frame is None:
        return None, None
    old = _weighted(trace, F.col(W))
    both = union(old, _weighted(points.frame, F.lit(0).cast("long")))
    assert both is not None
    net = both.groupBy(*cols(points.columns), T).agg(
        F.sum(_OLD).alias(_OLD), F.sum(_NEW).alias(_NEW)
    )
    order = Window.partitionBy(*cols(points.columns)).orderBy(T)
    upto = order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    pieces = net.select(
        *cols(points.columns),
        F.col(T).alias(VS),
        F.coalesce(F.lead(T).over(order), F.lit(FOREVER)).alias(VE),
        F.sum(_OLD).over(upto).alias(_OLD),
        F.sum(_NEW).over(upto).alias(_NEW),
    )
    return pieces, points.frame


def _instants(
    e: Epoch, grouping: Grouping, pieces: DataFrame | None, touched: DataFrame | None
) -> DataFrame | None:
    """(keys…, _t): for every touched group the instants in [start, now] that change it, and the one before."""
    parts: list[DataFrame | None] = []
    keys = cols(grouping.keys)
    if pieces is not None and touched is not None:
        ends = F.array(F.col(VS), F.col(VE), F.lit(e.start - TICK))
        changed = pieces.select(*keys, F.explode(ends).alias(T))
        changed = changed.where((F.col(T) >= e.start - TICK) & (F.col(T) <= e.now))
        if grouping.keys:
            these = touched.select(*keys).distinct().withColumnsRenamed(_renamed(grouping))
            changed = changed.join(these, _same_keys(grouping), "left_semi")
        parts.append(changed)
    if grouping.firsts():
        firsts = [f for f in grouping.firsts() if f >= e.start] + [e.start - TICK]
        parts.append(frame_of_instants(e, firsts))
    frame = union(*parts)
    return None if frame is None else frame.distinct()


def _renamed(grouping: Grouping) -> dict[str, str]:
    return {key: key + _KEY for key in grouping.keys}


def _same_keys(grouping: Grouping) -> Column:
    pairs = [
        F.col(quote(key)).eqNullSafe(F.col(quote(other)))
        for key, other in _renamed(grouping).items()
    ]
    return reduce(lambda a, b: a & b, pairs, F.lit(True))


def _measured(
    grouping: Grouping, pieces: DataFrame | None, instants: DataFrame, partial: bool
) -> DataFrame:
    """Measures of the rows valid at each instant, new and old."""
    if pieces is None:
        nothing = {f"{s}_{m.name}": F.lit(0) for s in ("n", "o") for m in grouping.measures}
        return instants.withColumns(nothing)
    at = instants.withColumnsRenamed(_renamed(grouping))
    valid = (F.col(VS) <= F.col(T)) & (F.col(T) < F.col(VE))
    joined = at.join(pieces, valid & _same_keys(grouping), "left")
    keys = [F.col(quote(key + _KEY)).alias(key) for key in grouping.keys]
    merged = []
    for measure in grouping.measures:
        value = measure.of_partial if partial else measure.of_rows
        merged.append(measure.merged(value(F.col(_NEW))).alias("n_" + measure.name))
        merged.append(measure.merged(value(F.col(_OLD))).alias("o_" + measure.name))
    return joined.groupBy(*keys, T).agg(*merged)


def _emitted(e: Epoch, grouping: Grouping, measured: DataFrame) -> DataFrame:
    old_first, new_first = grouping.first
    at = F.col(T)
    known = at <= F.lit(e.before)

    def row(prefix: str, first: int | None) -> Column:
        rows = F.col(quote(prefix + ROWS))
        return grouping.row(prefix, grouping.exists(rows, first, at))

    rows = measured.select(
        *cols(grouping.keys),
        T,
        row("n_", new_first).alias("_n"),
        # After the parent's `now` nothing had been emitted.
        row("o_", old_first).alias("_o"),
    )
    by_key = cols(grouping.keys) or [F.lit(0)]
    order = Window.partitionBy(*by_key).orderBy(T)
    with_before = rows.select(
        "*", F.lag("_n").over(order).alias("_nb"), F.lag("_o").over(order).alias("_ob")
    ).where(at >= e.start)
    return emit_changes(
        with_before,
        grouping.keys,
        tuple(grouping.answers),
        {
            "new": F.col("_n"),
            "new_before": F.col("_nb"),
            "old": F.when(known, F.col("_o")),
            "old_before": F.when(known, F.col("_ob")),
        },
    )
