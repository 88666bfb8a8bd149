"""Operators that need no state: filter, projection, UNION ALL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from pyspark.sql import DataFrame

from ..elements.columns import T, W, quote
from ..elements.deltas import ASKER, Intervals, Points, Slice, union

Delta = TypeVar("Delta", Intervals, Points)


def where(delta: Delta, predicate: str) -> Delta:
    """The rows for which the predicate is true. Form and pattern stay (UPA 5.2)."""

    def change(frame: DataFrame) -> DataFrame:
        return frame.where(predicate)

    changed = delta.map(change, delta.columns)
    if isinstance(delta, Points) and isinstance(changed, Points) and delta.lookup is not None:
        same = [(column, column) for column in delta.columns]
        return replace(changed, lookup=delta.lookup.map(change, same))
    return changed


def select(delta: Delta, columns: Mapping[str, str]) -> Delta:
    """New columns: name -> SQL text over the old ones. Form and pattern stay (UPA 5.2)."""
    new = [f"{sql} AS {quote(name)}" for name, sql in columns.items()]
    changed = delta.map(lambda frame: frame.selectExpr(*new, *delta.engine), tuple(columns))
    if isinstance(delta, Points) and isinstance(changed, Points):
        names = [
            (column, name)
            for column in delta.columns
            for name, sql in columns.items()
            if sql in (column, quote(column))
        ]
        same = changed.key is not None and all((key, key) in names for key in changed.key)
        lookup = delta.lookup
        if lookup is not None:
            lookup = lookup.map(lambda found: found.selectExpr(*new, ASKER, T, W), names)
        return replace(changed, key=changed.key if same else None, lookup=lookup)
    return changed


def union_all(*branches: Delta) -> Delta:
    """UNION ALL by position, under the first branch's names (UPA 5.2)."""
    first = branches[0]
    ordered = all(branch.ordered for branch in branches)
    kept = [replace(each, ordered=ordered) for each in branches]
    drawn = all(isinstance(each, Intervals) and each.drawn for each in branches)
    if not drawn:
        kept = [
            replace(each, drawn=False) if isinstance(each, Intervals) else each for each in kept
        ]
    renamed = [_renamed(each, first.columns) for each in kept]
    frame = union(*[branch.frame for branch in renamed])
    if isinstance(first, Points):
        return Points(first.columns, frame, ordered=ordered)
    sides = [branch for branch in renamed if isinstance(branch, Intervals)]
    ends, ahead = any(side.ends for side in sides), any(side.ahead for side in sides)
    settled = max((side.settled for side in sides if side.settled is not None), default=None)
    oldest = min((side.oldest for side in sides if side.oldest is not None), default=None)
    dear = any(side.dear for side in sides)
    latest = _latest([side for side in sides if side.frame is not None])
    pasts = [side.past for side in sides]
    known = all(past is not None for past in pasts)

    def past(wanted: Slice) -> DataFrame | None:
        return union(*[each(wanted) for each in pasts if each is not None])

    return Intervals(
        first.columns,
        frame,
        past if known else None,
        ends,
        ahead,
        ordered,
        dear,
        settled,
        latest,
        oldest,
        drawn,
    )


def _latest(sides: Sequence[Intervals]) -> int | None:
    """The latest start of an element on any side, if it is known of all."""
    known = [side.latest for side in sides if side.latest is not None]
    return max(known) if known and len(known) == len(sides) else None


def _renamed(branch: Delta, names: tuple[str, ...]) -> Delta:
    pairs = zip(branch.columns, names, strict=True)
    return select(branch, {name: quote(column) for column, name in pairs})
