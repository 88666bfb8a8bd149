"""Corrections by REVISE BY APPROXIMATE, by hand, on few rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from reflow.runtime.epoch import engine
from reflow.runtime.epoch.estimating import estimates
from reflow.runtime.epoch.sample import SEED, Sample

from ..harness.engine import Run
from .test_replays import revisions
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
    assert [answer(run, "frozen", at) for at in (8, 10, 15, 18)] == [
        {2: 1},
        {9: 1},
        {12: 1},
        {10: 1},
    ]
    assert run.dead_letters == 0
    told = revisions(run)
    assert {r["technique"] for r in told} == {"APPROXIMATE 10%"}
    assert {r["standard_error"] for r in told} == {0.0}
    # The rows that correct others, and no others: the replaced one twice, the deleted and the late.
    assert {r["epoch"]: r["rows_replayed"] for r in told} == {3: 4, 4: 1}


JOINED = """
CREATE STREAM s (t BIGINT, id BIGINT, k STRING, x INT, op STRING, KEY (id), ORDER BY t)
FROM JSON '{dir}/s' REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 500;
CREATE STREAM r (t BIGINT, id BIGINT, k STRING, y INT, KEY (id), ORDER BY t)
FROM JSON '{dir}/r' ARCHIVE KEEP 500;
CREATE QUERY q AS SELECT s.k, SUM(s.x * r.y) AS total FROM s [RANGE 40] AS s, r [RANGE 60] AS r
WHERE s.k = r.k GROUP BY s.k REVISE BY APPROXIMATE 25%
INTO PARQUET '{dir}/out/q' AS CHANGELOG;
"""
SEEDS: Final = range(24)


@pytest.mark.spark
def test_estimates_are_near_the_truth_and_their_error_is_told(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many samples of one correction: their mean, how many are within two standard errors, and
    the numbers of rows. The errors are computed here by another way.
    """
    deltas: dict[int, list[Delta]] = {}
    rows: dict[int, int] = {}

    def sampled(context: Any, evaluate: Any, replay: Any, found: Any) -> Any:
        def of(sample: Sample) -> list[Delta]:
            drawn = replace(found, sample=sample)
            rows[sample.percent] = drawn.rows
            [made] = estimates(context, evaluate, replay, drawn).values()
            assert made.frame is not None
            return made.frame.toArrow().to_pylist()

        deltas.update({seed: of(Sample(25, seed)) for seed in SEEDS})
        deltas[EVERY] = of(Sample(100))
        rows[5] = replace(found, sample=Sample(5)).rows
        return estimates(context, evaluate, replay, found)

    monkeypatch.setattr(engine, "estimates", sampled)
    run = Run(spark, JOINED, tmp_path)
    met = [{"t": n // 4, "id": n, "k": "ab"[n % 3 // 2], "y": 1 + n * n % 17} for n in range(240)]
    came = [{"t": 20 + n, "id": n, "k": "ab"[n % 2], "x": 3 * n, "op": "c"} for n in range(20)]
    run.epoch({"s": came, "r": met})
    run.epoch({"s": [{**came[0], "t": 200, "id": 99}], "r": [{**met[0], "t": 200, "id": 999}]})
    late = {"t": 35, "id": 77, "k": "a", "x": 20, "op": "c"}
    run.epoch({"s": [{**came[3], "x": 30, "op": "u"}, {"id": 8, "op": "d"}, late]})
    known = {**{each["id"]: each for each in came}, 3: {**came[3], "x": 30}, 77: late}
    del known[8]

    within = 0
    for key in "ab":
        right = truth(known.values(), met, key, AT) - truth(came, met, key, AT)
        assert right != 0
        assert brought(deltas[EVERY], key, AT)[0] == right
        found = [brought(deltas[seed], key, AT) for seed in SEEDS]
        errors = [error for _, error in found]
        spread = (sum(error * error for error in errors) / len(errors)) ** 0.5
        mean = sum(made for made, _ in found) / len(found)
        assert abs(mean - right) < 2 * spread / len(found) ** 0.5, (key, mean, right, spread)
        within += sum(abs(made - right) <= 2 * error for made, error in found)
        # Near a sample's own error, too: else it would be one that says nothing.
        assert (
            0.5 < (sum((made - right) ** 2 for made, _ in found) / len(found)) ** 0.5 / spread < 2
        )
    assert within >= 0.9 * 2 * len(SEEDS)

    told = revisions(run)
    ends = {t for each in deltas[SEED] for t in (each["_vs"], each["_ve"])}
    largest = max(brought(deltas[SEED], key, at)[1] for key in "ab" for at in ends)
    assert {round(r["standard_error"] / largest, 9) for r in told} == {1.0}
    assert rows[100] > 2 * rows[25] > 4 * rows[5] > 0
    assert {r["rows_replayed"] for r in told} == {rows[25]}
    # What is answered from `complete` on is exact, and so is the rest of this: 25 of a hundred.
    [(total, _)] = answer_of(run, "a", AT).items()
    assert total == truth(came, met, "a", AT) + brought(deltas[SEED], "a", AT)[0]


AT: Final = 45
"""An instant at which all that is corrected is valid."""
EVERY: Final = -1
Delta = dict[str, Any]


def truth(left: Iterable[Delta], right: Iterable[Delta], key: str, at: int) -> int:
    """The sum over all pairs at an instant."""
    live = [each for each in right if each["k"] == key and each["t"] <= at < each["t"] + 60]
    ours = [each for each in left if each["k"] == key and each["t"] <= at < each["t"] + 40]
    return sum(one["x"] * other["y"] for one in ours for other in live)


def brought(delta: list[Delta], key: str, at: int) -> tuple[int, float]:
    """What a delta brings to a sum at an instant, and its standard error."""
    live = [each for each in delta if each["k"] == key and each["_vs"] <= at < each["_ve"]]
    parts: Counter[int | None] = Counter()
    for each in live:
        parts[each["_drawn"]] += each["_w"] * each["total__a"]
    squares = sum(part * part for drawn, part in parts.items() if drawn is not None)
    return sum(parts.values()), (0.75 * squares) ** 0.5


def answer_of(run: Run, key: str, at: int) -> Counter[int]:
    """The totals that a group has at an instant."""
    found: Counter[int] = Counter()
    for (k, total), changes in run.changes("q").items():
        if k == key:
            found[total] += sum(n for instant, n in changes.items() if instant <= at)
    return +found


FIRST = """
CREATE STREAM s (t BIGINT, x INT, ORDER BY t) FROM JSON '{dir}/s' ARCHIVE KEEP 500;
CREATE STREAM r (t BIGINT, y INT, ORDER BY t) FROM JSON '{dir}/r' ARCHIVE KEEP 500;
CREATE QUERY q AS SELECT COUNT(*) AS n FROM s [RANGE 5], r [RANGE 5] REVISE BY APPROXIMATE 50%
INTO PARQUET '{dir}/out/q' AS CHANGELOG;
"""


@pytest.mark.spark
def test_a_late_row_before_all_others_begins_the_answer(
    spark: SparkSession, tmp_path: Path
) -> None:
    """It meets no row, so that there is nothing to estimate."""
    run = Run(spark, FIRST, tmp_path)
    run.epoch({"s": [{"t": 20, "x": 1}], "r": [{"t": 20, "y": 1}]})
    run.epoch({"s": [{"t": 10, "x": 1}], "r": []})
    assert [answer(run, "q", at) for at in (9, 10, 19, 20)] == [{}, {0: 1}, {0: 1}, {1: 1}]


OTHERS = """
CREATE STREAM s (t BIGINT, id BIGINT, x INT, op STRING, KEY (id), ORDER BY t)
FROM JSON '{dir}/s' REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 500;
CREATE STREAM r (t BIGINT, y INT, ORDER BY t) FROM JSON '{dir}/r';
CREATE QUERY q AS SELECT COUNT(*) AS n FROM s [RANGE 40], r [RANGE 60 SLIDE 20]
REVISE BY APPROXIMATE 50% INTO PARQUET '{dir}/out/q' AS CHANGELOG;
CREATE QUERY different AS SELECT DISTINCT y FROM r [RANGE 9] UNION ALL SELECT y FROM r [NOW]
INTO PARQUET '{dir}/out/different' AS CHANGELOG;
CREATE QUERY pairs AS SELECT r.y FROM r [RANGE 9] LEFT JOIN (SELECT DISTINCT y FROM r [NOW]) AS d
ON r.y = d.y INTO PARQUET '{dir}/out/pairs' AS CHANGELOG;
CREATE QUERY count AS SELECT y FROM r [ROWS 2] INTO PARQUET '{dir}/out/count' AS CHANGELOG;
CREATE QUERY last AS SELECT x FROM s [ROWS 1] REVISE BY IGNORE
INTO PARQUET '{dir}/out/last' AS CHANGELOG;
"""


@pytest.mark.spark
def test_a_sample_by_place_beside_queries_that_are_not_corrected(
    spark: SparkSession, tmp_path: Path
) -> None:
    """They are no part of it, whatever operators they have. Rows without a key are drawn, too."""
    run = Run(spark, OTHERS, tmp_path)
    met = [{"t": n, "y": n % 4} for n in range(60)]
    run.epoch({"s": [row("c", 50, 1, 1)], "r": met})
    run.epoch({"s": [row("c", 100, 2, 2)], "r": [{"t": 100, "y": 7}]})
    told = {query: run.changes(query) for query in ("different", "pairs", "count", "last")}
    assert answer(run, "q", 60) == {59: 1}
    run.epoch({"s": [row("d", None, 1), row("c", 45, 3, 3), row("c", 55, 4, 4)]})
    assert {query: run.changes(query) for query in told} == told
    # One more meets 59 rows, of which about half are drawn, for two each.
    [(estimate, _)] = answer(run, "q", 60).items()
    assert estimate % 2 == 1 and 59 < estimate < 3 * 59
    assert answer(run, "q", 100) == {20: 1}
    assert {r["standard_error"] > 0 for r in revisions(run)} == {True}
