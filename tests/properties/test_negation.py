"""Set operators and questions to other queries, with NULLs: written queries over drawn data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from ..harness.engine import Run
from ..oracle.evaluate import Evaluator
from .case import Case
from .play import faults, play, report
from .written import Written, written_case

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COUNTS: Final = "SELECT k, COUNT(*) AS n FROM {counted} AS x GROUP BY k"
_COUNTS_1: Final = _COUNTS.replace("{counted}", "s1 {nine}")
_COUNTS_2: Final = _COUNTS.replace("{counted}", "s2 {five}")
_TUPLES: Final = f"SELECT a.k, a.g FROM s1 {{nine}} AS a WHERE (a.k, a.g) NOT IN ({_COUNTS_2})"
# DuckDB's NOT IN for tuples forgets which instant a NULL belongs to when it answers all instants
# in one statement. The same question in words that it gets right:
_TUPLES_TOLD: Final = (
    f"SELECT a.k, a.g FROM s1 {{nine}} AS a WHERE NOT EXISTS (SELECT 1 FROM ({_COUNTS_2}) AS c"
    " WHERE coalesce(a.k = c.k AND a.g = c.n, TRUE))"
)
QUERIES: Final[list[Written]] = [
    (_TUPLES, None),
    ("SELECT k FROM s1 {nine} AS a EXCEPT ALL SELECT k FROM s2 {five} AS b", None),
    ("SELECT k FROM s1 {nine} AS a EXCEPT SELECT k FROM s2 {slide} AS b", None),
    ("SELECT k, v FROM s1 {all} AS a INTERSECT ALL SELECT k, v FROM s2 {all} AS b", None),
    (f"SELECT k, v FROM s2 {{nine}} AS a INTERSECT {_COUNTS_1}", None),
    ("SELECT k FROM s1 {five} AS a UNION SELECT k FROM s2 {nine} AS b", None),
    (
        "SELECT a.k, a.v FROM s1 {nine} AS a"
        " WHERE a.v > 0 AND NOT EXISTS (SELECT 1 FROM s2 {five} AS b WHERE b.k = a.k)",
        None,
    ),
    (
        "SELECT a.k, a.v FROM s1 {five} AS a"
        " WHERE EXISTS (SELECT * FROM s2 {nine} AS b WHERE b.k = a.k AND b.v > a.v)",
        None,
    ),
    ("SELECT a.k FROM s1 {slide} AS a WHERE a.k NOT IN (SELECT k FROM s2 {five} AS b)", None),
    (
        "SELECT a.k, a.v FROM s1 {nine} AS a"
        " WHERE a.g NOT IN (SELECT b.v - 1 FROM s2 {nine} AS b WHERE b.k = a.k)",
        None,
    ),
    ("SELECT a.k, a.v FROM s1 {nine} AS a WHERE a.k IN (SELECT k FROM s2 {five} AS b)", "istream"),
    ("SELECT a.k FROM s1 {five} AS a WHERE NOT EXISTS (SELECT 1 FROM s2 {now} AS b)", None),
]


def _case(seed: int) -> Case:
    case = written_case(seed, QUERIES)
    told = written_case(seed, [(_TUPLES_TOLD, None)]).queries[0].oracle
    return replace(case, queries=(replace(case.queries[0], oracle=told), *case.queries[1:]))


def test_the_oracle_is_told_what_the_tuples_ask() -> None:
    asked, told = written_case(13, [(_TUPLES, None), (_TUPLES_TOLD, None)]).queries
    history = _case(13).history()
    found = Evaluator(history, one_at_a_time=True).changes(asked.oracle)
    assert found and found == Evaluator(history).changes(told.oracle)


@pytest.mark.spark
@pytest.mark.parametrize("seed", [13])
def test_answers_are_the_oracles(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    case = _case(seed)
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
