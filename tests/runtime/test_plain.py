"""Stateless programs run as plain Structured Streaming, drained again and again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reflow.runtime.program import CheckpointError, RunError

from .running import Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TO_PARQUET = """
CREATE STREAM s (t BIGINT, x INT, ORDER BY t) FROM CSV '{dir}/in/';
CREATE QUERY q AS SELECT t, x + 1 AS y FROM s WHERE x < 100 INTO PARQUET '{dir}/out/q';
"""
TO_CSV = """
CREATE STREAM s (t BIGINT, x INT, ORDER BY t) FROM JSON '{dir}/in/';
CREATE QUERY q AS SELECT t, x FROM s INTO CSV '{dir}/out/q' OPTIONS (header = 'true');
"""


def five(part: int) -> list[str]:
    return [f"{10 * part + i},{i}" for i in range(5)]


def test_three_drains_of_five_new_rows_each_give_fifteen(
    spark: SparkSession, tmp_path: Path
) -> None:
    place = Place(tmp_path)
    for part in range(3):
        place.put(f"in/{part}.csv", *five(part), "9,100")  # Spark's reader drops the last itself
        summary = place.run(TO_PARQUET)
        assert (summary.numInputRows, summary.now, summary.deadLetters) == (5, None, 0)
    wanted = [(10 * part + i, i + 1) for part in range(3) for i in range(5)]
    assert place.rows("out/q") == sorted(wanted, key=repr)
    assert {report.kind for report in place.seen} == {"batch"}


def test_what_cannot_be_an_element_is_a_dead_letter(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.put("in/1.json", '{"t": 1, "x": 5}', '{"t": 2, "x": ', '{"x": 7}', '{"t": 4, "x": "no"}')
    summary = place.run(TO_CSV)
    assert place.rows("out/q", "csv") == [(1, 5)]
    assert place.dead_letters() == [
        ("s", "malformed", 4, '{"t": 4, "x": "no"}'),
        ("s", "malformed", None, '{"t": 2, "x": '),
        ("s", "no order value", None, '{"t":null,"x":7}'),
    ]
    assert (summary.numInputRows, summary.deadLetters) == (4, 3)


def test_a_checkpoint_belongs_to_one_program(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.put("in/1.csv", *five(1))
    place.run(TO_PARQUET)
    with_clock = TO_PARQUET.replace("'{dir}/out/q'", "'{dir}/out/r' AS CHANGELOG")
    for other in (TO_PARQUET.replace("x + 1", "x + 2"), with_clock):
        with pytest.raises(CheckpointError, match="another program"):
            place.run(other)
    place.run(with_clock, checkpoint="other")
    with pytest.raises(CheckpointError, match="another program"):
        place.run(TO_PARQUET, checkpoint="other")


def test_a_source_that_is_not_there(spark: SparkSession, tmp_path: Path) -> None:
    for text in (TO_PARQUET, TO_PARQUET.replace("INTO PARQUET '{dir}/out/q'", "")):
        with pytest.raises(RunError, match="PATH_NOT_FOUND"):
            Place(tmp_path).run(text)
