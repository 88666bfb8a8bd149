"""What comes late, replaces or deletes: by hand, on few rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.dataset as ds
import pytest

from ..harness.engine import Run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXT = """
CREATE STREAM s (t BIGINT, id BIGINT, x INT, op STRING, KEY (id), ORDER BY t)
FROM JSON '{dir}/in' REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 20;
CREATE QUERY sums AS SELECT SUM(x) AS total FROM s [RANGE 10]
INTO PARQUET '{dir}/out/sums' AS CHANGELOG;
CREATE QUERY told AS SELECT SUM(x) AS total FROM s [RANGE 10] REVISE BY IGNORE
INTO PARQUET '{dir}/out/told' AS CHANGELOG;
CREATE QUERY latest AS SELECT x FROM s [ROWS 2] INTO LOG '{dir}/out/latest.log';
"""


def row(op: str, t: int | None, identity: int, x: int | None = None) -> dict[str, Any]:
    return {"t": t, "id": identity, "x": x, "op": op}


def answer(run: Run, query: str, at: int) -> Counter[Any]:
    """The values that an answer has at an instant."""
    found: Counter[Any] = Counter()
    for (value, *_), changes in run.changes(query).items():
        found[value] += sum(n for instant, n in changes.items() if instant <= at)
    return +found


def letters(run: Run) -> Counter[str]:
    folder = run.directory / "checkpoint" / "dead_letters"
    table = ds.dataset(folder, format="parquet").to_table()
    return Counter(table.column("reason").to_pylist())


def text(**settings: str) -> str:
    return "".join(f"SET {name} = '{value}';\n" for name, value in settings.items()) + TEXT


@pytest.mark.spark
def test_rows_are_corrected_by_their_key(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, text(), tmp_path)
    run.epoch({"s": [row("c", 10, 1, 100), row("c", 12, 2, 20), row("c", 15, 3, 3)]})
    assert [answer(run, "sums", at) for at in (10, 12, 15)] == [{100: 1}, {120: 1}, {123: 1}]
    # Replaced, with another order value that does not count; deleted by no more than the key; late.
    run.epoch({"s": [row("u", 14, 1, 700), row("d", None, 2), row("c", 11, 4, 40)]})
    assert [answer(run, "sums", at) for at in (10, 11, 12, 15)] == [
        {700: 1},
        {740: 1},
        {740: 1},
        {743: 1},
    ]
    assert answer(run, "latest", 15) == {"40": 1, "3": 1}
    # Whoever ignores corrections has what was told.
    assert [answer(run, "told", at) for at in (10, 12, 15)] == [{100: 1}, {120: 1}, {123: 1}]
    assert run.now == 15
    assert run.dead_letters == 0
    assert run.rows == 6


@pytest.mark.spark
def test_revisions_of_revisions_count_in_the_order_of_arrival(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = Run(spark, text(), tmp_path)
    run.epoch({"s": [row("c", 10, 1, 1), row("u", 10, 1, 2), row("u", 10, 1, 3)]})
    assert answer(run, "sums", 10) == {3: 1}
    run.epoch({"s": [row("d", 10, 1), row("c", 11, 1, 5), row("u", 11, 1, 6), row("c", 12, 2, 1)]})
    assert [answer(run, "sums", at) for at in (10, 11, 12)] == [{None: 1}, {6: 1}, {7: 1}]
    run.restart()
    run.epoch({"s": [row("u", 10, 1, 8), row("d", 10, 1), row("c", 10, 1, 9)]}, partitions=3)
    assert [answer(run, "sums", at) for at in (10, 11, 12)] == [{9: 1}, {9: 1}, {10: 1}]
    assert run.dead_letters == 0


@pytest.mark.spark
def test_what_cannot_be_corrected_is_a_dead_letter(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, text(), tmp_path)
    run.epoch({"s": [row("c", 10, 1, 1), row("c", 40, 2, 2)]})
    run.epoch(
        {
            "s": [
                row("u", 10, 1, 5),  # older than is kept, by what it says itself
                row("d", None, 1),  # older than is kept, by the row that it is about
                row("d", 40, 3),
                row("x", 40, 2),
                row("c", None, 4, 1),
                row("c", 30, 5, 1),
                row("c", 30, 5, 1),
                row("d", 30, 5),
                row("d", 30, 5),
            ]
        }
    )
    assert letters(run) == {
        "older than what is kept": 1,
        "delete of a key that is no longer kept": 1,
        "delete of an unknown key": 1,
        "unknown operation": 1,
        "no order value": 1,
        "repeat": 1,
        "delete of a deleted key": 1,
    }
    assert run.dead_letters == 7
    assert answer(run, "sums", 40) == {2: 1}


@pytest.mark.spark
def test_an_anomaly_ends_the_run_where_it_is_to(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, text(on_anomaly="fail"), tmp_path)
    run.epoch({"s": [row("c", 10, 1, 1), row("c", 12, 2, 1)]})
    run.epoch({"s": [row("c", 10, 1, 1)]})  # a repeat is none
    with pytest.raises(Exception, match="s: delete of an unknown key"):
        run.epoch({"s": [row("d", 12, 9)]})
    assert run.dead_letters == 1


DATED = """
CREATE STREAM s (t BIGINT, k STRING, x INT, op STRING, KEY (k, t), ORDER BY t)
FROM JSON '{dir}/in' REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 100;
CREATE QUERY sums AS SELECT SUM(x) AS total FROM s [RANGE 10] REVISE BY DIRECT
INTO PARQUET '{dir}/out/sums' AS CHANGELOG;
"""


@pytest.mark.spark
def test_a_key_that_says_when_finds_its_row_there(spark: SparkSession, tmp_path: Path) -> None:
    """Only the buckets of that time are read; a change without an instant finds nothing."""

    def change(op: str, t: int | None, k: str, x: int | None = None) -> dict[str, Any]:
        return {"t": t, "k": k, "x": x, "op": op}

    run = Run(spark, DATED, tmp_path)
    run.epoch({"s": [change("c", 10, "a", 1), change("c", 10, "b", 2)]})
    run.epoch({"s": [change("c", 40, "a", 3), change("c", 50, "a", 4)]})
    run.epoch({"s": [change("u", 10, "b", 20), change("d", 40, "a"), change("u", 41, "a", 9)]})
    assert [answer(run, "sums", at) for at in (10, 40, 50)] == [{21: 1}, {None: 1}, {4: 1}]
    run.epoch({"s": [change("d", None, "a")]})
    assert [answer(run, "sums", at) for at in (10, 40, 50)] == [{21: 1}, {None: 1}, {4: 1}]
    assert letters(run).total() == run.dead_letters == 2
