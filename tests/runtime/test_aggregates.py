"""Aggregates as text: measures that merge, weights that may be negative, exact sums."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import duckdb
import pytest
import sqlglot

from reflow.runtime.deltas.aggregates import aggregate, measured
from reflow.runtime.deltas.measures import Aggregate, argument_column

Row = tuple[Any, int]


def answer(spec: Aggregate, of: str, *parts: Sequence[Row]) -> Any:
    """The aggregate over (argument, weight): measures per part, merged over the parts, read off."""
    each = measured("a", spec)
    column = argument_column("a")
    partials = ", ".join(f"{m.merged(m.of_rows('w'))} AS `{m.name}`" for m in each.measures)
    merged = ", ".join(f"{m.merged(m.of_partial('1'))} AS `{m.name}`" for m in each.measures)
    rows = [
        f"SELECT {n} AS part, CAST({_literal(value)} AS {of}) AS `{column}`,"
        f" CAST({weight} AS BIGINT) AS w"
        for n, part in enumerate(parts)
        for value, weight in part
    ]
    by_part = f"SELECT {partials} FROM ({' UNION ALL '.join(rows)}) GROUP BY part"
    whole = f"SELECT {merged} FROM ({by_part})"
    text = f"SELECT {each.answer(lambda name: f'`{name}`')} FROM ({whole})"
    found = duckdb.sql(sqlglot.transpile(text, read="spark", write="duckdb")[0]).fetchall()
    return found[0][0]


def _literal(value: Any) -> str:
    return "NULL" if value is None else f"'{value}'"


def test_count_of_rows_counts_nulls_and_count_of_a_column_does_not() -> None:
    rows = [(1, 2), (None, 3)]
    assert answer(aggregate("count"), "INT", rows) == 5
    assert answer(aggregate("count", "x", "BIGINT", "INT"), "INT", rows) == 2


def test_rows_that_leave_are_taken_off_exact_measures() -> None:
    rows = [[(5, 1), (7, 2)], [(7, -1), (None, -1)]]
    assert answer(aggregate("sum", "x", "BIGINT", "INT"), "INT", *rows) == 12
    assert answer(aggregate("avg", "x", "DOUBLE", "INT"), "INT", *rows) == 6.0
    assert answer(aggregate("count", "x", "BIGINT", "INT"), "INT", *rows) == 2


def test_a_sum_over_nothing_but_nulls_is_null() -> None:
    for function in ("sum", "avg", "min", "max"):
        assert answer(aggregate(function, "x", "INT", "INT"), "INT", [(None, 4)]) is None  # type: ignore[arg-type]


def test_a_sum_from_which_all_has_left_is_null() -> None:
    assert answer(aggregate("sum", "x", "BIGINT", "INT"), "INT", [(3, 1)], [(3, -1)]) is None


def test_a_bigint_sum_does_not_wrap_on_the_way() -> None:
    most, least = 2**63 - 1, -(2**63)
    spec = aggregate("sum", "x", "BIGINT", "BIGINT")
    assert answer(spec, "BIGINT", [(most, 1), (most, 1)], [(least, 1), (least, 1)]) == -2
    assert answer(spec, "BIGINT", [(most, 3)], [(most, -2)]) == most
    assert answer(spec, "BIGINT", [(-1, 1), (-1, 1)]) == -2


def test_an_average_of_large_values_does_not_wrap() -> None:
    spec = aggregate("avg", "x", "DOUBLE", "BIGINT")
    assert answer(spec, "BIGINT", [(2**62, 4)]) == float(2**62)


def test_decimals_keep_their_scale() -> None:
    spec = aggregate("sum", "x", "DECIMAL(20,2)", "DECIMAL(10,2)")
    rows = [[("0.10", 3)], [("0.10", -1), ("5.55", 1)]]
    assert answer(spec, "DECIMAL(10,2)", *rows) == Decimal("5.75")


def test_minimum_and_maximum_are_those_of_the_parts() -> None:
    rows = [[(4, 1), (9, 1)], [(None, 1), (2, 1)]]
    assert answer(aggregate("min", "x", "INT", "INT"), "INT", *rows) == 2
    assert answer(aggregate("max", "x", "INT", "INT"), "INT", *rows) == 9


def test_infinity_that_is_not_there_makes_no_nan() -> None:
    spec = aggregate("sum", "x", "DOUBLE", "DOUBLE")
    assert answer(spec, "DOUBLE", [("Infinity", 0), (1.5, 2)]) == 3.0


@pytest.mark.parametrize(
    ("spec", "exact"),
    [
        (aggregate("count"), True),
        (aggregate("sum", "x", "BIGINT", "SMALLINT"), True),
        (aggregate("sum", "x", "BIGINT", "BIGINT"), True),
        (aggregate("avg", "x", "DECIMAL(14,6)", "DECIMAL(10,2)"), True),
        (aggregate("sum", "x", "DOUBLE", "FLOAT"), True),
        (aggregate("avg", "x", "DOUBLE", "DOUBLE"), True),
        (aggregate("min", "x", "INT", "INT"), False),
        (aggregate("max", "x", "STRING", "STRING"), False),
    ],
)
def test_only_what_can_be_subtracted_without_error_is_exact(spec: Aggregate, exact: bool) -> None:
    assert all(measure.exact for measure in measured("a", spec).measures) is exact
