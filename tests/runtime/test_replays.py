"""Corrections by REPLAY, by hand, on few rows; and the table of revisions."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.dataset as ds
import pytest

from reflow.runtime.epoch import at_hand

from ..harness.engine import Run
from ..oracle.multiplicity import Changes
from .test_revising import answer, row

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXT = """
CREATE STREAM s (t BIGINT, id BIGINT, x INT, op STRING, KEY (id), ORDER BY t)
FROM JSON '{dir}/in' REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 40;
CREATE QUERY sums AS SELECT SUM(x) AS total FROM s [RANGE 10] REVISE BY TECHNIQUE
INTO PARQUET '{dir}/out/sums' AS CHANGELOG;
CREATE QUERY frozen AS SELECT SUM(x) AS total FROM s [RANGE 10] EMIT FROZEN
INTO PARQUET '{dir}/out/frozen' AS CHANGELOG;
CREATE QUERY current AS SELECT x, COUNT(*) AS n FROM s [RANGE 10] GROUP BY x
INTO PARQUET '{dir}/out/current' AS UPSERT;
CREATE QUERY rows AS SELECT x FROM s WHERE x > 0 INTO PARQUET '{dir}/out/rows' AS CHANGELOG;
CREATE QUERY told AS SELECT SUM(x) AS total FROM s [RANGE 10] REVISE BY IGNORE
INTO PARQUET '{dir}/out/told' AS CHANGELOG;
"""


def text(technique: str = "REPLAY MINIMAL") -> str:
    return TEXT.replace("TECHNIQUE", technique)


def revisions(run: Run) -> list[dict[str, Any]]:
    folder = run.directory / "checkpoint" / "revisions"
    table = ds.dataset(folder, format="parquet", partitioning="hive").to_table()
    return sorted(table.to_pylist(), key=lambda r: (r["epoch"], r["at"]))


def current(run: Run) -> dict[int, int]:
    """What an UPSERT table shows in the end."""
    shown: dict[int, int] = {}
    folder = run.directory / "out" / "current"
    table = ds.dataset(folder, format="parquet", partitioning="hive").to_table()
    for each in sorted(table.to_pylist(), key=lambda r: r["epoch"]):
        shown.pop(each["x"], None)
        if not each["deleted"]:
            shown[each["x"]] = each["n"]
    return shown


@pytest.mark.spark
def test_what_was_complete_is_corrected(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, text(), tmp_path)
    run.epoch({"s": [row("c", 10, 1, 100), row("c", 12, 2, 20), row("c", 15, 3, 3)]})
    run.epoch({"s": [row("c", 30, 4, 5)]})
    assert [answer(run, "sums", at) for at in (10, 15, 20, 30)] == [
        {100: 1},
        {123: 1},
        {23: 1},
        {5: 1},
    ]
    # Replaced below what is complete; deleted; late, beside a row in time.
    run.epoch(
        {"s": [row("u", 10, 1, 7), row("d", None, 2), row("c", 28, 5, 40), row("c", 31, 6, 1)]}
    )
    found = [answer(run, "sums", at) for at in (10, 12, 15, 20, 28, 30, 31)]
    assert found == [{7: 1}, {7: 1}, {10: 1}, {3: 1}, {40: 1}, {45: 1}, {46: 1}]
    assert [answer(run, "told", at) for at in (15, 30, 31)] == [{123: 1}, {5: 1}, {6: 1}]
    assert answer(run, "rows", 31) == {7: 1, 3: 1, 5: 1, 40: 1, 1: 1}
    assert current(run) == {5: 1, 40: 1, 1: 1}
    # Late, and before all others: the answer begins there.
    run.epoch({"s": [row("c", 8, 7, 2)]})
    found = [answer(run, "sums", at) for at in (7, 8, 9, 10, 15, 18, 31)]
    assert found == [{}, {2: 1}, {2: 1}, {9: 1}, {12: 1}, {10: 1}, {46: 1}]
    assert run.dead_letters == 0


@pytest.mark.spark
def test_what_is_frozen_was_corrected_before(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, text("REPLAY ALL"), tmp_path)
    run.epoch({"s": [row("c", 10, 1, 100), row("c", 15, 3, 3)]})
    run.epoch({"s": [row("c", 40, 4, 5)]})
    assert answer(run, "frozen", 40) == {}
    run.epoch({"s": [row("u", 10, 1, 7)]})
    run.epoch({"s": [row("c", 60, 5, 1)]})
    # Frozen up to 20: nothing is told of the row as it was.
    assert set(run.changes("frozen")) == {(7,), (10,)}
    assert [answer(run, "frozen", at) for at in (10, 15, 19)] == [{7: 1}, {10: 1}, {10: 1}]


SLIDING = """
CREATE STREAM s (t BIGINT, x INT, ORDER BY t) FROM JSON '{dir}/in' ARCHIVE KEEP 100;
CREATE QUERY sums AS SELECT SUM(x) AS total, COUNT(*) AS n FROM s [RANGE 10 SLIDE 5] GROUP BY x % 2
REVISE BY REPLAY MINIMAL INTO PARQUET '{dir}/out/sums' AS CHANGELOG;
CREATE QUERY rows AS SELECT a.x, b.x AS y FROM s [RANGE 10 SLIDE 5] AS a, s [NOW] AS b
WHERE a.x % 2 = b.x % 2 INTO PARQUET '{dir}/out/rows' AS CHANGELOG;
"""


@pytest.mark.spark
def test_late_rows_below_windows_that_slide(spark: SparkSession, tmp_path: Path) -> None:
    """Panes, which do not know their rows one by one, and rows that begin later than they come."""
    run = Run(spark, SLIDING, tmp_path)
    epochs = ([1, 2, 7, 8, 21, 22], [33, 9, 3, 34], [12, 60], [11, 30, 58, 61, 62])
    came: list[int] = []
    for instants in epochs:
        run.epoch({"s": [{"t": t, "x": t} for t in instants]})
        came += instants
        told = {query: run.changes(query) for query in ("sums", "rows")}
        for at in range(run.now + 1):
            begun = [t for t in came if -(-t // 5) * 5 <= at < -(-(t + 10) // 5) * 5]
            groups = [[t for t in begun if t % 2 == odd] for odd in (0, 1)]
            sums = Counter((sum(rows), len(rows)) for rows in groups if rows)
            assert answers(told["sums"], at) == sums, at
            pairs = Counter((t, at) for t in begun if at in came and (t - at) % 2 == 0)
            assert answers(told["rows"], at) == pairs, at


PARTS = """
CREATE STREAM s (t BIGINT, id BIGINT, g STRING, x INT, op STRING, KEY (id), ORDER BY t)
FROM JSON '{dir}/in' REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 100;
CREATE QUERY sums AS SELECT g, SUM(x) AS total FROM s [RANGE 10] GROUP BY g
REVISE BY REPLAY MINIMAL INTO PARQUET '{dir}/out/sums' AS CHANGELOG;
CREATE QUERY pairs AS SELECT a.g, a.x, b.x AS y FROM s [RANGE 5] AS a, s [RANGE 3 SLIDE 2] AS b
WHERE a.g = b.g INTO PARQUET '{dir}/out/pairs' AS CHANGELOG;
"""


@pytest.mark.spark
@pytest.mark.parametrize("few", [at_hand.FEW, -1], ids=["few", "many"])
def test_rows_that_move_from_part_to_part(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """Only the groups that a corrected row was in, or is in now, are replayed: NULL is one, too."""
    monkeypatch.setattr(at_hand, "FEW", few)
    run = Run(spark, PARTS, tmp_path)
    groups = ("a", "b", "it's", None)
    rows = {n: {"t": 5 + n // 2, "id": n, "g": groups[n % 4], "x": n} for n in range(40)}
    run.epoch({"s": [{**each, "op": "c"} for each in rows.values()]})
    run.epoch({"s": [{"t": 60, "id": 99, "g": "a", "x": 1, "op": "c"}]})
    rows[99] = {"t": 60, "id": 99, "g": "a", "x": 1}
    for n, group in ((8, "b"), (9, None), (15, "it's"), (16, "new"), (38, "a")):
        rows[n] = {**rows[n], "g": group, "x": 100 + n}
    late = {"t": 30, "id": 200, "g": "late", "x": 7}
    changes = [{**rows[n], "op": "u"} for n in (8, 9, 15, 16, 38)]
    run.epoch({"s": [*changes, {"id": 3, "op": "d"}, {**late, "op": "c"}]})
    del rows[3]
    rows[200] = late
    sums, pairs = run.changes("sums"), run.changes("pairs")
    for at in range(61):
        valid = [r for r in rows.values() if r["t"] <= at < r["t"] + 10]
        totals = {g: sum(r["x"] for r in valid if r["g"] == g) for g in {r["g"] for r in valid}}
        assert answers(sums, at) == Counter(totals.items()), at
        left = [r for r in rows.values() if r["t"] <= at < r["t"] + 5]
        right = [r for r in rows.values() if -(-r["t"] // 2) <= at / 2 < -(-(r["t"] + 3) // 2)]
        met = ((a, b) for a in left for b in right if a["g"] == b["g"] is not None)
        assert answers(pairs, at) == Counter((a["g"], a["x"], b["x"]) for a, b in met), at


TWICE = """
CREATE STREAM s (t BIGINT, g INT, ORDER BY t) FROM JSON '{dir}/in' ARCHIVE KEEP 100;
CREATE QUERY q AS SELECT g, COUNT(*) AS n, COUNT(*) AS m FROM s [RANGE 10] WHERE g > 0 GROUP BY g
REVISE BY REPLAY MINIMAL INTO LOG '{dir}/out/q.log';
"""


@pytest.mark.spark
def test_a_log_of_columns_that_are_the_same(spark: SparkSession, tmp_path: Path) -> None:
    """What Spark cuts off and reads twice must not hold a column twice: it mixes them up."""
    run = Run(spark, TWICE, tmp_path)
    run.epoch({"s": [{"t": t, "g": 1 + t % 2} for t in (1, 2, 3, 40)]})
    run.epoch({"s": [{"t": 2, "g": 1}, {"t": 41, "g": 1}]})
    told = run.changes("q", ["int", "int", "int"])
    found = {at: answers(told, at) for at in (1, 2, 11, 12, 13, 40, 41)}
    assert found[1] == Counter({(2, 1, 1): 1})
    assert found[2] == Counter({(2, 1, 1): 1, (1, 2, 2): 1})
    assert found[11] == Counter({(2, 1, 1): 1, (1, 2, 2): 1})
    assert found[12] == Counter({(2, 1, 1): 1})
    assert found[13] == Counter()
    assert found[40] == Counter({(1, 1, 1): 1})
    assert found[41] == Counter({(1, 2, 2): 1})


def answers(told: Changes, at: int) -> Counter[Any]:
    """The rows that an answer has at an instant."""
    found: Counter[Any] = Counter()
    for row_, changes in told.items():
        found[row_] += sum(n for instant, n in changes.items() if instant <= at)
    return +found


@pytest.mark.spark
def test_the_table_says_what_was_corrected(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, text(), tmp_path)
    run.epoch({"s": [row("c", 10, 1, 100), row("c", 12, 2, 20), row("c", 15, 3, 3)]})
    run.epoch({"s": [row("c", 30, 4, 5)]})
    assert not (run.directory / "checkpoint" / "revisions").exists()
    run.epoch({"s": [row("u", 10, 1, 7), row("d", None, 2), row("c", 13, 5, 40)]})
    found = revisions(run)
    assert [(r["epoch"], r["stream"], r["change"], r["at"]) for r in found] == [
        (3, "s", "replace", 10),
        (3, "s", "delete", 12),
        (3, "s", "insert", 13),
    ]
    values = [[json.loads(r[c])["x"] if r[c] else None for c in ("before", "after")] for r in found]
    assert values == [[100, 7], [20, None], [None, 40]]
    assert {r["technique"] for r in found} == {"REPLAY MINIMAL"}
    # Three rows of the archive, and the four elements that correct them.
    assert {r["rows_replayed"] for r in found} == {7}
    # Pieces of `sums`: 100, 120, 123, 23 and 3 are withdrawn where they do not hold; `rows`: five.
    assert Counter(r["outputs_corrected"] for r in found).total() == 3
    assert all(r["outputs_corrected"] > 8 and r["milliseconds"] > 0 for r in found)
