"""Aggregates as text against Spark's own over the same rows: whatever the order, the parts and the
copies, the answer is one to the last bit.
"""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from reflow.runtime.deltas.aggregates import aggregate, measured, owners
from reflow.runtime.deltas.measures import Aggregate, argument_column

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAIR = "CASE WHEN NOT x IS NULL AND NOT y IS NULL THEN named_struct('x', x, 'y', y) END"
PAIRS = ["corr", "covar_pop", "covar_samp", "regr_avgx", "regr_avgy", "regr_sxx", "regr_syy"]
PAIRS += ["regr_sxy", "regr_slope", "regr_intercept", "regr_r2", "regr_count"]
SINGLE = ["var_pop", "var_samp", "stddev_pop", "stddev_samp", "skewness", "kurtosis"]

# Name -> what Reflow computes, and what Spark is asked for.
CHECKS: dict[str, tuple[Aggregate, str]] = {
    **{f: (aggregate(f, "x", "DOUBLE", "DOUBLE"), f"{f}(x)") for f in SINGLE},
    **{f: (aggregate(f, PAIR, "DOUBLE"), f"{f}(y, x)") for f in PAIRS},
    "mean": (aggregate("avg", "x", "DOUBLE", "DOUBLE"), "avg(x)"),
    "median": (aggregate("percentile", "x", "DOUBLE", "DOUBLE", "0.5"), "median(x)"),
    "shares": (
        aggregate("percentile", "i", "ARRAY<DOUBLE>", "INT", "[0.1, 0.25, 1.0]"),
        "percentile(i, array(0.1, 0.25, 1.0))",
    ),
    "place": (
        aggregate("percentile_approx", "i", "INT", "INT", "0.3"),
        "percentile_approx(i, 0.3, 10000)",
    ),
    "often": (aggregate("mode", "i", "INT", "INT"), "mode(i, true)"),
    "set": (
        aggregate("collect_set", "i", "ARRAY<INT>", "INT", None, True),
        "sort_array(collect_set(i))",
    ),
    "different": (aggregate("count", "x", "BIGINT", "DOUBLE", None, True), "count(DISTINCT x)"),
    "distinct_sum": (aggregate("sum", "i", "BIGINT", "INT", None, True), "sum(DISTINCT i)"),
    "distinct_avg": (aggregate("avg", "i", "DOUBLE", "INT", None, True), "avg(DISTINCT i)"),
    "distinct_dec": (
        aggregate("avg", "d", "DECIMAL(14,8)", "DECIMAL(10,4)", None, True),
        "avg(DISTINCT d)",
    ),
    "distinct_dev": (
        aggregate("stddev_samp", "i", "DOUBLE", "INT", None, True),
        "stddev(DISTINCT i)",
    ),
    **{f: (aggregate(f, "i", "INT", "INT"), f"{f}(i)") for f in ("bit_and", "bit_or", "bit_xor")},
    "all_true": (aggregate("bool_and", "i > 1", "BOOLEAN", "BOOLEAN"), "bool_and(i > 1)"),
    "any_true": (aggregate("bool_or", "i > 8", "BOOLEAN", "BOOLEAN"), "bool_or(i > 8)"),
    "least_of": (
        aggregate("min_by", "CASE WHEN NOT x IS NULL THEN named_struct('y', x, 'x', r) END"),
        "min_by(r, struct(x, r)) FILTER (WHERE x IS NOT NULL)",
    ),
    "decimal": (
        aggregate("avg", "d", "DECIMAL(14,8)", "DECIMAL(10,4)"),
        "avg(d)",
    ),
    "long_sum": (
        aggregate("sum", "l", "DECIMAL(38,18)", "DECIMAL(38,18)"),
        "sum(l)",
    ),
    "long_mean": (
        aggregate("avg", "l", "DECIMAL(38,22)", "DECIMAL(38,18)"),
        "avg(l)",
    ),
}


def rows(draw: Random) -> list[str]:
    """(group, part, number, x, y, i, d, l) as SQL; the groups have 60, 1, 0, 5 equal values, and an
    infinity among others.
    """
    found = [values(draw, "many", n) for n in range(60)]
    found += [values(draw, "one", 0)]
    found += ["('none', 0, 0, NULL, NULL, NULL, NULL, NULL)"]
    found += [f"('equal', {n}, {n}, 0.1, 0.7, 3, 0.1, '0.1')" for n in range(5)]
    found += [values(draw, "huge", n) for n in range(3)]
    return [*found, "('huge', 1, 3, double('inf'), 1, 1, 1, '1')"]


def values(draw: Random, group: str, number: int) -> str:
    def maybe(value: Any) -> Any:
        return "NULL" if draw.random() < 0.1 and group == "many" else value

    x, y = 1e6 + draw.randrange(1000) / 1000, draw.choice(["0D", "-0D", f"{draw.gauss(0, 1)!r}D"])
    i, d = draw.randrange(9), draw.randrange(10**8) / 10**4
    long = f"'{draw.randrange(10**14)}.{draw.randrange(10**18):018}'"
    return (
        f"('{group}', {draw.randrange(3)}, {number}, {maybe(x)}, {maybe(y)}, {maybe(i)},"
        f" {maybe(d)}, {maybe(long)})"
    )


def table(spark: SparkSession, listed: list[str]) -> str:
    spark.sql(
        "SELECT g, part, r, double(x) x, double(y) y, int(i) i, cast(d AS DECIMAL(10,4)) d,"
        f" cast(l AS DECIMAL(38,18)) l FROM VALUES {', '.join(listed)}"
        " AS t(g, part, r, x, y, i, d, l)"
    ).createOrReplaceTempView("given")
    return "given"


def found(spark: SparkSession, listed: list[str], parts: int) -> dict[str, tuple[Any, ...]]:
    """The answers per group, merged from so many parts."""
    specs = {name: spec for name, (spec, _) in CHECKS.items()}
    each = {
        name: measured(owner, specs[name]) for name, owner in zip(specs, owners(specs), strict=True)
    }
    measures = {m.name: m for one in each.values() for m in one.measures}
    arguments = ", ".join(f"{s.argument} AS `{argument_column(n)}`" for n, s in specs.items())
    first = ", ".join(f"{m.merged(m.of_rows('w'))} AS `{m.name}`" for m in measures.values())
    second = ", ".join(f"{m.merged(m.of_partial('1L'))} AS `{m.name}`" for m in measures.values())
    answers = ", ".join(f"{o.answer(lambda n: f'`{n}`')} AS `{n}`" for n, o in each.items())
    inner = f"SELECT g, part % {parts} AS part, 1L AS w, {arguments} FROM {table(spark, listed)}"
    inner = f"SELECT g, {first} FROM ({inner}) GROUP BY g, part"
    text = f"SELECT g, {answers} FROM (SELECT g, {second} FROM ({inner}) GROUP BY g)"
    return {row[0]: tuple(row)[1:] for row in spark.sql(text).collect()}


@pytest.mark.spark
def test_answers_are_sparks_and_the_same_in_any_order(spark: SparkSession) -> None:
    draw = Random(11)
    listed = rows(draw)
    one = found(spark, listed, 1)
    draw.shuffle(listed)
    other = found(spark, listed, 3)
    asked = ", ".join(f"{text} AS `{name}`" for name, (_, text) in CHECKS.items())
    expected = spark.sql(f"SELECT g, {asked} FROM given GROUP BY g").collect()
    assert len(expected) == 5
    for row in expected:
        for name, mine, again, theirs in zip(
            CHECKS, one[row[0]], other[row[0]], tuple(row)[1:], strict=True
        ):
            place = (row[0], name, mine, again, theirs)
            assert repr(mine) == repr(again), place
            assert close(mine, theirs), place


def close(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, float) and isinstance(theirs, float):
        return (math.isnan(mine) and math.isnan(theirs)) or mine == pytest.approx(
            theirs, rel=1e-6, abs=1e-9
        )
    return bool(mine == theirs)
