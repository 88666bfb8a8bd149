"""Streams of elements: what may not be said is a dead letter with its reason and changes nothing;
the clock goes by stables; what AS ELEMENTS writes is read back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.dataset as ds
import pytest

from reflow.runtime.elements.physical import INSERT, STABLE, after_stables
from reflow.runtime.program import Anomaly

from ..harness.engine import Run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

FEED = (
    "CREATE STREAM feed (k STRING, kind STRING, vs BIGINT, ve BIGINT, old_ve BIGINT,"
    " ELEMENTS (kind, vs, ve, old_ve){more}) FROM JSON '{{dir}}/in/feed';\n"
)
READ = "CREATE QUERY q AS SELECT k FROM feed INTO PARQUET '{dir}/out/q' AS CHANGELOG;"
TEXT = FEED.format(more="") + READ


def insert(k: str | None, vs: int | None, ve: int | None = None) -> dict[str, Any]:
    return {"k": k, "kind": "insert", "vs": vs, "ve": ve}


def adjust(k: str, vs: int | None, old: int | None, new: int | None) -> dict[str, Any]:
    return {"k": k, "kind": "adjust", "vs": vs, "ve": new, "old_ve": old}


def stable(at: int | None) -> dict[str, Any]:
    return {"kind": "stable", "vs": at}


def reasons(run: Run) -> list[tuple[str, Any]]:
    """(reason, start of the element) of every dead letter."""
    folder = run.directory / "checkpoint" / "dead_letters"
    rows = ds.dataset(folder, format="parquet").to_table().to_pylist() if folder.exists() else []
    return sorted((row["reason"], json.loads(row["row"]).get("vs")) for row in rows)


def fed(spark: SparkSession, place: Path, *epochs: Iterable[dict[str, Any]]) -> Run:
    run = Run(spark, TEXT, place)
    for rows in epochs:
        run.epoch({"feed": list(rows)})
    return run


def test_adjusts_change_ends_and_stables_move_the_clock(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = fed(
        spark,
        tmp_path,
        [insert("a", 1, 5), insert("b", 2), stable(2)],
        [adjust("a", 1, 5, 9), insert("c", 6, 8), adjust("b", 2, None, 7)],
        [adjust("c", 6, 8, 6), stable(7), insert("a", 12, 13)],
    )
    assert [(mark.now, mark.complete) for mark in run.marks] == [(2, 2), (6, 2), (12, 7)]
    assert run.changes("q") == {("a",): {1: 1, 9: -1, 12: 1}, ("b",): {2: 1, 7: -1}}
    assert reasons(run) == []


ANOMALIES = [
    ("unknown kind of element", {"k": "a", "kind": "upsert", "vs": 9}),
    ("unknown kind of element", {"k": "a", "vs": 9}),
    ("no order value", insert("a", None)),
    ("no order value", stable(None)),
    ("ends before it starts", insert("a", 9, 8)),
    ("ends before it starts", adjust("a", 9, 12, 8)),
    ("insert before a stable", insert("b", 4, 30)),
    ("adjust before a stable", adjust("a", 1, 20, 4)),
    ("adjust before a stable", adjust("old", 1, 3, 9)),
    ("adjust of an unknown event", adjust("a", 1, 19, 21)),
    ("adjust of an unknown event", adjust("x", 1, 20, 21)),
    ("adjust of an unknown event", adjust("a", 2, 20, 21)),
]


@pytest.mark.parametrize("apart", [False, True], ids=["one epoch", "an epoch each"])
def test_what_may_not_be_said_is_a_dead_letter(
    spark: SparkSession, tmp_path: Path, apart: bool
) -> None:
    begun = [insert("a", 1, 20), insert("old", 1, 3), stable(5)]
    wrong = [element for _, element in ANOMALIES]
    after = [adjust("a", 1, 20, 8), insert("c", 9, 11)]
    epochs = [begun, wrong, after] if apart else [[*begun, *wrong, *after]]
    run = fed(spark, tmp_path, *epochs)
    run.restart()
    run.until(30)
    expected = [(reason, element.get("vs")) for reason, element in ANOMALIES]
    assert sorted(reasons(run), key=repr) == sorted(expected, key=repr)
    assert run.dead_letters == len(ANOMALIES)
    assert run.changes("q") == {
        ("a",): {1: 1, 8: -1},
        ("old",): {1: 1, 3: -1},
        ("c",): {9: 1, 11: -1},
    }


def test_nothing_builds_on_an_adjust_that_is_none(spark: SparkSession, tmp_path: Path) -> None:
    """The second adjust would find what the first has made, had that been one; the third finds the
    event that is there.
    """
    wrong = [adjust("a", 1, 6, 7), adjust("a", 1, 7, 8), adjust("a", 1, 5, 6), adjust("a", 1, 7, 9)]
    run = fed(spark, tmp_path, [insert("a", 1, 5), *wrong], [adjust("a", 1, 6, 10)])
    run.until(20)
    assert reasons(run) == [("adjust of an unknown event", 1)] * 3
    assert run.changes("q") == {("a",): {1: 1, 10: -1}}


def test_copies_of_an_event_are_adjusted_one_by_one(spark: SparkSession, tmp_path: Path) -> None:
    twice = [insert("a", 1, 5), insert("a", 1, 5), insert(None, 1, 5)]
    run = fed(spark, tmp_path, twice, [adjust("a", 1, 5, 7)], [adjust("a", 1, 5, 8)])
    run.epoch({"feed": [adjust("a", 1, 5, 9)]})
    run.until(20)
    assert run.changes("q") == {("a",): {1: 2, 7: -1, 8: -1}, (None,): {1: 1, 5: -1}}
    assert reasons(run) == [("adjust of an unknown event", 1)]


def test_a_cancelled_event_is_none_any_more(spark: SparkSession, tmp_path: Path) -> None:
    cancelled = [insert("a", 5, 9), adjust("a", 5, 9, 5), insert("b", 5, 5)]
    run = fed(spark, tmp_path, [*cancelled, adjust("a", 5, 5, 8)], [adjust("b", 5, 5, 8)])
    run.epoch({"feed": [adjust("a", 5, 9, 8), insert("a", 5, 7)]})
    run.until(20)
    assert reasons(run) == [("adjust of an unknown event", 5)] * 3
    assert run.changes("q") == {("a",): {5: 1, 7: -1}}


def test_an_insert_that_may_not_be_shows_no_first_instant(
    spark: SparkSession, tmp_path: Path
) -> None:
    """COUNT has an answer from the first event on: not from what came after a stable."""
    text = FEED.format(more="") + (
        "CREATE QUERY q AS SELECT COUNT(*) AS n FROM feed INTO PARQUET '{dir}/out/q' AS CHANGELOG;"
    )
    run = Run(spark, text, tmp_path)
    run.epoch({"feed": [stable(5), insert("a", 2, 9), insert("a", 6, 9)]})
    run.until(20)
    assert run.changes("q") == {(1,): {6: 1, 9: -1}, (0,): {9: 1}}


def test_inserts_only(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, FEED.format(more=", INSERT ONLY") + READ, tmp_path)
    run.epoch({"feed": [insert("a", 1, 5), adjust("a", 1, 5, 7), insert("b", 3), stable(3)]})
    run.epoch({"feed": [insert("c", 2, 9), insert("c", 4, 6)]})
    run.until(10)
    assert run.changes("q") == {("a",): {1: 1, 5: -1}, ("b",): {3: 1}, ("c",): {4: 1, 6: -1}}
    expected = [("adjust in a stream of inserts only", 1), ("insert before a stable", 2)]
    assert reasons(run) == expected


@pytest.mark.parametrize("wrong", [element for _, element in ANOMALIES])
def test_an_anomaly_ends_the_run_where_it_should(
    spark: SparkSession, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    run = Run(spark, "SET on_anomaly = 'fail';\n" + TEXT, tmp_path)
    run.epoch({"feed": [insert("a", 1, 20), insert("old", 1, 3), stable(5)]})
    with pytest.raises(Anomaly, match="feed: "):
        run.epoch({"feed": [wrong]})


def test_stables_count_over_files_as_within_one(spark: SparkSession) -> None:
    """In large epochs each file counts for itself, with what those before it have said."""
    told = [(1, "b", INSERT, 1), (1, "b", STABLE, 5), (1, "c", INSERT, 2), (2, "a", STABLE, 3)]
    told += [(2, "a", INSERT, 3), (2, "a", STABLE, 8), (3, "a", INSERT, 4), (3, "a", INSERT, 5)]
    rows = [(kind, at, (time, file, 0, n)) for n, (time, file, kind, at) in enumerate(told)]
    place = "_pos STRUCT<time: BIGINT, file: STRING, block: BIGINT, row: BIGINT>"
    frame = spark.createDataFrame(rows[::-1], f"_kind INT, _vs BIGINT, {place}")
    frame.repartition(3).createOrReplaceTempView("told")
    stables = [2, 2, 5, 5, 5, 5, 8, 8]
    for single in (True, False):
        text = after_stables("told", ["_pos.row AS row"], "_vs", 2, single)
        found = spark.sql(text).orderBy("row").toArrow().to_pylist()
        assert [row["_stable"] for row in found] == stables, single
