"""A point edge as events: the k-th rise of a row is paired with its k-th fall (DESIGN section 1,
normal form).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import FOREVER, VE, VS, T, W, big, listed, quote
from ..elements.context import Epoch
from ..elements.deltas import Points, consolidate, union
from .once import shared

_OLD: Final = "_old_w"
_NEW: Final = "_new_w"
_SIDE: Final = "_side"
_RISE: Final = "_rise"
_RANK: Final = "_rank"
_TOUCHED: Final = "_touched"
_STANDING: Final = "_standing"


def events(e: Epoch, name: str, points: Points) -> DataFrame | None:
    """The change of the events (row…, _vs, _ve, _w): an open event has `_ve` FOREVER; closing one
    withdraws it and puts the closed one out.

    State: the events put out that are open, or end at or after `complete`.
    """
    columns = points.columns
    if points.frame is None:
        return None
    names = [quote(column) for column in columns]
    changes = points.frame.selectExpr(
        *names, T, f"0L AS {_OLD}", f"{W} AS {_NEW}", f"1 AS {_TOUCHED}"
    )
    known = e.state.read(name)
    if known is not None:
        changes = union(_ends(known.where(f"{VE} >= {big(e.since)}"), names), changes) or changes
    # Rows of one key lie together: one shuffle serves everything below.
    together = points.key if points.key else columns
    whole = e.state.is_small(name)
    text = _difference(columns, together, e.view(e.spread(changes, together)), whole)
    frame = e.share(e.sql(text))
    live = f"{VE} >= {big(e.complete)}"
    changed = frame.where(f"{W} <> 0").drop(_STANDING)
    if whole:
        standing = frame.where(f"{_STANDING} <> 0 AND {live}")
        e.state.replace(name, standing.drop(W).withColumnRenamed(_STANDING, W))
    else:
        e.state.add(name, changed, lambda all_: consolidate(all_.where(live), columns, VS, VE))
    return changed


def pieces(e: Epoch, points: Points) -> DataFrame | None:
    """What is corrected before `since`, of which the events are not known any more: pieces (row…,
    _vs, _ve, _w) that end there at the latest, with a weight below 0 where a row does not hold.
    """
    if points.frame is None:
        return None
    names, changes = listed(points.columns), e.view(consolidate(points.frame, points.columns, T))
    by = f"OVER (PARTITION BY {names} ORDER BY {T})"
    weight, end = f"SUM({W}) {by} AS {W}", f"lead({T}, 1, {big(e.since)}) {by} AS {VE}"
    return e.sql(
        f"SELECT * FROM (SELECT {names}, {T} AS {VS}, {end}, {weight} FROM {changes})"
        f" WHERE {W} <> 0"
    )


def settled_apart(e: Epoch, points: Points) -> tuple[Points, Points | None]:
    """What changes from `since` on, by changes before it too; and the changes before it, left open
    there, as a replay tells them: for `pieces`.
    """
    if points.frame is None:
        return points, None
    points = shared(e, points)
    assert points.frame is not None
    names = [quote(column) for column in points.columns]
    since = big(e.since)
    later = points.frame.selectExpr(*names, f"greatest({T}, {since}) AS {T}", W)
    earlier = points.frame.where(f"{T} < {since}")
    return replace(points, frame=later), Points(points.columns, earlier)


def _ends(known: DataFrame, names: list[str]) -> DataFrame:
    """The known events as changes that count both as old and as new."""
    start = f"named_struct('{T}', {VS}, '{_OLD}', {W}, '{_NEW}', {W})"
    end = f"named_struct('{T}', {VE}, '{_OLD}', -{W}, '{_NEW}', -{W})"
    ends = known.selectExpr(*names, f"inline(array({start}, {end}))")
    return ends.selectExpr("*", f"0 AS {_TOUCHED}").where(f"{T} < {big(FOREVER)}")


def _difference(
    columns: tuple[str, ...], together: tuple[str, ...], changes: str, whole: bool
) -> str:
    """Events by all that is known now, less those by what was known before (`_w`), and how often
    each stands now (`_standing`): of all keys if `whole`, else of those that change.
    """
    at = listed(columns, T)
    sums = ", ".join(f"SUM({w}) AS {w}" for w in (_OLD, _NEW))
    net = f"SELECT {at}, {sums} FROM {changes} GROUP BY {at}"
    if not whole:
        by_key = f"PARTITION BY {listed(together) or '0'}"
        touched = f"max(max({_TOUCHED})) OVER ({by_key}) AS {_TOUCHED}"
        net = f"SELECT {at}, {sums}, {touched} FROM {changes} GROUP BY {at}"
        net = f"SELECT * FROM ({net}) WHERE {_TOUCHED} = 1"
    by = listed(columns, _SIDE, _RANK)
    rise, fall = f"min({T}) FILTER (WHERE {_RISE})", f"min({T}) FILTER (WHERE NOT {_RISE})"
    ends = f"{rise} AS {VS}, coalesce({fall}, {big(FOREVER)}) AS {VE}, {_SIDE}"
    paired = f"SELECT {listed(columns, ends)} FROM ({_ranked(columns, net)}) GROUP BY {by}"
    event = listed(columns, VS, VE)
    standing = f"SUM(greatest({_SIDE}, 0L)) AS {_STANDING}"
    return f"SELECT {event}, SUM({_SIDE}) AS {W}, {standing} FROM ({paired}) GROUP BY {event}"


def _ranked(columns: tuple[str, ...], net: str) -> str:
    """Every unit of rise and of fall, old (side -1) and new (side 1), numbered in order of time."""
    sides = ", ".join(
        f"named_struct('{_SIDE}', {side}L, '{_RISE}', {w} > 0, '_n', abs({w}))"
        for side, w in ((-1, _OLD), (1, _NEW))
    )
    split = f"SELECT {listed(columns, T, f'inline(array({sides}))')} FROM ({net})"
    units = f"SELECT *, explode(sequence(1L, _n)) AS _unit FROM ({split}) WHERE _n > 0"
    window = f"PARTITION BY {listed(columns, _SIDE, _RISE)} ORDER BY {T}"
    return f"SELECT *, row_number() OVER ({window}) AS {_RANK} FROM ({units})"
