"""A point edge as events: the k-th rise of a row is paired with its k-th fall (DESIGN section 1, normal form)."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import FOREVER, T, VE, VS, W, big, listed, quote, same
from ..elements.context import Epoch
from ..elements.deltas import Points, consolidate, union
from .points import both_ends

_RANK: Final = "_rank"
_SIGN: Final = "_sign"


def events(e: Epoch, name: str, points: Points) -> DataFrame | None:
    """The change of the events (row…, _vs, _ve, _w): an open event has `_ve` FOREVER; closing one withdraws it and
    puts the closed one out.

    State: the events put out that are open, or end at or after `complete`.
    """
    columns = points.columns
    if points.frame is None:
        return None
    net = consolidate(points.frame, columns, T)
    known = e.state.read(name)
    if known is not None:
        standing = _standing(known, columns, e.since)
        match = same((f"k.{quote(column)}", f"n.{quote(column)}") for column in columns)
        known = e.sql(
            f"SELECT k.* FROM {e.view(standing)} k LEFT SEMI JOIN {e.view(net)} n ON {match}"
        )
    changed = e.share(_difference(e, columns, net, known))
    e.state.add(name, changed, lambda frame: _standing(frame, columns, e.complete))
    return changed


def _difference(
    e: Epoch, columns: tuple[str, ...], net: DataFrame, known: DataFrame | None
) -> DataFrame:
    names = [quote(column) for column in columns]
    ends = None if known is None else both_ends(known, names).where(f"{T} < {big(FOREVER)}")
    changes = union(net, ends)
    assert changes is not None
    now = e.sql(_paired(columns, e.view(changes)))
    before = None if known is None else known.selectExpr(*names, VS, VE, f"-{W} AS {W}")
    both = union(now, before)
    assert both is not None
    return consolidate(both, columns, VS, VE)


def _standing(frame: DataFrame, columns: tuple[str, ...], complete: int) -> DataFrame:
    return consolidate(frame.where(f"{VE} >= {big(complete)}"), columns, VS, VE)


def _paired(columns: tuple[str, ...], changes: str) -> str:
    """Net changes as events: every unit of rise and of fall gets its rank, equal ranks are one event."""
    at = listed(columns, T)
    net = f"SELECT {at}, SUM({W}) AS {W} FROM {changes} GROUP BY {at}"
    units = (
        f"SELECT {at}, {W} > 0 AS {_SIGN}, explode(sequence(1L, abs({W}))) AS _unit"
        f" FROM ({net}) WHERE {W} <> 0"
    )
    window = f"PARTITION BY {listed(columns, _SIGN)} ORDER BY {T}"
    ranked = f"SELECT {at}, {_SIGN}, row_number() OVER ({window}) AS {_RANK} FROM ({units})"
    rise, fall = f"min({T}) FILTER (WHERE {_SIGN})", f"min({T}) FILTER (WHERE NOT {_SIGN})"
    ends = f"{rise} AS {VS}, coalesce({fall}, {big(FOREVER)}) AS {VE}"
    by = listed(columns, _RANK)
    paired = f"SELECT {listed(columns, ends)} FROM ({ranked}) GROUP BY {by}"
    return f"SELECT *, 1L AS {W} FROM ({paired})"
