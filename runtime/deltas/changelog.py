"""A point edge as events: the k-th rise of a row is paired with its k-th fall (DESIGN section 1,
normal form).
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import FOREVER, VE, VS, T, W, big, listed, quote
from ..elements.context import Epoch
from ..elements.deltas import Points, consolidate, spread, union

_OLD: Final = "_old_w"
_NEW: Final = "_new_w"
_SIDE: Final = "_side"
_RISE: Final = "_rise"
_RANK: Final = "_rank"
_TOUCHED: Final = "_touched"


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
    frame = e.share(e.sql(_difference(columns, together, e.view(spread(changes, together)))))
    e.state.add(name, frame, lambda merged: _standing(merged, columns, e.complete))
    return frame


def _standing(frame: DataFrame, columns: tuple[str, ...], complete: int) -> DataFrame:
    return consolidate(frame.where(f"{VE} >= {big(complete)}"), columns, VS, VE)


def _ends(known: DataFrame, names: list[str]) -> DataFrame:
    """The known events as changes that count both as old and as new."""
    start = f"named_struct('{T}', {VS}, '{_OLD}', {W}, '{_NEW}', {W})"
    end = f"named_struct('{T}', {VE}, '{_OLD}', -{W}, '{_NEW}', -{W})"
    ends = known.selectExpr(*names, f"inline(array({start}, {end}))")
    return ends.selectExpr("*", f"0 AS {_TOUCHED}").where(f"{T} < {big(FOREVER)}")


def _difference(columns: tuple[str, ...], together: tuple[str, ...], changes: str) -> str:
    """Events by all that is known now, less those by what was known before."""
    at = listed(columns, T)
    sums = ", ".join(f"SUM({w}) AS {w}" for w in (_OLD, _NEW))
    touched = f"max(max({_TOUCHED})) OVER (PARTITION BY {listed(together) or '0'}) AS {_TOUCHED}"
    net = f"SELECT {at}, {sums}, {touched} FROM {changes} GROUP BY {at}"
    by = listed(columns, _SIDE, _RANK)
    rise, fall = f"min({T}) FILTER (WHERE {_RISE})", f"min({T}) FILTER (WHERE NOT {_RISE})"
    ends = f"{rise} AS {VS}, coalesce({fall}, {big(FOREVER)}) AS {VE}, {_SIDE}"
    paired = f"SELECT {listed(columns, ends)} FROM ({_ranked(columns, net)}) GROUP BY {by}"
    event = listed(columns, VS, VE)
    summed = f"SELECT {event}, SUM({_SIDE}) AS {W} FROM ({paired}) GROUP BY {event}"
    return f"SELECT * FROM ({summed}) WHERE {W} <> 0"


def _ranked(columns: tuple[str, ...], net: str) -> str:
    """Every unit of rise and of fall, old (side -1) and new (side 1), numbered in order of time."""
    sides = ", ".join(
        f"named_struct('{_SIDE}', {side}L, '{_RISE}', {w} > 0, '_n', abs({w}))"
        for side, w in ((-1, _OLD), (1, _NEW))
    )
    split = (
        f"SELECT {listed(columns, T, f'inline(array({sides}))')} FROM ({net}) WHERE {_TOUCHED} = 1"
    )
    units = f"SELECT *, explode(sequence(1L, _n)) AS _unit FROM ({split}) WHERE _n > 0"
    window = f"PARTITION BY {listed(columns, _SIDE, _RISE)} ORDER BY {T}"
    return f"SELECT *, row_number() OVER ({window}) AS {_RANK} FROM ({units})"
