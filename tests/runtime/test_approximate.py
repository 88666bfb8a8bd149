"""Corrections by REVISE BY APPROXIMATE, by hand, on few rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..harness.engine import Run
from .test_replays import SLIDING, revisions
from .test_replays import TEXT as REPLAYED
from .test_revising import answer, row

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXT = """
CREATE STREAM s (t BIGINT, id BIGINT, x INT, op STRING, KEY (id), ORDER BY t)
FROM JSON '{dir}/in' REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 40;
CREATE QUERY sums AS SELECT SUM(x) AS total FROM s [RANGE 10] REVISE BY APPROXIMATE 10%
INTO PARQUET '{dir}/out/sums' AS CHANGELOG;
CREATE QUERY final AS SELECT SUM(x) AS total FROM s [RANGE 10] REVISE BY APPROXIMATE 10%
EMIT FINAL INTO PARQUET '{dir}/out/final' AS CHANGELOG;
CREATE QUERY frozen AS SELECT SUM(x) AS total FROM s [RANGE 10] REVISE BY APPROXIMATE 10%
EMIT FROZEN INTO PARQUET '{dir}/out/frozen' AS CHANGELOG;
CREATE QUERY current AS SELECT x, COUNT(*) AS n FROM s [RANGE 10] GROUP BY x
REVISE BY APPROXIMATE 10% INTO PARQUET '{dir}/out/current' AS UPSERT;
CREATE QUERY rows AS SELECT x FROM s WHERE x > 0 INTO PARQUET '{dir}/out/rows' AS CHANGELOG;
CREATE QUERY told AS SELECT SUM(x) AS total FROM s [RANGE 10] REVISE BY IGNORE
INTO PARQUET '{dir}/out/told' AS CHANGELOG;
"""


@pytest.mark.spark
def test_without_a_join_no_sample_makes_a_difference(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, TEXT, tmp_path)
    run.epoch({"s": [row("c", 10, 1, 100), row("c", 12, 2, 20), row("c", 15, 3, 3)]})
    run.epoch({"s": [row("c", 30, 4, 5)]})
    run.epoch(
        {"s": [row("u", 10, 1, 7), row("d", None, 2), row("c", 28, 5, 40), row("c", 31, 6, 1)]}
    )
    for query in ("sums", "final"):
        found = [answer(run, query, at) for at in (10, 12, 15, 20, 28, 30)]
        assert found == [{7: 1}, {7: 1}, {10: 1}, {3: 1}, {40: 1}, {45: 1}], query
    assert [answer(run, "told", at) for at in (15, 30, 31)] == [{123: 1}, {5: 1}, {6: 1}]
    assert answer(run, "rows", 31) == {7: 1, 3: 1, 5: 1, 40: 1, 1: 1}
    run.restart()
    run.epoch({"s": [row("c", 8, 7, 2)]})
    found = [answer(run, "sums", at) for at in (7, 8, 9, 10, 15, 18, 31)]
    assert found == [{}, {2: 1}, {2: 1}, {9: 1}, {12: 1}, {10: 1}, {46: 1}]
    run.epoch({"s": [row("c", 60, 8, 9)]})
    assert [answer(run, "frozen", at) for at in (8, 10, 15, 18)] == [{2: 1}, {9: 1}, {12: 1}, {10: 1}]
    assert run.dead_letters == 0
    told = revisions(run)
    assert {r["technique"] for r in told} == {"APPROXIMATE 10%"}
    assert {r["standard_error"] for r in told} == {0.0}
    # The rows that correct others, and no others: the replaced one twice, the deleted and the late.
    assert {r["epoch"]: r["rows_replayed"] for r in told} == {3: 4, 4: 1}
