"""MAX AHEAD: an absurd order value is a dead letter and does not move the clock."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .running import Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TICKS = """
CREATE STREAM s (t BIGINT, x INT, ORDER BY t) FROM CSV '{dir}/in/' MAX AHEAD 100;
CREATE QUERY q AS SELECT x FROM s [RANGE 10] INTO PARQUET '{dir}/out/q';
"""
TIMES = """
CREATE STREAM s (t TIMESTAMP, x INT, ORDER BY t) FROM CSV '{dir}/in/';
CREATE QUERY q AS SELECT x FROM s [RANGE 10 MINUTES] INTO PARQUET '{dir}/out/q';
"""


def test_a_written_limit(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.put("in/1.csv", "1,1", "2,2", "999999,3", "50,4")
    summary = place.run(TICKS)
    assert (summary.now, summary.complete, summary.deadLetters) == (50, 50, 1)
    assert place.dead_letters() == [("s", "too far ahead", 999999, '{"x":3}')]
    assert place.rows("out/q", "parquet", "x") == [(1,), (2,), (4,)]


def test_a_row_alone_in_its_epoch(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(tmp_path)
    for number, line in enumerate(("50,1", "151,2")):  # one tick too far
        place.put(f"in/{number}.csv", line)
        summary = place.run(TICKS)
    assert (summary.now, summary.deadLetters) == (50, 1)


def test_a_day_is_the_limit_of_timestamps(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.put("in/1.csv", "2026-01-01 00:00:00,1", "2026-01-01 00:00:05,2", "9999-01-01 00:00:00,3")
    summary = place.run(TIMES)
    assert (summary.now, summary.deadLetters) == ("2026-01-01T00:00:05", 1)
    place.put("in/2.csv", "2026-01-03 00:00:00,4")  # alone: nothing says that it is wrong
    assert place.run(TIMES).now == "2026-01-03T00:00:00"
