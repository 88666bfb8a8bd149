"""GROUP BY by contents: at each instant that changes a touched group, its live rows are aggregated
anew.

For MIN, MAX, percentiles and all else that cannot be subtracted, where rows leave.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import FOREVER, TICK, VE, VS, T, W, big, listed, quote, same
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Points, Slice, union
from .grouping import ROWS, Grouping, instants
from .keep import kept
from .once import shared
from .sweep import NEW, NEW_BEFORE, OLD, OLD_BEFORE, emitted
from .trace import add_trace, read_trace

_OLD_W: Final = "_old_w"
_NEW_W: Final = "_new_w"


def recomputed(
    e: Epoch, name: str, grouping: Grouping, rows: Intervals | Points, partial: bool
) -> Points:
    """The change of the grouped rows. `partial`: the rows hold measures, not arguments.

    State: the rows whose end lies after `complete` (intervals: the archive, if there is one).
    """
    if isinstance(rows, Points):
        pieces, touched = _from_points(e, name, rows)
    else:
        pieces, touched = _live(e, name, rows)
    changing = _instants(e, grouping, pieces, touched)
    if changing is None:
        return Points(grouping.columns, None, grouping.keys)
    measured = _measured(e, grouping, pieces, changing, partial)
    source = _rows(e, grouping, measured)
    frame = e.sql(emitted(source, grouping.keys, list(grouping.answers)))
    return Points(grouping.columns, frame, grouping.keys)


def _live(e: Epoch, name: str, rows: Intervals) -> tuple[DataFrame | None, DataFrame | None]:
    """Pieces (row…, _vs, _ve, old and new weight) that are valid from `start` on, and the rows that
    change.
    """
    rows = kept(e, f"{name}.rows", rows)
    assert rows.past is not None
    past = rows.past(Slice(ve_after=e.start - TICK))
    pieces = union(_weighted(past, rows.columns, W), _weighted(rows.frame, rows.columns, "0L"))
    begun = rows.past(Slice(vs_after=e.before, vs_upto=e.now)) if rows.ahead else None
    ended = rows.past(Slice(ve_after=e.before, ve_upto=e.now)) if rows.ends else None
    return pieces, union(rows.frame, begun, ended)


def _weighted(frame: DataFrame | None, columns: tuple[str, ...], old: str) -> DataFrame | None:
    if frame is None:
        return None
    names = [quote(column) for column in columns]
    return frame.selectExpr(*names, VS, VE, f"{old} AS {_OLD_W}", f"{W} AS {_NEW_W}")


def _from_points(e: Epoch, name: str, points: Points) -> tuple[DataFrame | None, DataFrame | None]:
    points = shared(e, points.unordered())
    trace = read_trace(e, name, points.columns)
    add_trace(e, name, points)
    if points.frame is None:
        return None, None
    names = [quote(column) for column in points.columns]
    new = points.frame.selectExpr(*names, T, f"0L AS {_OLD_W}", f"{W} AS {_NEW_W}")
    old = None
    if trace is not None:
        old = trace.selectExpr(*names, T, f"{W} AS {_OLD_W}", f"{W} AS {_NEW_W}")
    both = union(old, new)
    assert both is not None
    return e.sql(_pieces(points.columns, e.view(both))), points.frame


def _pieces(columns: tuple[str, ...], both: str) -> str:
    """From changes to pieces of constant multiplicity."""
    at = listed(columns, T)
    window = f"PARTITION BY {listed(columns) or '0'} ORDER BY {T}"
    upto = f"{window} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    sums = ", ".join(f"SUM({w}) AS {w}" for w in (_OLD_W, _NEW_W))
    totals = ", ".join(f"SUM({w}) OVER ({upto}) AS {w}" for w in (_OLD_W, _NEW_W))
    end = f"coalesce(lead({T}) OVER ({window}), {big(FOREVER)})"
    merged = f"SELECT {at}, {sums} FROM {both} GROUP BY {at}"
    return f"SELECT {listed(columns, f'{T} AS {VS}', f'{end} AS {VE}', totals)} FROM ({merged})"


def _instants(
    e: Epoch, grouping: Grouping, pieces: DataFrame | None, touched: DataFrame | None
) -> DataFrame | None:
    """(keys…, _t): for every touched group the instants in [start, now] that change it, and the one
    before.
    """
    changed = None
    before = e.start - TICK
    if pieces is not None and touched is not None:
        ends = f"explode(array({VS}, {VE}, {big(before)})) AS {T}"
        text = f"SELECT {grouping.by(ends)} FROM {e.view(pieces)}"
        text = f"SELECT * FROM ({text}) WHERE {T} BETWEEN {big(before)} AND {big(e.now)}"
        if grouping.keys:
            match = same((f"i.{quote(key)}", f"c.{quote(key)}") for key in grouping.keys)
            text = f"SELECT i.* FROM ({text}) i LEFT SEMI JOIN {e.view(touched)} c ON {match}"
        changed = e.sql(text)
    begun = [first for first in grouping.beginnings() if first >= e.start]
    # The row of an empty group stands between its beginning and the first change.
    if grouping.firsts() or (changed is not None and begun):
        changed = union(changed, instants(e, [*begun, before]))
    return None if changed is None else changed.distinct()


def _measured(
    e: Epoch, grouping: Grouping, pieces: DataFrame | None, at: DataFrame, partial: bool
) -> str:
    """Measures of the rows valid at each instant, new (`n`) and old (`o`), as SQL."""
    new = grouping.merged_rows(partial, _NEW_W, "n")
    old = grouping.merged_rows(partial, _OLD_W, "o")
    if pieces is None:
        nothing = ", ".join(
            f"{m.nothing()} AS {quote(s + m.name)}" for s in ("n", "o") for m in grouping.measures
        )
        return f"SELECT {T}, {nothing} FROM {e.view(at)}"
    valid = f"p.{VS} <= i.{T} AND i.{T} < p.{VE}"
    match = same((f"i.{quote(key)}", f"p.{quote(key)}") for key in grouping.keys)
    keys = ", ".join([*[f"i.{quote(key)}" for key in grouping.keys], f"i.{T}"])
    joined = f"{e.view(at)} i LEFT JOIN {e.view(pieces)} p ON {match} AND {valid}"
    return f"SELECT {keys}, {new}, {old} FROM {joined} GROUP BY {keys}"


def _rows(e: Epoch, grouping: Grouping, measured: str) -> str:
    """The rows at each instant and before it; after the parent's `now` nothing had been emitted."""
    old_first, new_first = grouping.first
    window = f"PARTITION BY {grouping.partition} ORDER BY {T}"

    def row(prefix: str, first: int | None) -> str:
        return grouping.row(prefix, grouping.exists(quote(prefix + ROWS), first, T))

    rows = f"{row('n', new_first)} AS {NEW}, {row('o', old_first)} AS _known"
    at = f"SELECT {grouping.by(T)}, {rows} FROM ({measured})"
    before = f"lag({NEW}) OVER ({window}) AS {NEW_BEFORE}, lag(_known) OVER ({window}) AS _earlier"
    both = f"SELECT *, {before} FROM ({at})"
    known = f"{T} <= {big(e.before)}"
    old = f"CASE WHEN {known} THEN _known END AS {OLD}"
    old_before = f"CASE WHEN {known} THEN _earlier END AS {OLD_BEFORE}"
    columns = grouping.by(T, NEW, NEW_BEFORE, old, old_before)
    return f"SELECT {columns} FROM ({both}) WHERE {T} >= {big(e.start)}"
