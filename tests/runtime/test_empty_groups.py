"""A group without keys has a row from its stream's first element on, also while it is empty."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..harness.engine import Run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXT = """
CREATE STREAM s (ts BIGINT, k STRING, v INT, ORDER BY ts WITHIN 20) FROM JSON '{dir}/in';
CREATE QUERY q AS SELECT {what} AS m FROM s [RANGE 14{slide}] WHERE k = 'a'
INTO PARQUET '{dir}/out/q' AS CHANGELOG;
"""


@pytest.mark.parametrize("slide", ["", " SLIDE 5"])
@pytest.mark.parametrize("what", ["MIN(v)", "SUM(v)"])
def test_the_empty_row_leaves_when_the_first_row_comes(
    spark: SparkSession, tmp_path: Path, what: str, slide: str
) -> None:
    text = TEXT.replace("{what}", what).replace("{slide}", slide)
    run = Run(spark, text, tmp_path)
    run.epoch({"s": [{"ts": 14, "k": "c", "v": 1}]})
    # Something at or before the beginning, so that the epoch starts there anew.
    run.epoch({"s": [{"ts": 14, "k": "b", "v": 1}, {"ts": 20, "k": "a", "v": 2}]})
    assert run.changes("q") == {(None,): {14: 1, 20: -1}, (2,): {20: 1}}
