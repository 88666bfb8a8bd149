"""Aggregates as measures: columns that merge over rows, and the answer read off the merged columns.

A measure is *exact* when it can be subtracted again without error: COUNT, and SUM and AVG over integers and
decimals. Sums of doubles, MIN and MAX are not: where rows leave, they are computed anew from what stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pyspark.sql import Column
from pyspark.sql import functions as F

from ..elements.columns import quote

Function = Literal["count", "sum", "avg", "min", "max"]
Of = Callable[[str], Column]
"""Measure name -> the column that holds its merged value."""

_SMALL_INTEGERS: Final = frozenset({"TINYINT", "SMALLINT", "INT", "INTEGER", "BYTE", "SHORT"})
_LARGE_INTEGERS: Final = frozenset({"BIGINT", "LONG"})
_LIMB: Final = 2**32


@dataclass(frozen=True)
class Aggregate:
    """One aggregate as the program writes it: argument as SQL (None: `*`), result type and argument type as DDL."""

    function: Function
    argument: str | None = None
    type: str | None = None
    of: str | None = None


def aggregate(
    function: Function, argument: str | None = None, type: str | None = None, of: str | None = None
) -> Aggregate:
    """An aggregate of a `group`; `count` without argument is COUNT(*)."""
    return Aggregate(function, argument, type, of)


@dataclass(frozen=True)
class Measure:
    """A column that merges over rows. `of_rows(w)` is its value for `w` copies of a row (0: none)."""

    name: str
    merge: Literal["sum", "min", "max"]
    exact: bool
    of_rows: Callable[[Column], Column]

    def merged(self, column: Column) -> Column:
        """The aggregation that merges the measure; a sum over nothing is 0."""
        if self.merge == "sum":
            return F.coalesce(F.sum(column), F.lit(0))
        return F.min(column) if self.merge == "min" else F.max(column)

    def of_partial(self, weight: Column) -> Column:
        """The value of a row that already holds the measure, taken `weight` times."""
        column = F.col(self.name)
        if self.merge == "sum":
            return F.when(weight != 0, column * weight)
        return F.when(weight > 0, column)


@dataclass(frozen=True)
class Measured:
    """One aggregate: its measures and its answer."""

    measures: tuple[Measure, ...]
    answer: Callable[[Of], Column]


def argument_column(name: str) -> str:
    """The column in which a group keeps the argument of its aggregate `name`."""
    return f"{name}__a"


def measured(name: str, spec: Aggregate) -> Measured:
    """The measures of an aggregate whose argument stands in `argument_column(name)`."""
    if spec.argument is None:
        rows = Measure(f"{name}__n", "sum", True, lambda w: w)
        return Measured((rows,), lambda of: of(rows.name))
    argument = F.col(quote(argument_column(name)))
    count = Measure(
        f"{name}__n", "sum", True, lambda w: F.when(argument.isNotNull(), w).otherwise(0)
    )
    match spec.function:
        case "count":
            return Measured((count,), lambda of: of(count.name))
        case "min" | "max":
            return _extreme(name, spec.function, argument)
        case _:
            return _sum(name, spec, argument, count)


def _extreme(name: str, merge: Literal["min", "max"], argument: Column) -> Measured:
    extreme = Measure(f"{name}__v", merge, False, lambda w: F.when(w > 0, argument))
    return Measured((extreme,), lambda of: of(extreme.name))


def _sum(name: str, spec: Aggregate, argument: Column, count: Measure) -> Measured:
    of_type = (spec.of or "").upper()
    if of_type in _LARGE_INTEGERS:
        return _sum_of_limbs(name, spec, argument, count)
    if of_type in _SMALL_INTEGERS:
        total = _weighted(f"{name}__s", True, argument.cast("long"))
    elif of_type.startswith(("DECIMAL", "DEC(", "NUMERIC")):
        scale = of_type.partition(",")[2].rstrip(" )").strip() or "0"
        total = _decimal(f"{name}__s", argument.cast(f"decimal(38,{scale})"), scale)
    else:
        total = _weighted(f"{name}__s", False, argument.cast("double"))

    def answer(of: Of) -> Column:
        value = of(total.name)
        value = value / of(count.name) if spec.function == "avg" else value
        return F.when(of(count.name) > 0, value).cast(spec.type or "double")

    return Measured((count, total), answer)


def _weighted(name: str, exact: bool, value: Column) -> Measure:
    # A weight of 0 must not touch the value: infinity times 0 is no number.
    return Measure(name, "sum", exact, lambda w: F.when(w != 0, value * w))


def _decimal(name: str, value: Column, scale: str) -> Measure:
    def weighted(w: Column) -> Column:
        one = F.when(w == 1, value).when(w == -1, -value).when(w == 0, None)
        return one.otherwise((value * w).cast(f"decimal(38,{scale})"))

    return Measure(name, "sum", True, weighted)


def _sum_of_limbs(name: str, spec: Aggregate, argument: Column, count: Measure) -> Measured:
    """A BIGINT sum in two limbs of 32 bits: never wraps on the way; an overflow of the result is Spark's error."""
    high = _weighted(f"{name}__h", True, F.shiftright(argument, 32))
    low = _weighted(f"{name}__l", True, argument.bitwiseAND(F.lit(_LIMB - 1)))

    def answer(of: Of) -> Column:
        if spec.function == "avg":
            whole = of(high.name).cast("double") * float(_LIMB) + of(low.name).cast("double")
            return F.when(of(count.name) > 0, whole / of(count.name))
        high_part = of(high.name).cast("decimal(20,0)") * F.lit(_LIMB).cast("decimal(10,0)")
        whole = (high_part + of(low.name).cast("decimal(20,0)")).cast("long")
        return F.when(of(count.name) > 0, whole)

    return Measured((count, high, low), answer)


def column_of(prefix: str) -> Of:
    """Measure name -> its column under a prefix."""
    return lambda name: F.col(quote(prefix + name))


def specs(aggregates: Mapping[str, Aggregate]) -> dict[str, Measured]:
    """Output name -> how it is measured."""
    return {name: measured(name, spec) for name, spec in aggregates.items()}
