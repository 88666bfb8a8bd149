"""When ended rows go, and how state with announced ends is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reflow.runtime.state.expiration import Expiration

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize(
    ("complete", "eager", "lazy"),
    [(0, 0, 0), (9, 0, 0), (10, 10, 0), (125, 120, 120), (-1, -10, -60)],
)
def test_rows_go_when_the_clock_has_passed_a_multiple(complete: int, eager: int, lazy: int) -> None:
    settings = Expiration(eager_interval=10, lazy_interval=60)
    assert settings.frontier(complete, lazily=False) == eager
    assert settings.frontier(complete, lazily=True) == lazy


def test_as_a_rule_they_go_at_once() -> None:
    assert Expiration().frontier(125, lazily=False) == 125
    assert Expiration().frontier(125, lazily=True) == 125


def test_files_hold_ranges_of_ends_in_the_order_that_was_asked_for(
    spark: SparkSession, tmp_path: Path
) -> None:
    import pyarrow.parquet as pq

    rows = spark.range(64).selectExpr("id AS k", "(id * 37) % 64 AS _ve")
    settings = Expiration(partitions=4, order="expiry")
    settings.laid_out(rows).write.parquet(str(tmp_path / "ends"))
    files = sorted((tmp_path / "ends").glob("*.parquet"))
    ends = [pq.read_table(file)["_ve"].to_pylist() for file in files]
    assert len(files) == 4
    assert [end for part in ends for end in part] == list(range(64))
    plain = spark.range(3)
    assert settings.laid_out(plain) is plain
