"""Traces: the changes of a point edge, folded up to `complete` and summed per row."""

from __future__ import annotations

from pyspark.sql import DataFrame

from ..elements.columns import T, W, big, quote
from ..elements.context import Epoch
from ..elements.deltas import Points, consolidate


def settled(complete: int) -> str:
    """The instant of a change, or the last settled instant if it lies further back: both give the
    same answers.
    """
    return f"greatest({T}, {big(complete - 1)})"


def read_trace(e: Epoch, name: str, columns: tuple[str, ...]) -> DataFrame | None:
    """All earlier changes (row…, _t, _w), summed, those before the parent's `complete` at one
    instant.
    """
    frame = e.state.read(name)
    return None if frame is None else _folded(frame, columns, e.since)


def add_trace(e: Epoch, name: str, points: Points) -> None:
    """Keep this epoch's changes."""

    def fold(frame: DataFrame) -> DataFrame:
        return _folded(frame, points.columns, e.complete)

    e.state.add(name, points.frame, fold, raw=True)


def _folded(frame: DataFrame, columns: tuple[str, ...], complete: int) -> DataFrame:
    names = [quote(column) for column in columns]
    at = frame.selectExpr(*names, f"{settled(complete)} AS {T}", W)
    return consolidate(at, columns, T)
