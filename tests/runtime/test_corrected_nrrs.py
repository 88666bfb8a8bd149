"""What corrected rows have met of an NRR: by hand, on few rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reflow.runtime.state import store

from ..harness.engine import Run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXT = """
CREATE STREAM s (t BIGINT, id BIGINT, k INT, note STRING, op STRING, KEY (id), ORDER BY t)
FROM JSON '{dir}/in' REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 20;
CREATE NRR n (k INT, name STRING, KEY (k)) FROM JSON '{dir}/nrr/n';
CREATE QUERY met AS SELECT concat_ws(' ', s.id, n.name) AS pair FROM s LEFT JOIN n ON s.k = n.k
INTO PARQUET '{dir}/out/met' AS CHANGELOG;
"""


def row(op: str, t: int, identity: int, k: int = 1, note: str = "") -> dict[str, Any]:
    return {"t": t, "id": identity, "k": k, "note": note, "op": op}


def pairs(run: Run) -> set[str]:
    """All of the answer in the end; nothing is there twice, or withdrawn without having been."""
    summed = {pair: sum(at.values()) for (pair,), at in run.changes("met").items()}
    assert set(summed.values()) <= {0, 1}, summed
    return {pair for pair, count in summed.items() if count}


@pytest.mark.spark
def test_a_row_has_the_version_of_its_last_replacement_and_takes_it_along(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """State is added to, and folded by the last epoch alone."""
    monkeypatch.setattr(store, "SMALL", 0)
    run = Run(spark, TEXT, tmp_path)
    run.contents("n", [{"k": 1, "name": "a"}])
    run.epoch({"s": [row("c", 10, 1), row("c", 10, 2), row("c", 12, 3, k=2), row("c", 13, 5)]})
    assert pairs(run) == {"1 a", "2 a", "3", "5 a"}
    # What nobody shows is replaced, too; an equal row is none. A late row meets what is there now.
    run.contents("n", [{"k": 1, "name": "b"}, {"k": 2, "name": "b"}])
    run.epoch({"s": [row("u", 10, 1, note="x"), row("u", 10, 2), row("c", 9, 4, k=2)]})
    assert pairs(run) == {"1 b", "2 a", "3", "4 b", "5 a"}
    run.restart()
    run.contents("n", [{"k": 1, "name": "c"}, {"k": 2, "name": "c"}])
    run.epoch(
        {
            "s": [
                row("u", 10, 1, note="y"),
                row("u", 12, 3, 2, "x"),
                row("c", 14, 6),
                row("d", 14, 6),
            ]
        }
    )
    assert pairs(run) == {"1 c", "2 a", "3 c", "4 b", "5 a"}
    run.contents("n", [])
    monkeypatch.setattr(store, "FOLD_AFTER", 1)
    run.epoch({"s": [row("d", 10, 1), row("d", 9, 4), row("u", 10, 2, note="z")]})
    assert pairs(run) == {"2", "3 c", "5 a"}
    run.epoch({"s": [row("d", 12, 3), row("d", 13, 5), row("c", 40, 7)]})
    assert pairs(run) == {"2", "7"}


@pytest.mark.spark
def test_what_waits_meets_the_version_that_is_there_when_it_is_made(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = Run(spark, "SET revise_when = 'idle';" + TEXT, tmp_path)
    run.contents("n", [{"k": 1, "name": "a"}])
    run.epoch({"s": [row("c", 10, 1), row("c", 10, 2)]})
    run.contents("n", [{"k": 1, "name": "b"}])
    run.epoch({"s": [row("u", 10, 1, note="x"), row("c", 9, 3), row("c", 11, 4)]})
    assert pairs(run) == {"1 a", "2 a", "4 b"}
    # Of a row that waits, and of one that has been replaced while it waited.
    run.contents("n", [{"k": 1, "name": "c"}])
    run.epoch({"s": [row("u", 10, 1, note="y"), row("u", 9, 3, note="y"), row("c", 12, 5)]})
    run.contents("n", [{"k": 1, "name": "d"}])
    run.drain()
    assert pairs(run) == {"1 d", "2 a", "3 d", "4 b", "5 c"}
