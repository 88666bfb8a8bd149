"""Joins of two deltas: `ΔA ⋈ (B ∪ ΔB)  ∪  A ⋈ ΔB` with overlapping validity (DESIGN section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ..elements.columns import T, VE, VS, W, quote
from ..elements.deltas import Intervals, Points, Slice, cols, union
from ..epoch.context import Epoch
from .keep import kept
from .trace import add_trace, read_trace

SMALL_ROWS: Final = 20_000
"""A delta of at most so many rows is broadcast to the other side's window."""

_R: Final = "_r"
_NEW: Final = "_new"

Equal = Sequence[tuple[str, str]]


def join(
    e: Epoch,
    name: str,
    left: Intervals,
    right: Intervals,
    equal: Equal = (),
    condition: str | None = None,
) -> Intervals:
    """Pairs of valid rows that meet the condition; valid on the intersection, weight the product.

    Columns of both sides have different names. State: both windows, read from the archive or kept. WK (UPA 5.2,
    rule 3), executed directly: no negative tuples.
    """
    left, right = kept(e, f"{name}.left", left), kept(e, f"{name}.right", right)
    columns = left.columns + right.columns
    ends, ahead = left.ends or right.ends, left.ahead or right.ahead
    match = _on(equal, condition, F.col(VS) < F.col(VE + _R), F.col(VS + _R) < F.col(VE))
    old_left, old_right = _live(e, left, right), _live(e, right, left)
    pairs = _pairs(left.frame, _right(right.frame), old_left, _right(old_right), match, _small(e))
    if pairs is None:
        return Intervals(columns, None, None, ends, ahead)
    joined = pairs.select(
        *cols(columns),
        F.greatest(VS, VS + _R).alias(VS),
        F.least(VE, VE + _R).alias(VE),
        (F.col(W) * F.col(W + _R)).alias(W),
    )
    return Intervals(columns, joined, None, ends, ahead)


def join_points(
    e: Epoch,
    name: str,
    left: Points,
    right: Points,
    equal: Equal = (),
    condition: str | None = None,
) -> Points:
    """The join where a side changes at points: a pair changes when the later of its two changes does.

    State: both sides' changes, folded up to `complete` and summed per row.
    """
    columns = left.columns + right.columns
    names = f"{name}.left", f"{name}.right"
    old = read_trace(e, names[0], left.columns), read_trace(e, names[1], right.columns)
    add_trace(e, names[0], left)
    add_trace(e, names[1], right)
    match = _on(equal, condition)
    pairs = _pairs(left.frame, _right(right.frame), old[0], _right(old[1]), match, _small(e))
    if pairs is None:
        return Points(columns, None)
    joined = pairs.select(
        *cols(columns), F.greatest(T, T + _R).alias(T), (F.col(W) * F.col(W + _R)).alias(W)
    )
    return Points(columns, joined)


def _live(e: Epoch, side: Intervals, other: Intervals) -> DataFrame | None:
    """The earlier rows of one side that a new row of the other can still meet."""
    if other.frame is None:
        return None
    assert side.past is not None
    return side.past(Slice(ve_after=e.start - 1))


def _on(equal: Equal, condition: str | None, *more: Column) -> Column:
    parts = [F.col(quote(a)) == F.col(quote(b)) for a, b in equal]
    parts += [F.expr(condition)] if condition else []
    return reduce(lambda a, b: a & b, [*parts, *more], F.lit(True))


def _right(frame: DataFrame | None) -> DataFrame | None:
    """The right side with the engine's columns out of the left side's way."""
    if frame is None:
        return None
    engine = [name for name in (VS, VE, T, W) if name in frame.columns]
    return frame.withColumnsRenamed({name: name + _R for name in engine})


def _small(e: Epoch) -> bool:
    return e.landed.rows <= SMALL_ROWS


def _pairs(
    new_left: DataFrame | None,
    new_right: DataFrame | None,
    old_left: DataFrame | None,
    old_right: DataFrame | None,
    match: Column,
    small: bool,
) -> DataFrame | None:
    """New with all, old with new. A small delta is broadcast; a large one goes through a single join."""
    if small or old_left is None or old_right is None:
        parts = [(new_left, union(old_right, new_right)), (old_left, new_right)]
        joins = [_joined(a, b, match, small, index) for index, (a, b) in enumerate(parts)]
        return union(*joins)
    both_left = union(_flag(old_left, False), _flag(new_left, True))
    both_right = union(_flag(old_right, False), _flag(new_right, True))
    if both_left is None or both_right is None:
        return None
    flagged = both_right.withColumnRenamed(_NEW, _NEW + _R)
    return both_left.join(flagged, match & (F.col(_NEW) | F.col(_NEW + _R)))


def _joined(
    left: DataFrame | None, right: DataFrame | None, match: Column, small: bool, new: int
) -> DataFrame | None:
    if left is None or right is None:
        return None
    if not small:
        return left.join(right, match)
    return F.broadcast(left).join(right, match) if new == 0 else left.join(F.broadcast(right), match)


def _flag(frame: DataFrame | None, new: bool) -> DataFrame | None:
    return None if frame is None else frame.withColumn(_NEW, F.lit(new))
