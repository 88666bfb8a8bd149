"""The vocabulary of aggregates: measures that merge over rows, and answers read off them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ..elements.columns import quote

Function = Literal["count", "sum", "avg", "min", "max"]
Text = Callable[[str], str]


@dataclass(frozen=True)
class Aggregate:
    """One aggregate as the program writes it: argument as SQL (None: `*`), result type and argument
    type as DDL.
    """

    function: Function
    argument: str | None = None
    type: str | None = None
    of: str | None = None


@dataclass(frozen=True)
class Measure:
    """A column that merges over rows. `of_rows(w)`: its value for `w` copies of a row (0: none)."""

    name: str
    merge: Literal["sum", "min", "max"]
    exact: bool
    of_rows: Text

    def merged(self, value: str) -> str:
        """The aggregation that merges the measure; a sum over nothing is 0."""
        function = f"{self.merge.upper()}({value})"
        return f"coalesce({function}, 0)" if self.merge == "sum" else function

    def of_partial(self, weight: str) -> str:
        """The value of a row that already holds the measure, taken `weight` times."""
        if self.merge == "sum":
            return f"CASE WHEN {weight} <> 0 THEN {quote(self.name)} * {weight} END"
        return f"CASE WHEN {weight} > 0 THEN {quote(self.name)} END"


@dataclass(frozen=True)
class Measured:
    """One aggregate: its measures, and its answer from `of(measure name)`, the text of a merged
    measure.
    """

    measures: tuple[Measure, ...]
    answer: Callable[[Text], str]


def argument_column(name: str) -> str:
    """The column in which a group keeps the argument of its aggregate `name`."""
    return f"{name}__a"


def weighted(name: str, exact: bool, value: str) -> Measure:
    """A sum of a value per row, taken as often as the row."""
    # A weight of 0 must not touch the value: infinity times 0 is no number.
    return Measure(name, "sum", exact, lambda w: f"CASE WHEN {w} <> 0 THEN {value} * {w} END")
