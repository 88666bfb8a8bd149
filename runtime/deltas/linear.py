"""Operators that need no state: filter, projection, UNION ALL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from pyspark.sql import DataFrame

from ..elements.columns import quote
from ..elements.deltas import Intervals, Points, Slice, union

Delta = TypeVar("Delta", Intervals, Points)


def where(delta: Delta, predicate: str) -> Delta:
    """The rows for which the predicate is true. Form and pattern stay (UPA 5.2)."""
    return delta.map(lambda frame: frame.where(predicate), delta.columns)


def select(delta: Delta, columns: Mapping[str, str]) -> Delta:
    """New columns: name -> SQL text over the old ones. Form and pattern stay (UPA 5.2)."""
    new = [f"{sql} AS {quote(name)}" for name, sql in columns.items()]
    changed = delta.map(lambda frame: frame.selectExpr(*new, *delta.engine), tuple(columns))
    if isinstance(changed, Points) and changed.key is not None:
        same = all(columns[column] in (column, quote(column)) for column in changed.key)
        return replace(changed, key=changed.key if same else None)
    return changed


def union_all(*branches: Delta) -> Delta:
    """UNION ALL by position, under the first branch's names (UPA 5.2)."""
    first = branches[0]
    ordered = all(branch.ordered for branch in branches)
    renamed = [_renamed(replace(each, ordered=ordered), first.columns) for each in branches]
    frame = union(*[branch.frame for branch in renamed])
    if isinstance(first, Points):
        return Points(first.columns, frame, ordered=ordered)
    sides = [branch for branch in renamed if isinstance(branch, Intervals)]
    ends, ahead = any(side.ends for side in sides), any(side.ahead for side in sides)
    pasts = [side.past for side in sides]
    if any(past is None for past in pasts):
        return Intervals(first.columns, frame, None, ends, ahead, ordered)

    def past(wanted: Slice) -> DataFrame | None:
        return union(*[each(wanted) for each in pasts if each is not None])

    return Intervals(first.columns, frame, past, ends, ahead, ordered)


def _renamed(branch: Delta, names: tuple[str, ...]) -> Delta:
    pairs = zip(branch.columns, names, strict=True)
    return select(branch, {name: quote(column) for column, name in pairs})
