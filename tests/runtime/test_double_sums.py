"""Sums of doubles: the same to the last bit in every epoch, however the rows come."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow.dataset as ds
import pytest

from reflow.runtime.deltas.double_sums import sum_of_doubles
from reflow.runtime.deltas.measures import Aggregate, Measure, Text

from ..harness.engine import Run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXT = """
CREATE STREAM s (ts BIGINT, k STRING, d DOUBLE, ORDER BY ts WITHIN 5) FROM JSON '{dir}/in';
CREATE QUERY windowed AS SELECT k, SUM(d) AS s, AVG(d) AS m FROM s [RANGE 20] GROUP BY k
INTO PARQUET '{dir}/out/windowed' AS CHANGELOG;
CREATE QUERY forever AS SELECT k, SUM(d) AS s, AVG(d) AS m FROM s [UNBOUNDED] GROUP BY k
INTO PARQUET '{dir}/out/forever' AS CHANGELOG;
"""


def rows(draw: Random, start: int) -> list[dict[str, Any]]:
    """Tenths, which no double holds exactly, a little out of order."""
    return [
        {
            "ts": start + i - draw.randrange(4),
            "k": draw.choice("ab"),
            "d": draw.randrange(1000) / 10,
        }
        for i in range(5, 25)
    ]


def test_a_sum_of_tenths_is_withdrawn_as_it_was_emitted(
    spark: SparkSession, tmp_path: Path
) -> None:
    run, draw = Run(spark, TEXT, tmp_path), Random(3)
    arrived = []
    for epoch in range(3):
        batch = rows(draw, 20 * epoch)
        arrived += batch
        run.epoch({"s": batch}, partitions=3)
    for query, keep in (("windowed", 20), ("forever", math.inf)):
        standing = _standing(run, query)
        for (key, instant), found in standing.items():
            live = [
                r["d"] for r in arrived if r["k"] == key and instant - keep < r["ts"] <= instant
            ]
            assert len(found) == 1, (query, key, instant, found)
            total, mean = math.fsum(live), math.fsum(live) / len(live)
            assert found[0] == pytest.approx((total, mean), rel=2**-51)
        assert len(standing) > 50


def _standing(run: Run, query: str) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """(key, instant) -> the rows (sum, average) that hold then, by adding up all changes.

    To the last bit: the harness's reader would round.
    """
    folder = run.directory / "out" / query
    table = ds.dataset(folder, format="parquet", partitioning="hive").to_table().to_pylist()
    last = max(row["vs"] for row in table)
    weights: Counter[tuple[str, int, float, float]] = Counter()
    for row in table:
        for instant in range(row["vs"], min(row["ve"] or last + 1, last + 1)):
            weights[row["k"], instant, row["s"], row["m"]] += row["w"]
    found: dict[tuple[str, int], list[tuple[float, float]]] = defaultdict(list)
    for (key, instant, total, mean), weight in weights.items():
        assert weight >= 0
        found[key, instant] += [(total, mean)] * weight
    return {at: rows_ for at, rows_ in found.items() if rows_}


SUMS: list[list[float]] = [
    [0.1] * 10,
    [1e15, 0.1, -1e15],
    [-0.1, -0.2, 0.3],
    [1.5, 2.0**79, -(2.0**79)],
    [1.0, -(1.0 - 2.0**-40)],
    [2.0**90, 1.0],
    [math.inf, 1.0],
    [math.inf, -math.inf],
    [math.nan, 1.0],
]


@pytest.mark.parametrize("values", SUMS, ids=str)
@pytest.mark.parametrize("turn", [lambda v: v, lambda v: v[::-1]], ids=["as given", "reversed"])
def test_sums(
    spark: SparkSession, values: list[float], turn: Callable[[list[float]], list[float]]
) -> None:
    found = _summed(spark, turn(values))
    expected = sum(values) if not all(map(math.isfinite, values)) else math.fsum(values)
    assert found == expected or (math.isnan(found) and math.isnan(expected))


def _summed(spark: SparkSession, values: list[float]) -> float:
    count = Measure("n", "sum", True, lambda w: w)
    spec = Aggregate("sum", "x", "DOUBLE", "DOUBLE")
    summed = sum_of_doubles("s", spec, "x", count)
    merged = [f"{m.merged(m.of_rows('1L'))} AS `{m.name}`" for m in summed.measures]
    of: Text = lambda name: f"`{name}`"  # noqa: E731
    given = ", ".join(f"(CAST('{value!r}' AS DOUBLE))" for value in values)
    inner = f"SELECT {', '.join(merged)} FROM VALUES {given} AS t(x)"
    row = spark.sql(f"SELECT {summed.answer(of)} AS s FROM ({inner})").first()
    assert row is not None
    return float(row.s)
