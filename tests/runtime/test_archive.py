"""The archive of a run of many epochs is bounded by the window that reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from reflow.runtime.archive import compaction

from .running import Place

WINDOW, EPOCHS, MERGE_AFTER = 2, 9, 3
QUERY = f"""
CREATE STREAM s (t BIGINT, a INT, ORDER BY t)
  FROM CSV '{{dir}}/s' OPTIONS (maxFilesPerTrigger = '1');
CREATE QUERY q AS SELECT a, COUNT(*) AS n FROM s [RANGE {WINDOW}] GROUP BY a
  INTO PARQUET '{{dir}}/q';
"""


def test_merged_buckets_let_go_of_what_has_left_the_window(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "MERGE_AFTER", MERGE_AFTER)
    place = Place(tmp_path)
    for t in range(EPOCHS):
        place.put(f"s/{t:02}.csv", f"{t},1")
    place.run(QUERY)
    held = [progress.archiveRows for progress in place.seen if progress.numInputRows]
    assert len(held) == EPOCHS
    # What the window holds, what came since the last merge, and what the last merge could not know.
    assert max(held) <= WINDOW + MERGE_AFTER + 1
    rises = {
        row[2]: row[1] for row in place.rows("q", "parquet", "a", "n", "vs", "w") if row[3] > 0
    }
    assert rises[WINDOW - 1] == WINDOW
    assert max(rises.values()) == WINDOW
