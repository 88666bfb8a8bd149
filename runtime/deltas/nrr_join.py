"""Joins with non-retroactive relations (UPA 4.1): the delta against the version that the epoch pinned."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Final, TypeVar

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from ..connect.declarations import Nrr
from ..elements.columns import T, VE, VS, W, quote
from ..elements.deltas import Intervals, Points, cols
from ..epoch.context import Epoch

Delta = TypeVar("Delta", Intervals, Points)

_SINCE: Final = "_since"
_UNTIL: Final = "_until"


def nrr_join(
    e: Epoch,
    name: str,
    delta: Delta,
    relation: str,
    columns: Mapping[str, str],
    equal: list[tuple[str, str]] | None = None,
    condition: str | None = None,
    at: str | None = None,
) -> Delta:
    """Rows with the relation's rows that they met; the pair never changes, so the stream side keeps no state.

    columns: output name -> column of the relation. Where the relation has VERSION BY, the newest version per
    key with `since` up to `at` (SQL; default: the row's own instant). The past is not carried on: it met other
    versions. Form and pattern stay (UPA 5.2, rule 1).
    """
    nrr = e.relations[relation]
    rows = _versions(nrr, e.relation(relation)) if nrr.version_by else e.relation(relation)
    kept = [F.col(quote(of)).alias(new) for new, of in columns.items()]
    engine = [_SINCE, _UNTIL] if nrr.version_by else []
    side = F.broadcast(rows.select(*kept, *engine))
    instant = VS if isinstance(delta, Intervals) else T
    match = _match(equal or [], condition)
    if nrr.version_by:
        when = _order_value(F.expr(at), delta.frame, at) if at else F.col(instant)
        match = match & (F.col(_SINCE) <= when) & (when < F.col(_UNTIL))
    names = (*delta.columns, *columns)
    joined = None
    if delta.frame is not None:
        rest = [VS, VE, W] if isinstance(delta, Intervals) else [T, W]
        joined = delta.frame.join(side, match).select(*cols(names), *rest)
    if isinstance(delta, Intervals):
        return Intervals(names, joined, None, delta.ends, delta.ahead)
    return Points(names, joined)


def _match(equal: list[tuple[str, str]], condition: str | None) -> Column:
    parts = [F.col(quote(a)) == F.col(quote(b)) for a, b in equal]
    parts += [F.expr(condition)] if condition else []
    return reduce(lambda a, b: a & b, parts, F.lit(True))


def _versions(nrr: Nrr, rows: DataFrame) -> DataFrame:
    """Every row with the stretch `[_since, _until)` in which it is its key's newest version.

    Rows of one key and instant: the greatest by all columns holds, so that the choice is the same everywhere.
    """
    assert nrr.version_by is not None
    since = rows.withColumn(_SINCE, _instant(rows, nrr.version_by)).where(F.col(_SINCE).isNotNull())
    by_key = Window.partitionBy(*(cols(list(nrr.key)) or [F.lit(0)]))
    order = by_key.orderBy(_SINCE, *cols([field for field in rows.columns]))
    until = F.coalesce(F.lead(_SINCE).over(order), F.lit(2**63 - 1))
    return since.withColumn(_UNTIL, until).where(F.col(_SINCE) < F.col(_UNTIL))


def _instant(frame: DataFrame, column: str) -> Column:
    return _as_instant(F.col(quote(column)), frame.schema[column].dataType.typeName())


def _order_value(expression: Column, frame: DataFrame | None, sql: str) -> Column:
    if frame is None:
        return expression
    return _as_instant(expression, frame.select(F.expr(sql)).schema[0].dataType.typeName())


def _as_instant(column: Column, type_name: str) -> Column:
    if type_name in ("timestamp", "timestamp_ntz", "date"):
        return F.unix_micros(column.cast("timestamp"))
    return column.cast("long")
