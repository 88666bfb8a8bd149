"""Corrections below windows that move at every so-many-th row: by hand, on few rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reflow.runtime.state import store

from ..harness.engine import Run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXT = """
CREATE STREAM s (t BIGINT, id BIGINT, op STRING, KEY (id), ORDER BY t)
FROM JSON '{dir}/in' REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 20;
CREATE QUERY pairs AS SELECT id FROM s [ROWS 2 SLIDE 2] INTO PARQUET '{dir}/out/pairs' AS CHANGELOG;
"""


def row(op: str, t: int, identity: int) -> dict[str, Any]:
    return {"t": t, "id": identity, "op": op}


def shown(run: Run) -> set[int]:
    """The answer in the end."""
    summed = {identity: sum(at.values()) for (identity,), at in run.changes("pairs").items()}
    assert set(summed.values()) <= {0, 1}, summed
    return {identity for identity, count in summed.items() if count}


@pytest.mark.spark
@pytest.mark.parametrize("small", [store.SMALL, 0])
def test_rows_are_counted_anew_if_the_first_one_goes(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    """State is written anew, or added to and folded late."""
    monkeypatch.setattr(store, "SMALL", small)
    run = Run(spark, TEXT, tmp_path)
    run.epoch({"s": [row("c", 10, 1), row("c", 11, 2), row("c", 12, 3)]})
    assert shown(run) == {1, 2}
    run.epoch({"s": [row("d", 10, 1)]})
    assert shown(run) == {2, 3}
    monkeypatch.setattr(store, "FOLD_AFTER", 1)
    run.epoch({"s": [row("c", 13, 4)]})
    assert shown(run) == {2, 3}
    run.epoch({"s": [row("c", 14, 5), row("d", 11, 2)]})
    assert shown(run) == {3, 4}
    run.epoch({"s": [row("c", 60, 6), row("c", 61, 7)]})
    assert shown(run) == {5, 6}
