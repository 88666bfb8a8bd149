"""EXCEPT and INTERSECT: the copies of a row on each side decide how many are put out."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import T, W, big, listed, quote
from ..elements.context import Epoch
from ..elements.deltas import Points, union
from .touched import of_touched
from .trace import settled

_LEFT: Final = "_left"
_RIGHT: Final = "_right"
_KNOWN: Final = "_known"
_SIDES: Final = (_LEFT, _RIGHT)


def except_all(e: Epoch, name: str, left: Points, right: Points) -> Points:
    """max(l - r, 0) copies of a row with l on the left and r on the right (UPA, Equation 1)."""
    return _compared(e, name, left, right, "greatest({l} - {r}, 0L)")


def except_(e: Epoch, name: str, left: Points, right: Points) -> Points:
    """A row once while it is on the left and not on the right."""
    return _compared(e, name, left, right, "CASE WHEN {l} > 0 AND {r} <= 0 THEN 1L ELSE 0L END")


def intersect_all(e: Epoch, name: str, left: Points, right: Points) -> Points:
    """min(l, r) copies of a row."""
    return _compared(e, name, left, right, "greatest(least({l}, {r}), 0L)")


def intersect(e: Epoch, name: str, left: Points, right: Points) -> Points:
    """A row once while it is on both sides."""
    return _compared(e, name, left, right, "CASE WHEN {l} > 0 AND {r} > 0 THEN 1L ELSE 0L END")


def _compared(e: Epoch, name: str, left: Points, right: Points, copies: str) -> Points:
    """The change of the answer, by position, under the left's names; NULLs are equal. STR.

    `copies`: SQL for the copies put out, over {l} and {r}. State: both sides' changes of the
    number of copies per row, all before `complete` at one instant.
    """
    columns = left.columns
    changes = _changes(e, left, right)
    if changes is None:
        return Points(columns, None)
    known = e.state.read(name)
    _remember(e, name, columns, changes)
    if known is not None:
        known = of_touched(e, name, known, columns, changes)
        at = [quote(column) for column in columns]
        known = known.selectExpr(*at, f"{settled(e.since)} AS {T}", *_SIDES, f"TRUE AS {_KNOWN}")
    both = union(known, changes.selectExpr("*", f"FALSE AS {_KNOWN}"))
    assert both is not None
    frame = e.sql(_difference(e.view(e.spread(both, columns)), columns, copies, e.start))
    return Points(columns, frame, columns if "1L" in copies else None)


def _changes(e: Epoch, left: Points, right: Points) -> DataFrame | None:
    """(row…, _t, _left, _right): this epoch's changes of the number of copies."""
    names = [quote(column) for column in left.columns]
    theirs = zip(right.columns, names, strict=True)
    renamed = [f"{quote(column)} AS {name}" for column, name in theirs]
    mine, other = left.frame, right.frame
    changes = union(
        None if mine is None else mine.selectExpr(*names, T, f"{W} AS {_LEFT}", f"0L AS {_RIGHT}"),
        None
        if other is None
        else other.selectExpr(*renamed, T, f"0L AS {_LEFT}", f"{W} AS {_RIGHT}"),
    )
    return None if changes is None else e.share(changes)


def _remember(e: Epoch, name: str, columns: tuple[str, ...], changes: DataFrame) -> None:
    def fold(frame: DataFrame) -> DataFrame:
        at = settled(e.complete)
        sums = ", ".join(f"SUM({side}) AS {side}" for side in _SIDES)
        said = " OR ".join(f"SUM({side}) <> 0" for side in _SIDES)
        return e.sql(
            f"SELECT {listed(columns, f'{at} AS {T}')}, {sums} FROM {e.view(frame)}"
            f" GROUP BY {listed(columns, at)} HAVING {said}"
        )

    e.state.add(name, changes, fold, raw=True)


def _difference(both: str, columns: tuple[str, ...], copies: str, start: int) -> str:
    """New minus old of the change of the copies at each instant."""
    at = listed(columns, T)
    own = ", ".join(
        f"SUM({side}) AS n{side}, coalesce(SUM({side}) FILTER (WHERE {_KNOWN}), 0L) AS o{side}"
        for side in _SIDES
    )
    net = f"SELECT {at}, {own} FROM {both} GROUP BY {at}"
    window = f"PARTITION BY {listed(columns)} ORDER BY {T} ROWS UNBOUNDED PRECEDING"
    sums = ", ".join(
        f"SUM({age}{side}) OVER ({window}) AS c{age}{side}" for age in "no" for side in _SIDES
    )
    summed = f"SELECT *, {sums} FROM ({net})"

    def change(age: str) -> str:
        left, right = (f"c{age}{side}" for side in _SIDES)
        now = copies.format(l=left, r=right)
        before = copies.format(l=f"({left} - {age}{_LEFT})", r=f"({right} - {age}{_RIGHT})")
        return f"({now}) - ({before})"

    weighed = (
        f"SELECT {at}, {change('n')} - ({change('o')}) AS {W} FROM ({summed})"
        f" WHERE {T} >= {big(start)}"
    )
    return f"SELECT {at}, {W} FROM ({weighed}) WHERE {W} <> 0"
