"""Rows with a match, and rows without one: [NOT] IN and [NOT] EXISTS (UPA's negation)."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import T, W, quote, same
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Points, union
from .group import distinct_points
from .join import Equal, join_points
from .join_asof import join_asof
from .keep import kept
from .linear import select
from .once import shared
from .points import row_changes

_FOUND: Final = "_found_"
"""Begins the names of what is looked for."""


def semi_join(
    e: Epoch,
    name: str,
    left: Intervals | Points,
    right: Points,
    equal: Equal = (),
    condition: str | None = None,
    span: int | None = None,
) -> Points:
    """The rows of the left while some row of the right meets the condition; their multiplicity
    stays.

    `left` may be in interval form where there is no `condition`; `span` is then how long its rows
    live at most (microseconds or ticks). State: the left's rows, and how often each value that is
    looked for is there. STR (UPA 5.2): a row leaves with its last match.
    """
    return _matched(e, name, _kept(e, name, left), right, equal, condition, span)


def anti_join(
    e: Epoch,
    name: str,
    left: Intervals | Points,
    right: Points,
    equal: Equal = (),
    condition: str | None = None,
    span: int | None = None,
) -> Points:
    """The rows of the left while no row of the right meets the condition: all of them less those
    with a match.

    Arguments and state are those of `semi_join`. STR (UPA 5.2, negation).
    """
    left = _kept(e, name, left)
    columns = [quote(column) for column in left.columns]
    if isinstance(left, Intervals):
        changes = row_changes(e, name, left)
        changes = None if changes is None else e.share(changes)
        rows = None if changes is None else changes.selectExpr(*columns, T, W)
        key = None
    else:
        changes, rows, key = None, left.frame, left.key
    less = _matched(e, name, left, right, equal, condition, span, changes).frame
    if less is not None:
        less = less.selectExpr(*columns, T, f"-{W} AS {W}")
    return Points(left.columns, union(rows, less), key)


def _kept(e: Epoch, name: str, left: Intervals | Points) -> Intervals | Points:
    if isinstance(left, Intervals):
        return kept(e, f"{name}.rows", left)
    return shared(e, left.unordered())


def _matched(
    e: Epoch,
    name: str,
    left: Intervals | Points,
    right: Points,
    equal: Equal,
    condition: str | None,
    span: int | None,
    changes: DataFrame | None = None,
) -> Points:
    """`changes`: those of a left in interval form, where they are known already."""
    if condition is not None:
        assert isinstance(left, Points)
        return _matched_by_condition(e, name, left, right, equal, condition)
    sought = [_FOUND + theirs for _, theirs in equal] or [f"{_FOUND}any"]
    columns = {_FOUND + theirs: quote(theirs) for _, theirs in equal} or {sought[0]: "TRUE"}
    found = distinct_points(e, f"{name}.found", select(right, columns))
    pairs = [(mine, _FOUND + theirs) for mine, theirs in equal]
    if isinstance(left, Intervals):
        joined = join_asof(e, f"{name}.look", left, found, pairs, span=span, changes=changes)
    else:
        joined = join_points(e, f"{name}.pairs", left, found, pairs)
    return select(joined, {column: quote(column) for column in left.columns})


def _matched_by_condition(
    e: Epoch, name: str, left: Points, right: Points, equal: Equal, condition: str
) -> Points:
    """The left's values that have a match are found first, each once; then the rows of these
    values.
    """
    right = shared(e, right.unordered())
    values = distinct_points(e, f"{name}.values", left)
    pairs = join_points(e, f"{name}.match", values, right, equal, condition)
    own = {_FOUND + column: quote(column) for column in left.columns}
    found = distinct_points(e, f"{name}.found", select(pairs, own))
    equality = same((quote(column), quote(_FOUND + column)) for column in left.columns)
    joined = join_points(e, f"{name}.pairs", left, found, (), equality)
    return select(joined, {column: quote(column) for column in left.columns})
