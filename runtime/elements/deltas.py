"""The two forms of a delta (DESIGN section 2): intervals and points.

A frame is None where nothing came: an empty frame would cost a Spark job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final, TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .columns import ADDED, DRAWN, POS, VE, VS, T, W, big, quote


@dataclass(frozen=True)
class Slice:
    """Which earlier intervals are asked for: bounds `(after, upto]` on their starts and ends; None
    is open.
    """

    vs_after: int | None = None
    vs_upto: int | None = None
    ve_after: int | None = None
    ve_upto: int | None = None

    def condition(self) -> str | None:
        """The bounds as SQL over `_vs` and `_ve`; None where there is no bound."""
        after = [(VS, self.vs_after), (VE, self.ve_after)]
        upto = [(VS, self.vs_upto), (VE, self.ve_upto)]
        parts = [f"{name} > {big(bound)}" for name, bound in after if bound is not None]
        parts += [f"{name} <= {big(bound)}" for name, bound in upto if bound is not None]
        return " AND ".join(parts) or None


Past = Callable[[Slice], DataFrame | None]


@dataclass(frozen=True)
class Intervals:
    """This epoch's elements `(row…, _vs, _ve, _w)`.

    `past` gives elements of earlier epochs (a superset of those whose end lies after `complete`),
    or is None where they cannot be had again and whoever needs them must keep them. `ends`: some
    element may have an end; `ahead`: some may start after `now`; `ordered`: the frames have `_pos`,
    the place of each element in the order of its stream. `dear`: `frame` is made of more than the
    files of a stream, so that Spark plans it longer. `settled`: what lies before that
    instant is told by a replay, and a window leaves it out. `latest`: no element of a stream in
    `frame` starts after it; None: that is not known. `oldest`: none that is told by a replay starts
    before it. `drawn`: they are those of a sample, with `_drawn` and `_added`.
    """

    columns: tuple[str, ...]
    frame: DataFrame | None
    past: Past | None = None
    ends: bool = False
    ahead: bool = False
    ordered: bool = False
    dear: bool = False
    settled: int | None = None
    latest: int | None = None
    oldest: int | None = None
    drawn: bool = False

    @property
    def engine(self) -> list[str]:
        """The engine's own columns in the frames."""
        place = [POS] if self.ordered else []
        return [VS, VE, W, *place, *([DRAWN, ADDED] if self.drawn else [])]

    def unordered(self) -> Intervals:
        """The same without `_pos`: nobody above asks for it."""
        if not self.ordered:
            return self
        return replace(self.map(lambda frame: frame.drop(POS), self.columns), ordered=False)

    def map(self, change: Callable[[DataFrame], DataFrame], columns: tuple[str, ...]) -> Intervals:
        """The same row-wise change to what is new and to what is past."""
        past = self.past
        return replace(
            self,
            columns=columns,
            frame=None if self.frame is None else change(self.frame),
            past=None if past is None else lambda wanted: _mapped(past(wanted), change),
        )


KEY: Final = "_key_"
"""Begins the names `_key_0`, `_key_1`… of the key that a row asks for."""

ASKER: Final = "_asker"
"""The row that asks, as a struct."""

STANDS: Final = "_stands"
"""An instant at which a changed row stands: its first, if it arrives, or its last, if it ends."""

FRESH: Final = "_fresh"
"""Whether nothing has been said about the row before."""


@dataclass(frozen=True)
class Lookup:
    """Finds the row that a point edge has for a key at an instant, without the edge's changes.

    `keys`: the columns of the edge's key, all of them, each by the names that it has. `ask` takes a
    frame `(_key_0…, _asker, _stands, _t, _w, _fresh)` without NULL keys and gives `(row…, _asker,
    _t, _w)`: each asker with the row at `_stands`, `_w` times; one that is not fresh gives, if that
    row is another one than was known before this epoch, the earlier one `-_w` times as well, and
    otherwise nothing.
    """

    keys: tuple[tuple[str, ...], ...]
    ask: Callable[[DataFrame], DataFrame | None]

    def map(
        self, change: Callable[[DataFrame], DataFrame], names: Iterable[tuple[str, str]]
    ) -> Lookup | None:
        """The lookup of an edge made of this one row by row. `names`: what its columns were called
        and are called now; without those that are gone, and often where one has several names.
        """
        pairs = list(names)
        keys = tuple(tuple(new for old, new in pairs if old in key) for key in self.keys)
        if not all(keys):
            return None
        return Lookup(keys, lambda asking: _mapped(self.ask(asking), change))


@dataclass(frozen=True)
class Points:
    """This epoch's changes `(row…, _t, _w)`, all at instants up to `now`. Weights may need summing.

    `key`: columns of which each value stands in at most one row at any instant; None if no such are
    known. `ordered`: the frame has `_pos`, the place of each row in the order of its stream: rows
    of different places are different rows. `lookup`: how single rows are found, where that is
    known. `reported`: a stream of reports, summed: each is made at one instant, never ends, and a
    weight below 0 takes back what was reported of the same instant.
    """

    columns: tuple[str, ...]
    frame: DataFrame | None
    key: tuple[str, ...] | None = None
    ordered: bool = False
    lookup: Lookup | None = None
    reported: bool = False

    @property
    def engine(self) -> list[str]:
        """The engine's own columns in the frame."""
        return [T, W, POS] if self.ordered else [T, W]

    def map(self, change: Callable[[DataFrame], DataFrame], columns: tuple[str, ...]) -> Points:
        key = self.key if self.key is not None and set(self.key) <= set(columns) else None
        return Points(columns, _mapped(self.frame, change), key, self.ordered)

    def unordered(self) -> Points:
        """The same without `_pos`: nobody above asks for it."""
        if self.frame is None or not self.ordered:
            return replace(self, ordered=False)
        return replace(self, frame=self.frame.drop(POS), ordered=False)


AnyDelta: TypeAlias = Intervals | Points


def _mapped(frame: DataFrame | None, change: Callable[[DataFrame], DataFrame]) -> DataFrame | None:
    return None if frame is None else change(frame)


def union(*frames: DataFrame | None) -> DataFrame | None:
    """UNION ALL by name of the frames that are there."""
    there = [frame for frame in frames if frame is not None]
    return reduce(DataFrame.unionByName, there) if there else None


def extended(frame: DataFrame | None, *columns: str) -> DataFrame | None:
    """The frame, if it is there, with more columns (`SQL AS name`)."""
    return None if frame is None else frame.selectExpr("*", *columns)


def shuffled(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    """The rows shuffled once by some columns, so that what follows per value of (at least) these
    needs no shuffle.

    Floating-point columns are left out: Spark normalises them in keys and would shuffle again.
    """
    inexact = {name for name, kind in frame.dtypes if kind in ("float", "double")}
    by = [quote(column) for column in columns if column not in inexact]
    return frame.repartition(*by) if by else frame.repartition(1)


def consolidate(frame: DataFrame, columns: tuple[str, ...], *instants: str) -> DataFrame:
    """Weights summed per row and instant; what cancels out is gone."""
    keys = [*[quote(column) for column in columns], *instants]
    return frame.groupBy(*keys).agg(F.expr(f"SUM({W}) AS {W}")).where(f"{W} != 0")
