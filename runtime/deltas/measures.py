"""The vocabulary of aggregates: measures that merge over rows, and answers read off them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ..elements.columns import quote

Merge = Literal["sum", "min", "max", "bag", "set"]
Text = Callable[[str], str]


@dataclass(frozen=True)
class Aggregate:
    """One aggregate as the program writes it: argument as SQL (None: `*`), result type and argument
    type as DDL; what else the function is told, as SQL; whether equal values count once.
    """

    function: str
    argument: str | None = None
    type: str | None = None
    of: str | None = None
    parameter: str | None = None
    distinct: bool = False

    @property
    def averages(self) -> bool:
        return self.function in ("avg", "try_avg")

    @property
    def cast(self) -> str:
        """How a result is made that may not fit its type: an error, or NULL where asked for."""
        return "try_cast" if self.function.startswith("try_") else "CAST"


@dataclass(frozen=True)
class Measure:
    """A column that merges over rows. `of_rows(w)`: its value for `w` copies of a row (0: none).

    A bag is the sorted array of all values, a set that of the different ones: no order of rows can
    be seen in it. `type`: the column's DDL, where a NULL must be of it.
    """

    name: str
    merge: Merge
    exact: bool
    of_rows: Text
    type: str | None = None

    def merged(self, value: str) -> str:
        """The aggregation that merges the measure; a sum over nothing is 0, a bag over nothing is
        empty.
        """
        match self.merge:
            case "sum":
                return f"coalesce(SUM({value}), 0)"
            case "bag":
                return f"sort_array(flatten(collect_list({value})))"
            case "set":
                return f"sort_array(array_distinct(flatten(collect_list({value}))))"
            case _:
                return f"{self.merge.upper()}({value})"

    def running(self, value: str, window: str) -> str:
        """The measure merged over a SQL window of rows that hold it."""
        match self.merge:
            case "bag":
                return f"sort_array(flatten(collect_list({value}) OVER ({window})))"
            case "set":
                return f"sort_array(array_distinct(flatten(collect_list({value}) OVER ({window}))))"
            case _:
                return f"{self.merge.upper()}({value}) OVER ({window})"

    def nothing(self, type: str | None = None) -> str:
        """The measure over no rows, of the type that rows give it (DDL), where that is known."""
        value, type = "0" if self.merge == "sum" else "NULL", type or self.type
        return value if type is None else f"CAST({value} AS {type})"

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
