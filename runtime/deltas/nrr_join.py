"""Joins with non-retroactive relations (UPA 4.1): the delta against the version that the epoch
pinned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ..elements.columns import FOREVER, big, listed, quote
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Points
from .met import with_withdrawn

Delta = TypeVar("Delta", Intervals, Points)

_SINCE: Final = "_since"
_UNTIL: Final = "_until"


def nrr_join(
    e: Epoch,
    name: str,
    delta: Delta,
    relation: str,
    columns: Mapping[str, str],
    equal: Sequence[tuple[str, str]] = (),
    condition: str | None = None,
    at: str | None = None,
    outer: bool = False,
    corrected: bool = False,
) -> Delta:
    """Rows with the relation's rows that they met; the pair never changes, so the stream side keeps
    no state, unless its rows may be `corrected`: then the delta is in interval form, with `_pos`.

    columns: output name -> column of the relation. Where the relation has VERSION BY, the newest
    version per key with `since` up to `at` (SQL; default: the row's own instant). `outer`: a row
    that meets none has NULLs. The past is not carried on: it met other versions. Form and pattern
    stay (UPA 5.2).
    """
    names = (*delta.columns, *columns)

    def met(frame: DataFrame) -> DataFrame:
        how = "left" if outer else "inner"
        return _joined(e, delta, frame, relation, columns, equal, condition, at, how)

    if corrected:
        assert isinstance(delta, Intervals) and delta.ordered
        joined = with_withdrawn(e, name, delta.frame, names, met)
    else:
        joined = None if delta.frame is None else met(delta.frame)
    if isinstance(delta, Intervals):
        return replace(delta, columns=names, frame=joined, past=None, dear=True)
    return Points(names, joined, ordered=delta.ordered)


def _joined(
    e: Epoch,
    delta: Intervals | Points,
    frame: DataFrame,
    relation: str,
    columns: Mapping[str, str],
    equal: Sequence[tuple[str, str]],
    condition: str | None,
    at: str | None,
    how: str,
) -> DataFrame:
    rows, version_by, key = e.relation(relation)
    engine = delta.engine
    kept = [f"{quote(of)} AS {quote(new)}" for new, of in columns.items()]
    parts = [f"{quote(a)} = {quote(b)}" for a, b in equal]
    parts += [f"({condition})"] if condition else []
    if version_by is not None:
        rows = e.sql(_versions(e.view(rows), _instant(rows, quote(version_by)), key, rows.columns))
        kept += [_SINCE, _UNTIL]
        when = _instant(frame, at) if at else engine[0]
        parts += [f"{_SINCE} <= {when}", f"{when} < {_UNTIL}"]
    side = F.broadcast(rows.selectExpr(*kept))
    pairs = frame.join(side, F.expr(" AND ".join(parts) or "TRUE"), how)
    return pairs.selectExpr(*[quote(c) for c in (*delta.columns, *columns)], *engine)


def _versions(rows: str, since: str, key: list[str], columns: list[str]) -> str:
    """Every row with the stretch `[_since, _until)` in which it is its key's newest version.

    Rows of one key and instant: the greatest by all columns holds, so that the choice is the same
    everywhere.
    """
    dated = f"SELECT *, {since} AS {_SINCE} FROM {rows} WHERE {since} IS NOT NULL"
    window = f"PARTITION BY {listed(key) or '0'} ORDER BY {_SINCE}, {listed(columns)}"
    until = f"coalesce(lead({_SINCE}) OVER ({window}), {big(FOREVER)})"
    return f"SELECT * FROM (SELECT *, {until} AS {_UNTIL} FROM ({dated})) WHERE {_SINCE} < {_UNTIL}"


def _instant(frame: DataFrame, sql: str) -> str:
    """An expression as an order value: microseconds for timestamps and dates."""
    kind = frame.selectExpr(f"{sql} AS x").dtypes[0][1]
    if kind.startswith(("timestamp", "date")):
        return f"unix_micros(CAST({sql} AS TIMESTAMP))"
    return f"CAST({sql} AS BIGINT)"
