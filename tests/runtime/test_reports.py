"""RSTREAM in a changelog: what was reported stays open, and late rows take back what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.dataset as ds

from ..harness.engine import Run
from .running import in_order, visible

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXT = """
CREATE STREAM s (t BIGINT, k STRING, ORDER BY t WITHIN 5) FROM CSV '{dir}/in';
CREATE QUERY counts AS RSTREAM (SELECT k, COUNT(*) AS n FROM s [RANGE 10] GROUP BY k)
INTO PARQUET '{dir}/out/counts' AS CHANGELOG;
CREATE QUERY copies AS RSTREAM (SELECT k FROM s [RANGE 10])
INTO PARQUET '{dir}/out/copies' AS CHANGELOG;
"""


def test_a_report_is_an_open_event_that_a_late_row_may_take_back(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = Run(spark, TEXT, tmp_path)
    run.epoch({"s": [{"t": 1, "k": "a"}, {"t": 4, "k": "a"}, {"t": 6, "k": "b"}]})
    assert written(run, "counts") == [
        ("a", 1, 1, None, 1),
        ("a", 2, 4, None, 1),
        ("a", 2, 6, None, 1),
        ("b", 1, 6, None, 1),
    ]
    assert written(run, "copies") == [
        ("a", 1, None, 1),
        ("a", 4, None, 2),
        ("a", 6, None, 2),
        ("b", 6, None, 1),
    ]
    run.epoch({"s": [{"t": 2, "k": "b"}]})
    assert written(run, "counts") == [
        ("a", 1, 2, None, 1),
        ("b", 1, 2, None, 1),
        ("b", 1, 4, None, 1),
        ("b", 1, 6, None, -1),
        ("b", 2, 6, None, 1),
    ]
    assert written(run, "copies") == [
        ("a", 2, None, 1),
        ("b", 2, None, 1),
        ("b", 4, None, 1),
        ("b", 6, None, 1),
    ]


def written(run: Run, query: str) -> list[tuple[Any, ...]]:
    """The rows of the last epoch, without its number."""
    folder = run.directory / "out" / query / f"epoch={run.marks[-1].epoch}"
    table = ds.dataset(visible(folder), format="parquet").to_table()
    return in_order(tuple(row.values()) for row in table.to_pylist())
