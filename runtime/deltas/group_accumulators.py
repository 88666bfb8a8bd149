"""GROUP BY by running sums: the measures of the changes, summed in order of time per group."""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from ..elements.columns import T, W, quote
from ..elements.deltas import Intervals, Points, cols, union
from ..epoch.context import Epoch
from .aggregates import Measure
from .grouping import ROWS, Grouping, frame_of_instants
from .points import to_points
from .sweep import emit_changes
from .trace import settled

LARGE_STATE: Final = 200_000
"""Rows of state from which on only the touched groups are read."""

_OLD: Final = "_old"


def running(
    e: Epoch, name: str, grouping: Grouping, rows: Intervals | Points, partial: bool
) -> Points:
    """The change of the grouped rows. `partial`: the rows hold measures, not arguments.

    State: measures per group and instant, everything before `complete` at one instant; they add up.
    """
    changes = _changes(e, name, grouping, rows, partial)
    if changes is None:
        return Points(grouping.columns, None)
    base = e.state.read(name)
    _remember(e, name, grouping, changes)
    if base is not None:
        base = _touched(e, name, grouping, base, changes)
        base = base.withColumn(T, settled(e.since)).withColumn(_OLD, F.lit(True))
    both = union(base, changes.withColumn(_OLD, F.lit(False)))
    assert both is not None
    swept = _swept(grouping, both).where(F.col(T) >= e.start)
    return Points(grouping.columns, _emitted(grouping, swept))


def _changes(
    e: Epoch, name: str, grouping: Grouping, rows: Intervals | Points, partial: bool
) -> DataFrame | None:
    """(keys…, _t, measures…) of this epoch, merged per group and instant."""
    if isinstance(rows, Points):
        weighted = rows.frame
    else:
        weighted = _ends(e, name, rows)
    parts = []
    if weighted is not None:
        value = (lambda m: m.of_partial(F.col(W))) if partial else (lambda m: m.of_rows(F.col(W)))
        merged = [m.merged(value(m)).alias(m.name) for m in grouping.measures]
        parts.append(weighted.groupBy(*cols(grouping.keys), T).agg(*merged))
    if grouping.firsts():
        parts.append(_nothing_at(e, grouping, parts))
    return union(*parts)


def _nothing_at(e: Epoch, grouping: Grouping, there: list[DataFrame]) -> DataFrame:
    """Changes without rows, at the instants at which a global group begins to exist."""
    instants = frame_of_instants(e, grouping.firsts())
    if there:
        types = {field.name: field.dataType for field in there[0].schema}
        empty = {m.name: F.lit(None).cast(types[m.name]) for m in grouping.measures}
    else:
        empty = {m.name: F.lit(0).cast("long") for m in grouping.measures if m.merge == "sum"}
    return instants.withColumns(empty)


def _ends(e: Epoch, name: str, rows: Intervals) -> DataFrame | None:
    """Every element as +w at its start and -w at its end, as far as they lie up to `now`."""
    return to_points(e, f"{name}.ends", rows).frame


def _remember(e: Epoch, name: str, grouping: Grouping, changes: DataFrame) -> None:
    def fold(frame: DataFrame) -> DataFrame:
        at = frame.withColumn(T, settled(e.complete))
        merged = [m.merged(F.col(m.name)).alias(m.name) for m in grouping.measures]
        folded = at.groupBy(*cols(grouping.keys), T).agg(*merged)
        return folded.where(_something(grouping))

    e.state.add(name, fold(changes), fold)


def _something(grouping: Grouping) -> Column:
    """Whether a folded row says anything: a group whose rows have all gone again need not be remembered."""
    condition = F.lit(False)
    for measure in grouping.measures:
        column = F.col(measure.name)
        said = column != 0 if measure.merge == "sum" else column.isNotNull()
        condition = condition | F.coalesce(said, F.lit(False))
    return condition


def _touched(
    e: Epoch, name: str, grouping: Grouping, base: DataFrame, changes: DataFrame
) -> DataFrame:
    if e.state.rows(name) <= LARGE_STATE or not grouping.keys:
        return base
    renamed = {key: f"{key}__k" for key in grouping.keys}
    keys = changes.select(*cols(grouping.keys)).distinct().withColumnsRenamed(renamed)
    same = F.lit(True)
    for key, other in renamed.items():
        same = same & F.col(quote(key)).eqNullSafe(F.col(quote(other)))
    return base.join(F.broadcast(keys), same, "left_semi")


def _swept(grouping: Grouping, both: DataFrame) -> DataFrame:
    """Measures up to each instant (`n_`, `o_`) and before it (`nb_`, `ob_`), new and old."""
    at_instant = []
    for measure in grouping.measures:
        column = F.col(measure.name)
        at_instant.append(measure.merged(column).alias("n_" + measure.name))
        at_instant.append(measure.merged(F.when(F.col(_OLD), column)).alias("o_" + measure.name))
    merged = both.groupBy(*cols(grouping.keys), T).agg(*at_instant)
    by_key = cols(grouping.keys) or [F.lit(0)]
    order = Window.partitionBy(*by_key).orderBy(T)
    upto = order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    running_columns = {}
    for side in ("n", "o"):
        for measure in grouping.measures:
            running_columns.update(_run(measure, side, upto))
    ran = merged.select(*cols(grouping.keys), T, *running_columns.values(), *_own(grouping))
    return _with_before(grouping, ran, order)


def _run(measure: Measure, side: str, upto: WindowSpec) -> dict[str, Column]:
    column = f"{side}_{measure.name}"
    total = measure.merged(F.col(quote(column)))
    if measure.merge == "sum":
        total = F.sum(F.col(quote(column)))
    return {column: total.over(upto).alias("c" + column)}


def _own(grouping: Grouping) -> list[Column]:
    """The exact measures at the instant alone: what was before is the total less these."""
    exact = [m for m in grouping.measures if m.exact]
    return [F.col(quote(f"{side}_{m.name}")) for side in ("n", "o") for m in exact]


def _with_before(grouping: Grouping, ran: DataFrame, order: WindowSpec) -> DataFrame:
    before = {}
    for side in ("n", "o"):
        for measure in grouping.measures:
            total = F.col(quote(f"c{side}_{measure.name}"))
            if measure.exact:
                value = total - F.col(quote(f"{side}_{measure.name}"))
            else:
                value = F.lag(total).over(order)
            before[f"b{side}_{measure.name}"] = value
    return ran.withColumns(before)


def _emitted(grouping: Grouping, swept: DataFrame) -> DataFrame:
    old_first, new_first = grouping.first
    at = F.col(T)

    def row(prefix: str, first: int | None, when: Column) -> Column:
        rows = F.coalesce(F.col(quote(prefix + ROWS)), F.lit(0))
        return grouping.row(prefix, grouping.exists(rows, first, when))

    rows = {
        "new": row("cn_", new_first, at),
        "new_before": row("bn_", new_first, at - 1),
        "old": row("co_", old_first, at),
        "old_before": row("bo_", old_first, at - 1),
    }
    return emit_changes(swept, grouping.keys, tuple(grouping.answers), rows)
