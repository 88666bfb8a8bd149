"""Joins of two deltas: `ΔA ⋈ (B ∪ ΔB)  ∪  A ⋈ ΔB` with overlapping validity (DESIGN section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ..elements.columns import ADDED, DRAWN, VE, VS, T, W, quote
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Points, Slice, extended, union
from .keep import kept
from .once import shared
from .trace import add_trace, read_trace

SMALL_ROWS: Final = 20_000
"""A delta of at most so many rows is brought to the other side's window."""

_R: Final = "_r"
_NEW: Final = "_new"
_WEIGHT: Final = f"{W} * {W}{_R} AS {W}"

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

    Columns of both sides have different names. State: both windows, read from the archive or kept.
    WK (UPA 5.2), executed directly: no negative tuples. Of a sample, only the pairs in which a
    corrected row is: all others are the same before and after.
    """
    left, right = kept(e, f"{name}.left", left), kept(e, f"{name}.right", right)
    columns = left.columns + right.columns
    ends, ahead = left.ends or right.ends, left.ahead or right.ahead
    match = on(equal, condition, f"{VS} < {VE}{_R}", f"{VS}{_R} < {VE}")
    new = left.frame, right_of(right.frame)
    old = _live(e, left, right), right_of(_live(e, right, left))
    drawn = left.drawn and right.drawn
    if drawn:
        new, old = _corrected(left.frame, right.frame)
    pairs = pairs_of(e, new, old, match, small_side(e, bool(equal)))
    if pairs is None:
        return Intervals(columns, None, None, ends, ahead)
    origin = [f"coalesce({DRAWN}, {DRAWN}{_R}) AS {DRAWN}", f"TRUE AS {ADDED}"] if drawn else []
    joined = pairs.selectExpr(
        *[quote(column) for column in columns],
        f"greatest({VS}, {VS}{_R}) AS {VS}",
        f"least({VE}, {VE}{_R}) AS {VE}",
        _WEIGHT,
        *origin,
    )
    return Intervals(columns, joined, None, ends, ahead, dear=True, drawn=drawn)


def _corrected(left: DataFrame | None, right: DataFrame | None) -> tuple[Sides, Sides]:
    """The corrected rows of both sides, and the drawn ones that they meet."""
    sides = left, right_of(right)
    flags = ADDED, ADDED + _R

    def those(condition: str) -> Sides:
        parts = [
            None if side is None else side.where(condition.format(flag))
            for side, flag in zip(sides, flags, strict=True)
        ]
        return parts[0], parts[1]

    return those("{}"), those("NOT {}")


def join_points(
    e: Epoch,
    name: str,
    left: Points,
    right: Points,
    equal: Equal = (),
    condition: str | None = None,
) -> Points:
    """The join where a side changes at points: a pair changes when the later of its two changes
    does.

    State: both sides' changes, folded up to `complete` and summed per row.
    """
    left, right = shared(e, left.unordered()), shared(e, right.unordered())
    columns = left.columns + right.columns
    names = f"{name}.left", f"{name}.right"
    old = read_trace(e, names[0], left.columns), right_of(read_trace(e, names[1], right.columns))
    add_trace(e, names[0], left)
    add_trace(e, names[1], right)
    match = on(equal, condition)
    pairs = pairs_of(e, (left.frame, right_of(right.frame)), old, match, small_side(e, bool(equal)))
    if pairs is None:
        return Points(columns, None)
    names_ = [quote(column) for column in columns]
    return Points(columns, pairs.selectExpr(*names_, f"greatest({T}, {T}{_R}) AS {T}", _WEIGHT))


def _live(e: Epoch, side: Intervals, other: Intervals) -> DataFrame | None:
    """The earlier rows of one side that a new row of the other can still meet."""
    if other.frame is None:
        return None
    assert side.past is not None
    return side.past(Slice(ve_after=e.start - 1))


def on(equal: Equal, condition: str | None, *more: str) -> str:
    """What a pair must meet, as SQL."""
    parts = [f"{quote(a)} = {quote(b)}" for a, b in equal]
    parts += [f"({condition})"] if condition else []
    return " AND ".join([*parts, *more]) or "TRUE"


def right_of(frame: DataFrame | None) -> DataFrame | None:
    """The right side with the engine's columns out of the left side's way."""
    if frame is None:
        return None
    engine = [name for name in (VS, VE, T, W, DRAWN, ADDED) if name in frame.columns]
    return frame.withColumnsRenamed({name: name + _R for name in engine})


Sides = tuple[DataFrame | None, DataFrame | None]


def small_side(e: Epoch, equal: bool) -> str | None:
    """How a small delta meets a window, as a hint of Spark; None for a large one. `equal`: some
    columns must be equal.
    """
    if e.rows > SMALL_ROWS:
        return None
    # A broadcast is a job of its own; in one partition the rows are together already.
    return "shuffle_hash" if equal and e.in_one_partition else "broadcast"


def pairs_of(e: Epoch, new: Sides, old: Sides, match: str, small: str | None) -> DataFrame | None:
    """New with all, old with new. A small delta is made a hash table, as the hint says; a large one
    goes through a single join.
    """
    pairs = _pairs(new, old, match, small)
    return None if pairs is None else e.together(pairs)


def _pairs(new: Sides, old: Sides, match: str, small: str | None) -> DataFrame | None:
    if small or old[0] is None or old[1] is None:
        return union(
            _joined(_hinted(new[0], small), union(old[1], new[1]), match),
            _joined(old[0], _hinted(new[1], small), match),
        )
    both = [
        union(extended(o, f"FALSE AS {_NEW}"), extended(n, f"TRUE AS {_NEW}"))
        for o, n in zip(old, new, strict=True)
    ]
    assert both[0] is not None and both[1] is not None
    right = both[1].withColumnRenamed(_NEW, _NEW + _R)
    return both[0].join(right, F.expr(f"{match} AND ({_NEW} OR {_NEW}{_R})"))


def _hinted(frame: DataFrame | None, hint: str | None) -> DataFrame | None:
    return frame if frame is None or hint is None else frame.hint(hint)


def _joined(left: DataFrame | None, right: DataFrame | None, match: str) -> DataFrame | None:
    return None if left is None or right is None else left.join(right, F.expr(match))
