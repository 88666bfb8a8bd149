"""REVISE BY APPROXIMATE: of all rows, or without a join, the answers are the oracle's; of a sample,
what is told adds up, and what is answered from `complete` on is exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from reflow.runtime.epoch import at_hand

from ..harness.engine import Run, emitted
from ..oracle.multiplicity import Changes, net
from ..runtime.test_replays import revisions
from .play import faults, play, report
from .revised import RevisedCase, revised
from .written import Written, written_case

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ALONE: Final[list[Written]] = [
    ("SELECT k, SUM(v) AS v, COUNT(v) AS n FROM s1 {slide} AS r GROUP BY k", None),
    (
        "SELECT COUNT(*) AS n, SUM(v) AS v FROM (SELECT v FROM s1 {five} AS r"
        " UNION ALL SELECT v FROM s2 {nine} AS x WHERE v > 0) AS u",
        None,
    ),
    ("SELECT SUM(v) + COUNT(*) AS n FROM s1 {five} AS r", None),
]
JOINED: Final[list[Written]] = [
    (
        "SELECT r.k, COUNT(*) AS n, SUM(r.v) AS v FROM s1 {five} AS r, s2 {nine} AS x"
        " WHERE r.k = x.k GROUP BY r.k",
        None,
    ),
    (
        "SELECT COUNT(*) AS n, SUM(r.v + x.v) AS v FROM s1 {slide} AS r JOIN s2 {now} AS x"
        " ON r.k = x.k AND r.v > 1",
        None,
    ),
    (
        "SELECT r.k, COUNT(*) AS n FROM s1 {five} AS r, s1 {nine} AS x"
        " WHERE r.k = x.k AND r.v < x.v GROUP BY r.k",
        None,
    ),
    (
        "SELECT k, COUNT(*) AS n FROM (SELECT r.k FROM s1 {five} AS r, s2 {now} AS x"
        " WHERE r.k = x.k UNION ALL SELECT k FROM s2 {nine} AS y) AS u GROUP BY k",
        None,
    ),
    (
        "SELECT r.k, AVG(x.v) AS a FROM s1 {now} AS r, s2 {slide} AS x WHERE r.k = x.k"
        " GROUP BY r.k",
        None,
    ),
]
SINKS: Final = ("changes", "final", "log", "changes", "changes")


def case_of(seed: int, queries: Sequence[Written], percent: int) -> RevisedCase:
    """The queries over drawn rows and corrections, each with another sink."""
    written = written_case(seed, queries)
    sinks = zip(written.queries, SINKS, strict=False)
    asked = tuple(replace(query, sink=sink) for query, sink in sinks)
    case = revised(replace(written, queries=asked), f"APPROXIMATE {percent}%")
    assert len(case.queries) == len(queries)
    return case


@pytest.mark.spark
@pytest.mark.parametrize("few", [at_hand.FEW, -1], ids=["few", "many"])
def test_of_all_rows_the_answers_are_the_oracles(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(at_hand, "FEW", few)
    case = case_of(45 if few > 0 else 59, JOINED, 100)
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
    assert_replayed(run)


@pytest.mark.spark
def test_without_a_join_the_answers_are_the_oracles(spark: SparkSession, tmp_path: Path) -> None:
    case = case_of(11, ALONE, 10)
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
    assert_replayed(run)


@pytest.mark.spark
def test_what_is_told_of_a_sample_adds_up(spark: SparkSession, tmp_path: Path) -> None:
    """Whatever is withdrawn was told before; a group has one row; what is answered from `complete`
    on is the oracle's.
    """
    case = case_of(45, JOINED, 25)
    run = Run(spark, case.text(), tmp_path)
    played = play(case, run)
    oracle, differ = case.oracle(), 0
    for query in case.queries:
        groups = query.cql.startswith(("SELECT k", "SELECT r.k"))
        before = None
        for step in played:
            told = run.changes(query.name, query.kinds, step.mark)
            assert negative(told) == {}, (query.name, step)
            at = [t for changes in told.values() for t in changes]
            for instant in sorted(set(at)) if groups else []:
                keys = Counter(row[0] for row in answer(told, instant).elements())
                assert all(n == 1 for n in keys.values()), (query.name, step, instant)
            now = step.mark.now
            if now is not None and query.sink != "final":
                exact = oracle.changes(query.oracle, known=step.feeds, until=now)
                since = now if before is None else max(before, min(now, before))
                for instant in range(since, now + 1, case.scene.unit):
                    assert answer(told, instant) == answer(exact, instant), (query.name, step)
                differ += net(told, until=now) != net(exact, until=now)
            before = step.mark.complete
    # Else the sample was never worse than all rows, and the test sees nothing.
    assert differ > 0


def assert_replayed(run: Run) -> None:
    """Rows were corrected that had been complete, in more than one epoch."""
    corrected = {each["epoch"] for each in revisions(run) if each["rows_replayed"] > 0}
    assert len(corrected) > 1


def negative(told: Changes) -> dict[Any, int]:
    """Rows that are withdrawn more often than they were told, with the instant."""
    found = {}
    for row, changes in told.items():
        total = 0
        for instant in sorted(changes):
            total += changes[instant]
            if total < 0:
                found[row] = instant
    return found


def answer(told: Changes, at: int) -> Counter[Any]:
    """The rows of an answer at an instant."""
    found: Counter[Any] = Counter()
    for row, changes in told.items():
        found[row] += sum(n for instant, n in changes.items() if instant <= at)
    return +found


def test_joins_are_estimated_and_others_read_no_sample() -> None:
    joined = emitted(case_of(3, JOINED, 25).text().replace("{dir}", "x"))
    assert joined.count("estimated=True") == len(JOINED)
    assert 'drawn={"s1": ["s1", "s2"], "s2": ["s1"]}' in joined
    alone = emitted(case_of(3, ALONE, 10).text().replace("{dir}", "x"))
    assert "drawn={}" in alone
