"""Aggregates as measures: columns that merge over rows, and the answer read off the merged columns.
All as SQL text.

A measure is *exact* when it can be subtracted again without error: COUNT, and SUM and AVG over
integers and decimals. Sums of doubles, MIN and MAX are not: where rows leave, they are computed
anew from what stays.

An answer is computed again in later epochs and must come out the same to the last bit, or the row
that was emitted could not be withdrawn. So no measure may depend on the order of addition: doubles
are summed as integers (`double_sums`).
"""

from __future__ import annotations

from typing import Final, Literal

from ..elements.columns import quote
from .double_sums import sum_of_doubles
from .measures import (
    Aggregate,
    Function,
    Measure,
    Measured,
    Text,
    argument_column,
    weighted,
)

_SMALL_INTEGERS: Final = frozenset({"TINYINT", "SMALLINT", "INT", "INTEGER", "BYTE", "SHORT"})
_LARGE_INTEGERS: Final = frozenset({"BIGINT", "LONG"})
_LIMB: Final = 2**32


def aggregate(
    function: Function, argument: str | None = None, type: str | None = None, of: str | None = None
) -> Aggregate:
    """An aggregate of a `group`; `count` without argument is COUNT(*)."""
    return Aggregate(function, argument, type, of)


def measured(name: str, spec: Aggregate) -> Measured:
    """The measures of an aggregate whose argument stands in `argument_column(name)`."""
    if spec.argument is None:
        rows = Measure(f"{name}__n", "sum", True, lambda w: w)
        return Measured((rows,), lambda of: of(rows.name))
    argument = quote(argument_column(name))
    count = Measure(
        f"{name}__n", "sum", True, lambda w: f"CASE WHEN {argument} IS NULL THEN 0 ELSE {w} END"
    )
    match spec.function:
        case "count":
            return Measured((count,), lambda of: of(count.name))
        case "min" | "max":
            return _extreme(name, spec.function, argument)
        case _:
            return _sum(name, spec, argument, count)


def _extreme(name: str, merge: Literal["min", "max"], argument: str) -> Measured:
    extreme = Measure(
        f"{name}__v", merge, False, lambda w: f"CASE WHEN {w} > 0 THEN {argument} END"
    )
    return Measured((extreme,), lambda of: of(extreme.name))


def _sum(name: str, spec: Aggregate, argument: str, count: Measure) -> Measured:
    of_type = (spec.of or "").upper()
    if of_type in _LARGE_INTEGERS:
        return _sum_of_limbs(name, spec, argument, count)
    if of_type in _SMALL_INTEGERS:
        total = weighted(f"{name}__s", True, f"CAST({argument} AS BIGINT)")
    elif of_type.startswith(("DECIMAL", "DEC(", "NUMERIC")):
        scale = of_type.partition(",")[2].rstrip(" )").strip() or "0"
        total = _decimal(f"{name}__s", argument, f"DECIMAL(38,{scale})")
    else:
        return sum_of_doubles(name, spec, argument, count)

    def answer(of: Text) -> str:
        value = of(total.name)
        value = f"{value} / {of(count.name)}" if spec.function == "avg" else value
        guarded = f"CASE WHEN {of(count.name)} > 0 THEN {value} END"
        return f"CAST({guarded} AS {spec.type or 'DOUBLE'})"

    return Measured((count, total), answer)


def _decimal(name: str, argument: str, wide: str) -> Measure:
    value = f"CAST({argument} AS {wide})"

    def copies(w: str) -> str:
        other = f"CAST({value} * {w} AS {wide})"
        return (
            f"CASE {w} WHEN 0 THEN NULL WHEN 1 THEN {value} WHEN -1 THEN -{value} ELSE {other} END"
        )

    return Measure(name, "sum", True, copies)


def _sum_of_limbs(name: str, spec: Aggregate, argument: str, count: Measure) -> Measured:
    """A BIGINT sum in two limbs of 32 bits: never wraps on the way; an overflow of the result is
    Spark's error.
    """
    high = weighted(f"{name}__h", True, f"shiftright({argument}, 32)")
    low = weighted(f"{name}__l", True, f"({argument} & {_LIMB - 1}L)")

    def answer(of: Text) -> str:
        h, low_part, n = of(high.name), of(low.name), of(count.name)
        if spec.function == "avg":
            whole = f"(CAST({h} AS DOUBLE) * {_LIMB}D + CAST({low_part} AS DOUBLE))"
            return f"CASE WHEN {n} > 0 THEN {whole} / {n} END"
        exact = f"CAST({h} AS DECIMAL(20,0)) * {_LIMB}BD + CAST({low_part} AS DECIMAL(20,0))"
        return f"CASE WHEN {n} > 0 THEN CAST({exact} AS BIGINT) END"

    return Measured((count, high, low), answer)
