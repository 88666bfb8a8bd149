"""What the ways of grouping share: keys, measures, answers, and when a group exists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame

from ..elements.columns import POS, VE, VS, T, W, big, listed, quote, string
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Points
from .aggregates import BY_ORDER, measured, owners
from .linear import select
from .measures import Aggregate, Measure, Measured, argument_column

ROWS = "__rows"
"""The measure that counts a group's rows."""


@dataclass(frozen=True)
class Grouping:
    """A GROUP BY: names of keys and aggregates, how each aggregate is measured.

    `placed`: the arguments that are compared by their rows' place in time.

    `first`: the first instant of the query's streams, as of the parent and as of now, for a group
    without keys.
    """

    keys: tuple[str, ...]
    answers: Mapping[str, Measured]
    arguments: Mapping[str, str]
    placed: tuple[str, ...]
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
        answers = {
            name: measured(owner, spec)
            for (name, spec), owner in zip(aggregates.items(), owners(aggregates), strict=True)
        }
        placed = tuple(
            argument_column(name) for name, spec in aggregates.items() if spec.function in BY_ORDER
        )
        return cls(tuple(keys), answers, arguments, placed, e.first(streams))

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.keys, *self.answers)

    @property
    def measures(self) -> tuple[Measure, ...]:
        rows = Measure(ROWS, "sum", True, lambda w: w)
        own = [m for each in self.answers.values() for m in each.measures]
        return tuple({m.name: m for m in (rows, *own)}.values())

    @property
    def exact(self) -> bool:
        """Whether all measures may be subtracted."""
        return all(measure.exact for measure in self.measures)

    @property
    def partition(self) -> str:
        """What windows over a group partition by; a constant where there are no keys."""
        return listed(self.keys) or "0"

    def by(self, *more: str) -> str:
        """Keys and further columns as a SQL list."""
        return listed(self.keys, *more)

    def rows(self, delta: Intervals | Points, keys: Mapping[str, str]) -> Intervals | Points:
        """The input reduced to keys and arguments."""
        place = POS if delta.ordered else VS
        placed = {name: in_order(self.arguments[name], place) for name in self.placed}
        columns = {**keys, **self.arguments, **placed}
        if isinstance(delta, Points):  # the form is the same after it, which a type cannot say
            return select(delta, columns).unordered()
        return select(delta, columns).unordered()

    def merged_rows(self, partial: bool, weight: str = W, prefix: str = "") -> str:
        """The measures of rows as aggregations, each under its name."""
        texts = []
        for measure in self.measures:
            value = measure.of_partial(weight) if partial else measure.of_rows(weight)
            texts.append(f"{measure.merged(value)} AS {quote(prefix + measure.name)}")
        return ", ".join(texts)

    def row_measures(self, partial: bool) -> list[str]:
        """The measures of single rows."""
        return [
            f"{m.of_partial(W) if partial else m.of_rows(W)} AS {quote(m.name)}"
            for m in self.measures
        ]

    def partials(self, e: Epoch, rows: Intervals) -> Intervals:
        """One row per (keys, validity) with the measures of its rows: panes. They have no past."""
        frame = rows.frame
        if frame is not None:
            ends = self.by(VS, VE)
            frame = e.sql(
                f"SELECT {ends}, {self.merged_rows(partial=False)}, 1L AS {W}"
                f" FROM {e.view(frame)} GROUP BY {ends}"
            )
            # They are few, and every step above them would read the batch for them again.
            frame = e.share(frame)
        names = (*self.keys, *[m.name for m in self.measures])
        return Intervals(names, frame, None, rows.ends, rows.ahead)

    def row(self, prefix: str, exists: str) -> str:
        """The group's row from measures under a prefix, or NULL where the group does not exist."""

        def of(name: str) -> str:
            return quote(prefix + name)

        # A struct needs a field: DISTINCT has keys only.
        fields = ["'_row', TRUE"]
        fields += [f"{string(name)}, {each.answer(of)}" for name, each in self.answers.items()]
        return f"CASE WHEN {exists} THEN named_struct({', '.join(fields)}) END"

    def exists(self, rows: str, first: int | None, at: str) -> str:
        """A keyed group exists while it has rows; a global one from the first element on."""
        if self.keys:
            return f"{rows} > 0"
        return "FALSE" if first is None else f"{at} >= {big(first)}"

    def firsts(self) -> list[int]:
        """Instants at which a global group begins, or no longer begins, to exist by this epoch's
        news.
        """
        old, new = self.first
        return [] if old == new else self.beginnings()

    def beginnings(self) -> list[int]:
        """Instants at which a global group begins to exist, by what was known and by all that is
        known now.
        """
        if self.keys:
            return []
        return sorted({instant for instant in self.first if instant is not None})


def in_order(argument: str, place: str) -> str:
    """A struct with field `x` as one that is compared by its element's place in time first."""
    placed = f"named_struct('o', {place}, 'x', ({argument}).x)"
    return f"CASE WHEN ({argument}) IS NOT NULL THEN {placed} END"


def instants(e: Epoch, values: list[int]) -> DataFrame:
    """A frame with one column `_t`."""
    return e.sql(f"SELECT explode(array({', '.join(big(value) for value in values)})) AS {T}")
