"""Joins with NRRs over streams that are corrected: each row has the version that was there when it
came, or when it was replaced, whatever the NRR says when it is withdrawn (UPA 4.1, REPLAY 3).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from ..harness.engine import Run
from ..oracle.evaluate import Evaluator
from ..oracle.query import NrrUse, Query, Windowed
from .case import CaseQuery, draw_case
from .draw import Draw
from .feeding import Feed, Step, Values, drawn_contents
from .play import faults, play, report
from .revised import RevisedCase, revised
from .texts import Column
from .written import WINDOWS, written_case

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED: Final = 13
SEEDS: Final = tuple(int(s) for s in os.environ.get("REFLOW_SEED", str(SEED)).split())

QUERIES: Final[tuple[tuple[str, str, str], ...]] = (
    # Inner and LEFT JOIN, versions of the epoch and of the row's order value.
    ("inner", "SELECT a.k, a.v, r.rank FROM s1 {nine} AS a", " JOIN n1 AS r ON a.k = r.k"),
    ("outer", "SELECT a.k, r.rank FROM s1 {nine} AS a", " LEFT JOIN n1 AS r ON a.k = r.k"),
    ("version", "SELECT a.k, r.rate FROM s1 {five} AS a", " JOIN n2 AS r ON a.k = r.k"),
    (
        "dated",
        "SELECT a.g, r.rate FROM s1 {slide} AS a",
        " LEFT JOIN n2 AS r ON a.k = r.k AND a.v > 2",
    ),
    # Under what stands above: a group, a join with a window, DISTINCT, and no window at all.
    # Rows are there twice, one of the two only as long as the row meets a condition.
    (
        "grouped",
        "SELECT r.rank, COUNT(*) AS n, SUM(a.v) AS v FROM (SELECT {row}k, v FROM s1 {nine} AS x"
        " UNION ALL SELECT {row}k, v FROM s1 {nine} AS y WHERE y.v > 3) AS a",
        " LEFT JOIN n1 AS r ON a.k = r.k GROUP BY r.rank",
    ),
    (
        "joined",
        "SELECT a.v, r.rank, b.v AS bv FROM s1 {five} AS a",
        " JOIN n1 AS r ON a.k = r.k JOIN s2 {nine} AS b ON a.k = b.k",
    ),
    ("ever", "SELECT DISTINCT r.rank FROM s1 {all} AS a", " JOIN n1 AS r ON a.k = r.k"),
    # Two relations in a row.
    (
        "chained",
        "SELECT a.v, r.rank, q.rate FROM s1 {slide} AS a",
        " LEFT JOIN n1 AS r ON a.k = r.k LEFT JOIN n2 AS q ON a.k = q.k",
    ),
)


RELATIONS: Final = (("n1", "r"), ("n2", "r"), ("n2", "q"))


def _query(name: str, head: str, tail: str) -> CaseQuery:
    """The query; to the oracle, a relation is what each row has met of it."""
    text = sql = head + tail
    inputs: dict[str, Windowed] = {}
    nrrs: dict[str, NrrUse] = {}
    for stream in ("s1", "s2"):
        for place, (_, window) in WINDOWS.items():
            table = f"{stream}_{place}"
            if (written := f"{stream} {{{place}}}") in sql:
                inputs[table] = Windowed(stream, window)
                sql = sql.replace(written, table)
    rows = next(table for table in inputs if table.startswith("s1"))
    for relation, alias in RELATIONS:
        if (written := f"{relation} AS {alias} ON ") in sql:
            nrrs[f"{alias}_met"] = NrrUse(relation, rows)
            sql = sql.replace(written, f"{alias}_met AS {alias} ON {alias}._row = a._row AND ")
    listed = head.removeprefix("SELECT ").removeprefix("DISTINCT ").partition(" FROM")[0]
    kinds = ["text" if each.endswith(".k") else "int" for each in listed.split(", ")]
    columns = tuple(Column(f"c{n}", kind) for n, kind in enumerate(kinds))
    windows = {place: written for place, (written, _) in WINDOWS.items()}
    asked = Query(sql.format(row="_row, "), inputs, nrrs)
    return CaseQuery(name, text.format(row="", **windows), asked, columns, "changes")


@cache
def corrected_case(seed: int) -> RevisedCase:
    """The data of a seed with corrections; from feed to feed the relations hold something else."""
    drawn = written_case(SEED, ()) if seed == SEED else replace(draw_case(seed), queries=())
    case = revised(replace(drawn, queries=tuple(_query(*each) for each in QUERIES)))
    assert len(case.queries) == len(QUERIES)
    return replace(case, steps=tuple(_changing(case)))


def _changing(case: RevisedCase) -> Iterator[Step]:
    draw, known = Draw(-5 - case.seed), {nrr.name: list[Values]() for nrr in case.scene.nrrs}
    feeds = [step for step in case.steps if isinstance(step, Feed)]
    start = min(row["ts"] for feed in feeds for rows in feed.rows.values() for row in rows)
    for step in case.steps:
        if isinstance(step, Feed):
            contents = {
                nrr.name: drawn_contents(draw, case.scene, nrr, known[nrr.name], start)
                for nrr in case.scene.nrrs
            }
            step = replace(step, contents=contents)
        yield step


# The other queries, which take long, are played with REFLOW_CORRECTED_NRRS=all.
PLAYED: Final = ("grouped", "chained")


@pytest.mark.spark
@pytest.mark.parametrize("seed", SEEDS)
def test_answers_are_the_oracles_over_corrected_input(
    spark: SparkSession, tmp_path: Path, seed: int
) -> None:
    case = corrected_case(seed)
    if os.environ.get("REFLOW_CORRECTED_NRRS") != "all":
        case = case.only(*PLAYED)
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_drawn_needs_the_versions_that_were_met(seed: int) -> None:
    """Other answers come out where a row meets what is there in the end."""
    case = corrected_case(seed)
    history = case.history()
    again = replace(
        history, contents={name: [(0, each[-1][1])] for name, each in history.contents.items()}
    )
    for query in case.queries:
        met, now = (Evaluator(each).changes(query.oracle) for each in (history, again))
        assert met != now, query.name
