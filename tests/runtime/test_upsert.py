"""AS UPSERT: an epoch has one row a key, the newest counts, and a key that is gone is deleted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .running import Place, in_order

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXT = """
CREATE STREAM s (t BIGINT, k STRING, x INT, ORDER BY t) FROM CSV '{dir}/in/';
CREATE VIEW sums AS SELECT k, SUM(x) AS total FROM s [RANGE 10] GROUP BY k;
CREATE QUERY kept AS SELECT k, total FROM sums INTO PARQUET '{dir}/out/kept' AS UPSERT BY (k);
CREATE QUERY current AS SELECT k, total FROM sums INTO MEMORY AS UPSERT BY (k);
"""
EPOCHS = [
    (["1,a,1", "2,b,2", "3,a,4"], [("a", 5, False), ("b", 2, False)], [("a", 5), ("b", 2)]),
    (["12,c,8"], [("a", 4, False), ("b", None, True), ("c", 8, False)], [("a", 4), ("c", 8)]),
]
"""What comes, what the sink gets of it, and what holds then."""


def test_one_row_a_key_and_epoch(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(tmp_path)
    before: set[str] = set()
    for number, (lines, upserts, current) in enumerate(EPOCHS):
        place.put(f"in/{number}.csv", *lines)
        place.run(TEXT)
        [new] = {path.name for path in place.path("out/kept").iterdir()} - before
        before.add(new)
        assert place.rows(f"out/kept/{new}") == upserts
        assert in_order(spark.sql("SELECT * FROM current").collect()) == current
