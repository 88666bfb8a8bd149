"""Aggregates of all values: what cannot be said of sums.

The measure is the sorted array of the values that are not NULL, or of the different ones, so the
answer does not depend on the order in which rows came. All as SQL text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from .measures import Aggregate, Measure, Measured
from .moments import MOMENTS

Answer = Callable[[str, Aggregate], str]
"""From the array's name, what it stands for; NULL for an empty array unless said otherwise."""

SUMS: Final = frozenset({"count", "sum", "avg", "try_sum", "try_avg"})
"""Those that are read off the values only where equal ones count once."""

_INEXACT: Final = ("DOUBLE", "FLOAT")


def in_bag(name: str, spec: Aggregate, argument: str) -> Measured:
    """The measure and answer of an aggregate over all values, or all different ones."""
    of_type = (spec.of or "").upper()
    # One zero: two that compare as equal could stand in either order.
    value = f"({argument} + CAST(0 AS {of_type}))" if of_type in _INEXACT else argument
    array = f"array({value})" if spec.distinct else f"array_repeat({value}, CAST(%s AS INT))"
    bag = Measure(
        f"{name}__b",
        "set" if spec.distinct else "bag",
        False,
        lambda w: f"CASE WHEN {w} > 0 AND {argument} IS NOT NULL THEN {array.replace('%s', w)} END",
        f"ARRAY<{spec.of or 'DOUBLE'}>",
    )
    answer = ANSWERS[spec.function]
    return Measured((bag,), lambda of: answer(of(bag.name), spec))


def _count(bag: str, spec: Aggregate) -> str:
    return f"CAST(coalesce(size({bag}), 0) AS BIGINT)"


def _total(bag: str, spec: Aggregate) -> str:
    """SUM and AVG of what is in the array. Whole numbers in DECIMAL: no sum on the way wraps."""
    of_type = (spec.of or "").upper()
    if not of_type or of_type in _INEXACT:
        total, wide = f"aggregate({bag}, 0D, (a, x) -> a + CAST(x AS DOUBLE))", "DOUBLE"
    else:
        scale = of_type.partition(",")[2].rstrip(" )").strip() or "0"
        wide = f"DECIMAL(38,{scale})"
        total = f"aggregate({bag}, CAST(0 AS {wide}), (a, x) -> CAST(a + x AS {wide}))"
    value = total
    if spec.averages and "(" in of_type:
        # Spark cuts digits of a quotient off where the dividend's type is as long as can be.
        digits = min(38, int(of_type.partition("(")[2].partition(",")[0].rstrip(" )")) + 10)
        short = f"CAST({total} AS DECIMAL({digits},{scale}))"
        value = f"{short} / CAST(size({bag}) AS DECIMAL(10,0))"
    if spec.averages and (spec.type or "").upper() == "DOUBLE":
        value = f"CAST({total} AS DOUBLE) / size({bag})"
    return f"CASE WHEN size({bag}) > 0 THEN {spec.cast}({value} AS {spec.type or 'DOUBLE'}) END"


def _shares(spec: Aggregate) -> list[str]:
    return [share.strip() for share in (spec.parameter or "0.5").strip("[]").split(",")]


def _each_share(bag: str, spec: Aggregate, one: Callable[[str, str], str]) -> str:
    """One value, or an array of them where the query gives an array of shares."""
    answers = [one(bag, f"{float(share)!r}D") for share in _shares(spec)]
    if not (spec.parameter or "").startswith("["):
        return answers[0]
    return f"CASE WHEN size({bag}) > 0 THEN array({', '.join(answers)}) END"


def _percentile(bag: str, share: str) -> str:
    """Between the two values next to the place, as PERCENTILE of Spark."""
    place = f"(size({bag}) - 1) * {share}"
    low = f"CAST(get({bag}, CAST(floor(p) AS INT)) AS DOUBLE)"
    high = f"CAST(get({bag}, CAST(ceil(p) AS INT)) AS DOUBLE)"
    between = f"(ceil(p) - p) * {low} + (p - floor(p)) * {high}"
    value = f"CASE WHEN {low} = {high} THEN {low} ELSE {between} END"
    return f"get(transform(array({place}), p -> {value}), 0)"


def _value_at(bag: str, share: str) -> str:
    """The least value that so large a share of the values does not exceed."""
    return f"get({bag}, CAST(greatest(ceil(size({bag}) * {share}), 1) AS INT) - 1)"


def _mode(bag: str, spec: Aggregate) -> str:
    """The most frequent value, the least of several: runs of equal neighbours are counted."""
    nothing = f"CASE WHEN FALSE THEN get({bag}, 0) END"
    start = f"named_struct('v', {nothing}, 'n', 0, 'c', {nothing}, 'k', 0)"
    run = "CASE WHEN x <=> a.c THEN a.k + 1 ELSE 1 END"
    best = f"CASE WHEN {run} > a.n THEN x ELSE a.v END"
    step = f"named_struct('v', {best}, 'n', greatest(a.n, {run}), 'c', x, 'k', {run})"
    return f"aggregate({bag}, {start}, (a, x) -> {step}, a -> a.v)"


def _bits(operator: str) -> Answer:
    def answer(bag: str, spec: Aggregate) -> str:
        # The first value once more changes nothing of AND and OR, and is left out for XOR.
        rest = f"slice({bag}, 2, greatest(size({bag}) - 1, 0))"
        return f"aggregate({rest}, get({bag}, 0), (a, x) -> a {operator} x)"

    return answer


def _of_moments(text: Callable[[str], str]) -> Answer:
    return lambda bag, spec: text(bag)


ANSWERS: Mapping[str, Answer] = MappingProxyType(
    {
        "count": _count,
        "sum": _total,
        "avg": _total,
        "try_sum": _total,
        "try_avg": _total,
        "percentile": lambda bag, spec: _each_share(bag, spec, _percentile),
        "percentile_approx": lambda bag, spec: _each_share(bag, spec, _value_at),
        "mode": _mode,
        "collect_set": lambda bag, spec: f"coalesce({bag}, array())",
        "collect_list": lambda bag, spec: f"coalesce(transform({bag}, s -> s.x), array())",
        "bit_and": _bits("&"),
        "bit_or": _bits("|"),
        "bit_xor": _bits("^"),
        **{name: _of_moments(text) for name, text in MOMENTS.items()},
    }
)
