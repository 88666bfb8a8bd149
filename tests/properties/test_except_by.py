"""EXCEPT ALL BY over drawn data: the oldest rows of a value leave, the youngest come back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from ..harness.engine import Run
from .case import CaseQuery
from .play import faults, play, report
from .written import Written, written_case

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LEFT: Final = "SELECT k, v FROM s1 {nine} AS a"
_COUNTS: Final = "SELECT k, COUNT(*) AS n FROM s1 {nine} AS x GROUP BY k"
QUERIES: Final[list[tuple[Written, str, str, str]]] = [
    # the query; what the oracle takes for the left with the age of its rows, for the right, the key
    (
        (f"{_LEFT} EXCEPT ALL BY (k) SELECT k, v FROM s2 {{five}} AS b", None),
        "SELECT k, v, _vs, _row FROM s1_nine",
        "SELECT k FROM s2_five",
        "k",
    ),
    (
        ("SELECT k, v FROM s1 {slide} AS a EXCEPT ALL BY (v) SELECT v FROM s2 {all} AS b", None),
        "SELECT k, v, _vs, _row FROM s1_slide",
        "SELECT v FROM s2_all",
        "v",
    ),
    (
        (
            "SELECT k, v FROM s2 {all} AS a EXCEPT ALL BY (k, v) SELECT v, k FROM s1 {five} AS b",
            None,
        ),
        "SELECT k, v, _vs, _row FROM s2_all",
        "SELECT k, v FROM s1_five",
        "k, v",
    ),
    (
        (f"{_LEFT} EXCEPT ALL BY (v) SELECT n AS v FROM ({_COUNTS}) AS c", "istream"),
        "SELECT k, v, _vs, _row FROM s1_nine",
        "SELECT COUNT(*) AS v FROM s1_nine GROUP BY k",
        "v",
    ),
]


@pytest.mark.spark
@pytest.mark.parametrize("seed", [3])
def test_the_youngest_rows_are_the_oracles(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    case = written_case(seed, [written for written, *_ in QUERIES])
    told = zip(case.queries, QUERIES, strict=True)
    case = replace(case, queries=tuple(_oracle(query, *texts) for query, (_, *texts) in told))
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)


def _oracle(query: CaseQuery, left: str, right: str, key: str) -> CaseQuery:
    """By the definition: each row's number among those of its key, from the oldest on; of rows
    that came together the first to arrive is the oldest.
    """
    order = "_vs, _row"
    names = key.split(", ")
    match = " AND ".join(f"x.{name} IS NOT DISTINCT FROM y.{name}" for name in names)
    sql = (
        f"WITH l AS ({left}), r AS ({right}),"
        f" x AS (SELECT *, row_number() OVER (PARTITION BY {key} ORDER BY {order}) AS n FROM l),"
        f" y AS (SELECT {key}, COUNT(*) AS times FROM r GROUP BY {key})"
        f" SELECT x.k, x.v FROM x LEFT JOIN y ON {match} WHERE x.n > coalesce(y.times, 0)"
    )
    return replace(query, oracle=replace(query.oracle, sql=sql))
