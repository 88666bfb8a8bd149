"""Windows joined with the current rows of groups: written queries over drawn data, small epochs and
large ones.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from reflow.runtime.deltas import join
from reflow.runtime.epoch import tuning

from ..harness.engine import Run, emitted
from .play import faults, play, report
from .written import Written, written_case

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COUNTS: Final = "(SELECT k, COUNT(*) AS n, MAX(v) AS m FROM s1 {nine} AS x GROUP BY k) AS w"
SUMS: Final = (
    "(SELECT k, COUNT(*) AS n, SUM(v) AS m FROM s1 {nine} AS x GROUP BY k HAVING COUNT(*) > 1) AS w"
)
SLID: Final = "(SELECT k AS l, k AS j, COUNT(*) + 1 AS n FROM s1 {slide} AS x GROUP BY k) AS w"
QUERIES: Final[list[Written]] = [
    (f"SELECT r.k, r.v, w.n, w.m FROM s1 {{now}} AS r JOIN {SUMS} ON r.k = w.k", "istream"),
    (f"SELECT r.k, r.v, w.n, w.m FROM s2 {{now}} AS r JOIN {SUMS} ON r.k = w.k", None),
    (f"SELECT w.l, w.n, r.v FROM {SLID} JOIN s2 {{now}} AS r ON w.l = r.k AND r.v < w.n", None),
    (f"SELECT r.k, r.v, w.n FROM s2 {{now}} AS r JOIN {COUNTS} ON r.k = w.k", "istream"),
    (f"SELECT r.k, r.v, w.n, w.m FROM s2 {{five}} AS r JOIN {COUNTS} ON r.k = w.k", None),
    (f"SELECT w.n, r.k, r.v FROM {COUNTS} JOIN s2 {{slide}} AS r ON w.k = r.k", None),
    (f"SELECT r.k, r.v, w.n FROM s2 {{all}} AS r JOIN {COUNTS} ON r.k = w.k AND w.n > r.v", None),
    (
        "SELECT r.k, r.v, w.n FROM s2 {five} AS r JOIN"
        " (SELECT k, COUNT(*) AS n FROM s1 {slide} AS x GROUP BY k) AS w"
        ' ON r.k = w.k AND r."group" = w.n',
        None,
    ),
    (
        "SELECT r.k, w.n FROM s2 {five} AS r, (SELECT COUNT(*) AS n FROM s1 {nine} AS x) AS w",
        None,
    ),
]


@pytest.mark.spark
@pytest.mark.parametrize(("seed", "small"), [(3, True), (13, False)])
def test_pairs_are_the_oracles(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    small: bool,
) -> None:
    if not small:
        monkeypatch.setattr(join, "SMALL_ROWS", -1)
        monkeypatch.setattr(tuning, "ROWS_AS_THEY_ARE", -1)
    case = written_case(seed, QUERIES)
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)


def test_every_query_looks_its_rows_up() -> None:
    program = emitted(written_case(3, QUERIES).text().replace("{dir}", "x"))
    assert program.count("= join_asof(") == len(QUERIES)
