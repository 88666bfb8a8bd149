"""The two forms of a delta (DESIGN section 2): intervals and points.

A frame is None where nothing came: an empty frame would cost a Spark job.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from .columns import T, VE, VS, W, quote


@dataclass(frozen=True)
class Slice:
    """Which earlier intervals are asked for: bounds `(after, upto]` on their starts and ends; None is open."""

    vs_after: int | None = None
    vs_upto: int | None = None
    ve_after: int | None = None
    ve_upto: int | None = None

    def condition(self) -> Column | None:
        """The bounds as a predicate over `_vs` and `_ve`; None where there is no bound."""
        bounds = (
            (VS, self.vs_after, self.vs_upto),
            (VE, self.ve_after, self.ve_upto),
        )
        parts = [F.col(name) > F.lit(after) for name, after, _ in bounds if after is not None]
        parts += [F.col(name) <= F.lit(upto) for name, _, upto in bounds if upto is not None]
        return reduce(lambda a, b: a & b, parts) if parts else None


Past = Callable[[Slice], DataFrame | None]


@dataclass(frozen=True)
class Intervals:
    """This epoch's elements `(row…, _vs, _ve, _w)`.

    `past` gives elements of earlier epochs (a superset of those whose end lies after `complete`), or is None
    where they cannot be had again and whoever needs them must keep them. `ends`: some element may have an end;
    `ahead`: some may start after `now`.
    """

    columns: tuple[str, ...]
    frame: DataFrame | None
    past: Past | None = None
    ends: bool = False
    ahead: bool = False

    def map(self, change: Callable[[DataFrame], DataFrame], columns: tuple[str, ...]) -> Intervals:
        """The same row-wise change to what is new and to what is past."""
        past = self.past
        return replace(
            self,
            columns=columns,
            frame=None if self.frame is None else change(self.frame),
            past=None if past is None else lambda wanted: _mapped(past(wanted), change),
        )


@dataclass(frozen=True)
class Points:
    """This epoch's changes `(row…, _t, _w)`, all at instants up to `now`. Weights may need summing."""

    columns: tuple[str, ...]
    frame: DataFrame | None

    def map(self, change: Callable[[DataFrame], DataFrame], columns: tuple[str, ...]) -> Points:
        return Points(columns, None if self.frame is None else change(self.frame))


def _mapped(
    frame: DataFrame | None, change: Callable[[DataFrame], DataFrame]
) -> DataFrame | None:
    return None if frame is None else change(frame)


def union(*frames: DataFrame | None) -> DataFrame | None:
    """UNION ALL by name of the frames that are there."""
    there = [frame for frame in frames if frame is not None]
    return reduce(DataFrame.unionByName, there) if there else None


def cols(names: tuple[str, ...] | list[str]) -> list[Column]:
    return [F.col(quote(name)) for name in names]


def consolidate(frame: DataFrame, columns: tuple[str, ...], *instants: str) -> DataFrame:
    """Weights summed per row and instant; what cancels out is gone."""
    keys = [*cols(columns), *cols(instants)]
    summed = frame.groupBy(*keys).agg(F.sum(W).alias(W))
    return summed.where(F.col(W) != 0)


def consolidated_points(points: Points) -> Points:
    """The net change per row and instant."""
    return points.map(lambda frame: consolidate(frame, points.columns, T), points.columns)
