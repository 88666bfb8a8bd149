"""Aggregates as measures: columns that merge over rows, and the answer read off the merged columns.
All as SQL text.

A measure is *exact* when it can be subtracted again without error: counts, and SUM and AVG over
numbers. MIN and MAX are not, nor are the values themselves (`bags`): where rows leave, they are
computed anew from what stays.

An answer is computed again in later epochs and must come out the same to the last bit, or the row
that was emitted could not be withdrawn. So no measure may depend on the order of rows: doubles are
summed as integers (`double_sums`), values are kept sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from ..elements.columns import quote
from .bags import ANSWERS, SUMS, in_bag
from .decimal_sums import sum_of_decimals
from .double_sums import sum_of_doubles
from .measures import (
    Aggregate,
    Measure,
    Measured,
    Text,
    argument_column,
    weighted,
)

BY_ORDER: Final = frozenset({"first", "last", "collect_list"})
"""Aggregates by the order of rows. Their argument is a struct with the value as its field `x`; the
group puts the row's place in time in front of it.
"""

_SMALL_INTEGERS: Final = frozenset({"TINYINT", "SMALLINT", "INT", "INTEGER", "BYTE", "SHORT"})
_LARGE_INTEGERS: Final = frozenset({"BIGINT", "LONG"})
_LIMB: Final = 2**32


def aggregate(
    function: str,
    argument: str | None = None,
    type: str | None = None,
    of: str | None = None,
    parameter: str | None = None,
    distinct: bool = False,
) -> Aggregate:
    """An aggregate of a `group`; `count` without argument is COUNT(*)."""
    return Aggregate(function, argument, type, of, parameter, distinct)


def owners(aggregates: Mapping[str, Aggregate]) -> Iterable[str]:
    """For each aggregate the one whose measures it reads: those of the same values share them."""
    first: dict[tuple[str | None, bool], str] = {}
    for name, spec in aggregates.items():
        values = (spec.argument, spec.distinct)
        yield first.setdefault(values, name) if _keeps_values(spec) else name


def _keeps_values(spec: Aggregate) -> bool:
    return spec.distinct or (spec.function in ANSWERS and spec.function not in SUMS)


def measured(name: str, spec: Aggregate) -> Measured:
    """The measures of an aggregate whose argument stands in `argument_column(name)`."""
    if spec.argument is None:
        rows = Measure(f"{name}__n", "sum", True, lambda w: w)
        return Measured((rows,), lambda of: of(rows.name))
    argument = quote(argument_column(name))
    if _keeps_values(spec):
        return in_bag(name, spec, argument)
    count = Measure(
        f"{name}__n", "sum", True, lambda w: f"CASE WHEN {argument} IS NULL THEN 0 ELSE {w} END"
    )
    match spec.function:
        case "count":
            return Measured((count,), lambda of: of(count.name))
        case "min" | "max":
            return _extreme(name, spec, spec.function, argument)
        case "min_by" | "first":
            return _extreme(name, spec, "min", argument, ".x")
        case "max_by" | "last":
            return _extreme(name, spec, "max", argument, ".x")
        case "bool_and" | "bool_or":
            return _logic(name, spec, argument, count)
        case _:
            return _sum(name, spec, argument, count)


def _extreme(
    name: str, spec: Aggregate, merge: Literal["min", "max"], argument: str, part: str = ""
) -> Measured:
    """The least or greatest value, or the part `x` of it where values are compared by more."""
    extreme = Measure(
        f"{name}__v", merge, False, lambda w: f"CASE WHEN {w} > 0 THEN {argument} END", spec.of
    )
    return Measured((extreme,), lambda of: of(extreme.name) + part)


def _logic(name: str, spec: Aggregate, argument: str, count: Measure) -> Measured:
    """Whether all, or any, are true: their number can be subtracted."""
    true = Measure(f"{name}__t", "sum", True, lambda w: f"CASE WHEN {argument} THEN {w} ELSE 0 END")
    bound = count.name if spec.function == "bool_and" else None

    def answer(of: Text) -> str:
        test = f"{of(true.name)} > 0" if bound is None else f"{of(true.name)} = {of(bound)}"
        return f"CASE WHEN {of(count.name)} > 0 THEN {test} END"

    return Measured((count, true), answer)


def _sum(name: str, spec: Aggregate, argument: str, count: Measure) -> Measured:
    of_type = (spec.of or "").upper()
    if of_type in _LARGE_INTEGERS:
        return _sum_of_limbs(name, spec, argument, count)
    if of_type in _SMALL_INTEGERS:
        total = weighted(f"{name}__s", True, f"CAST({argument} AS BIGINT)")
    elif of_type.startswith(("DECIMAL", "DEC(", "NUMERIC")):
        return sum_of_decimals(name, spec, argument, count)
    else:
        return sum_of_doubles(name, spec, argument, count)

    def answer(of: Text) -> str:
        value = of(total.name)
        value = f"{value} / {of(count.name)}" if spec.averages else value
        guarded = f"CASE WHEN {of(count.name)} > 0 THEN {value} END"
        return f"CAST({guarded} AS {spec.type or 'DOUBLE'})"

    return Measured((count, total), answer)


def _sum_of_limbs(name: str, spec: Aggregate, argument: str, count: Measure) -> Measured:
    """A BIGINT sum in two limbs of 32 bits: never wraps on the way; an overflow of the result is
    Spark's error.
    """
    high = weighted(f"{name}__h", True, f"shiftright({argument}, 32)")
    low = weighted(f"{name}__l", True, f"({argument} & {_LIMB - 1}L)")

    def answer(of: Text) -> str:
        h, low_part, n = of(high.name), of(low.name), of(count.name)
        if spec.averages:
            whole = f"(CAST({h} AS DOUBLE) * {_LIMB}D + CAST({low_part} AS DOUBLE))"
            return f"CASE WHEN {n} > 0 THEN {whole} / {n} END"
        exact = f"CAST({h} AS DECIMAL(20,0)) * {_LIMB}BD + CAST({low_part} AS DECIMAL(20,0))"
        return f"CASE WHEN {n} > 0 THEN {spec.cast}({exact} AS BIGINT) END"

    return Measured((count, high, low), answer)
