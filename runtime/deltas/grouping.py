"""What the ways of grouping share: keys, measures, answers, and when a group exists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ..elements.columns import T, VE, VS, W
from ..elements.deltas import Intervals, Points, cols
from ..epoch.context import Epoch
from .aggregates import Aggregate, Measure, Measured, argument_column, column_of, specs
from .linear import select

ROWS = "__rows"
"""The measure that counts a group's rows."""


@dataclass(frozen=True)
class Grouping:
    """A GROUP BY: names of keys and aggregates, how each aggregate is measured.

    `first`: the first instant of the query's streams, as of the parent and as of now, for a group without keys.
    """

    keys: tuple[str, ...]
    answers: Mapping[str, Measured]
    arguments: Mapping[str, str]
    first: tuple[int | None, int | None]

    @classmethod
    def of(
        cls,
        e: Epoch,
        keys: Mapping[str, str],
        aggregates: Mapping[str, Aggregate],
        streams: list[str],
    ) -> Grouping:
        arguments = {
            argument_column(name): spec.argument
            for name, spec in aggregates.items()
            if spec.argument is not None
        }
        return cls(tuple(keys), specs(aggregates), arguments, e.first(streams))

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.keys, *self.answers)

    @property
    def measures(self) -> tuple[Measure, ...]:
        rows = Measure(ROWS, "sum", True, lambda w: w)
        return (rows, *[m for each in self.answers.values() for m in each.measures])

    @property
    def exact(self) -> bool:
        """Whether all measures may be subtracted."""
        return all(measure.exact for measure in self.measures)

    def rows(self, delta: Intervals | Points, keys: Mapping[str, str]) -> Intervals | Points:
        """The input reduced to keys and arguments."""
        return select(delta, {**keys, **self.arguments})

    def partials(self, rows: Intervals) -> Intervals:
        """One row per (keys, validity) with the measures of its rows: panes. They have no past."""
        frame = rows.frame
        if frame is not None:
            merged = [m.merged(m.of_rows(F.col(W))).alias(m.name) for m in self.measures]
            by_pane = frame.groupBy(*cols(self.keys), VS, VE).agg(*merged)
            frame = by_pane.withColumn(W, F.lit(1).cast("long"))
        names = (*self.keys, *[m.name for m in self.measures])
        return Intervals(names, frame, None, rows.ends, rows.ahead)

    def row(self, prefix: str, exists: Column) -> Column:
        """The group's row from measures under a prefix, or NULL where the group does not exist."""
        of = column_of(prefix)
        fields = [each.answer(of).alias(name) for name, each in self.answers.items()]
        # A struct needs a field: DISTINCT has keys only.
        return F.when(exists, F.struct(F.lit(True).alias("_row"), *fields))

    def exists(self, rows: Column, first: int | None, at: Column) -> Column:
        """A keyed group exists while it has rows; a global one from the first element on."""
        if self.keys:
            return rows > 0
        return F.lit(False) if first is None else at >= F.lit(first)

    def firsts(self) -> list[int]:
        """Instants at which a global group begins, or no longer begins, to exist by this epoch's news."""
        old, new = self.first
        if self.keys or old == new:
            return []
        return [instant for instant in (old, new) if instant is not None]


def frame_of_instants(e: Epoch, instants: list[int]) -> DataFrame:
    """A frame with one column `_t`."""
    listed = F.array(*[F.lit(instant).cast("long") for instant in instants])
    return e.spark.range(1).select(F.explode(listed).alias(T))
