"""Outer joins: a row with NULLs leaves when a match arrives, and comes back when it expires.

Written queries over drawn data. To the oracle an outer join is one join of DuckDB's over the
snapshots of an instant; Reflow composes pairs and rows without a match.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from reflow.compiler.pipeline import bind, read, rewrite
from reflow.compiler.plan.operators import Sink
from reflow.grammar.source import Source

from ..harness.engine import Run
from ..oracle.evaluate import Evaluator
from ..oracle.multiplicity import Changes, difference
from ..oracle.query import NrrUse, Query, Windowed
from .case import Case, CaseQuery
from .plan_sql import query_of
from .play import faults, play, report
from .texts import Column
from .written import WINDOWS, Written, written_case

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COUNTS: Final = "SELECT k, COUNT(*) AS n FROM s2 {five} AS x GROUP BY k"
QUERIES: Final[list[Written]] = [
    ("SELECT a.k, a.v, b.v AS bv FROM s1 {nine} AS a LEFT JOIN s2 {five} AS b ON a.k = b.k", None),
    (
        "SELECT a.v, b.k AS bk, b.v AS bv FROM s1 {five} AS a"
        " RIGHT JOIN s2 {nine} AS b ON a.k = b.k",
        None,
    ),
    (
        "SELECT a.k, a.v, b.k AS bk, b.v AS bv FROM s1 {nine} AS a"
        " FULL JOIN s2 {five} AS b ON a.k = b.k",
        None,
    ),
    # Conditions that no equality helps, and those that read one side alone.
    ("SELECT a.k, a.v, b.v AS bv FROM s1 {five} AS a LEFT JOIN s2 {nine} AS b ON a.v < b.v", None),
    (
        "SELECT a.k, a.v, b.v AS bv FROM s1 {nine} AS a"
        " LEFT JOIN s2 {five} AS b ON a.k = b.k AND a.v > 3 AND b.v > 0",
        None,
    ),
    (
        "SELECT a.k, a.v, b.k AS bk, b.v AS bv FROM s1 {five} AS a"
        " FULL JOIN s2 {five} AS b ON a.k = b.k AND a.v < b.v AND b.v > 2",
        None,
    ),
    ("SELECT a.k, a.v, b.v AS bv FROM s1 {slide} AS a LEFT JOIN s2 {now} AS b ON b.v > 12", None),
    ("SELECT k, a.v, b.v AS bv FROM s1 {nine} AS a FULL JOIN s2 {slide} AS b USING (k)", None),
    ("SELECT k, a.v, b.v AS bv FROM s1 {five} AS a RIGHT JOIN s2 {nine} AS b USING (k)", None),
    # A stream with itself, groups, reports, derived tables.
    ("SELECT a.k, a.v, b.v AS bv FROM s1 {nine} AS a LEFT JOIN s1 {five} AS b ON a.v = b.g", None),
    (f"SELECT a.k, a.v, b.n FROM s1 {{nine}} AS a LEFT JOIN ({_COUNTS}) AS b ON a.k = b.k", None),
    (f"SELECT a.k, a.v, b.n FROM s1 {{five}} AS a FULL JOIN ({_COUNTS}) AS b ON a.v = b.n", None),
    ("SELECT a.k, b.v AS bv FROM s1 {five} AS a LEFT JOIN s2 {five} AS b ON a.k = b.k", "istream"),
    ("SELECT a.k, b.v AS bv FROM s1 {five} AS a FULL JOIN s2 {nine} AS b ON a.v = b.v", "dstream"),
    # What stands above.
    (
        "SELECT a.k, a.v FROM s1 {nine} AS a LEFT JOIN s2 {five} AS b ON a.k = b.k"
        " WHERE b.v IS NULL AND a.v > 0",
        None,
    ),
    (
        "SELECT a.k, b.v AS bv FROM s1 {nine} AS a"
        " LEFT JOIN s2 {five} AS b ON a.k = b.k AND a.g = 1 WHERE b.v > 2 OR a.v < 5",
        None,
    ),
    (
        "SELECT a.k, b.v AS bv FROM s1 {nine} AS a"
        " LEFT JOIN s2 {five} AS b ON a.v = b.v WHERE b.v > 4",
        None,
    ),
    # Conditions that leave out the pairs, or the rows of a side without a match.
    (
        "SELECT a.k, a.v FROM s1 {nine} AS a LEFT JOIN s2 {five} AS b ON a.k = b.k"
        " WHERE b.k IS NULL",
        None,
    ),
    (
        "SELECT a.v, b.v AS bv FROM s1 {five} AS a FULL JOIN s2 {nine} AS b ON a.k = b.k"
        " WHERE a.v > 3",
        None,
    ),
    (
        "SELECT a.k, b.k AS bk, b.v AS bv FROM s1 {nine} AS a"
        " FULL JOIN s2 {five} AS b ON a.k = b.k AND b.v > 2 WHERE b.v IS NULL",
        None,
    ),
    (
        "SELECT a.v, b.v AS bv, c.v AS cv FROM s1 {five} AS a"
        " LEFT JOIN s2 {five} AS b ON a.k = b.k JOIN s1 {nine} AS c ON b.v = c.v",
        None,
    ),
    (
        "SELECT DISTINCT a.k, b.k AS bk FROM s1 {nine} AS a LEFT JOIN s2 {five} AS b ON a.v = b.v",
        None,
    ),
    (
        "SELECT a.k, COUNT(b.v), COUNT(*), SUM(b.v) FROM s1 {nine} AS a"
        " LEFT JOIN s2 {five} AS b ON a.k = b.k GROUP BY a.k",
        None,
    ),
    ("SELECT COUNT(*), COUNT(b.v) FROM s1 {five} AS a FULL JOIN s2 {five} AS b ON a.k = b.k", None),
    # Chains, and outer joins beside inner ones.
    (
        "SELECT a.k, b.v AS bv, c.v AS cv FROM s1 {nine} AS a LEFT JOIN s2 {five} AS b ON a.k = b.k"
        " LEFT JOIN s1 {five} AS c ON b.v = c.v",
        None,
    ),
    (
        "SELECT a.v, b.v AS bv, c.v AS cv FROM s1 {five} AS a"
        " LEFT JOIN (s2 {five} AS b JOIN s1 {nine} AS c ON b.k = c.k) ON a.v = b.v",
        None,
    ),
    (
        "SELECT k, a.v, b.v AS bv, c.v AS cv FROM s1 {five} AS a FULL JOIN s2 {five} AS b USING (k)"
        " FULL JOIN s1 {now} AS c USING (k)",
        None,
    ),
    (
        "SELECT a.v, b.v AS bv, c.v AS cv FROM s1 {five} AS a JOIN s2 {five} AS b ON a.k = b.k"
        " LEFT JOIN s1 {nine} AS c ON a.v = c.v AND b.v <> c.g",
        None,
    ),
    (
        "SELECT a.v, b.v AS bv, c.v AS cv FROM s2 {now} AS c, s1 {five} AS a"
        " LEFT JOIN s2 {five} AS b ON a.k = b.k WHERE c.v = a.v",
        None,
    ),
    (
        "SELECT a.k, b.v AS bv FROM s1 {five} AS a LEFT JOIN s2 {nine} AS b ON a.k = b.k"
        " WHERE NOT EXISTS (SELECT 1 FROM s2 {now} AS c WHERE c.v = b.v)",
        None,
    ),
]
SEED: Final = 13


def met(name: str, nrr: str, more: str) -> CaseQuery:
    """A LEFT JOIN with an NRR: each row with the version that it met, or NULL."""
    window, meaning = WINDOWS["nine"]
    value = {"n1": "rank", "n2": "rate"}[nrr]
    cql = (
        f"SELECT a.k, a.v, r.{value} AS c3 FROM s1 {window} AS a LEFT JOIN {nrr} AS r ON a.k = r.k"
    )
    sql = f"SELECT a.k, a.v, r.{value} AS c3 FROM a LEFT JOIN r ON r._row = a._row AND a.k = r.k"
    columns = tuple(Column(f"c{i}", kind) for i, kind in enumerate(("text", "int", "int"), 1))
    inputs = {"a": Windowed("s1", meaning)}
    told = Query(sql + more, inputs, {"r": NrrUse(nrr, "a")})
    return CaseQuery(name, cql + more, told, columns, "changes")


NRRS: Final = (
    met("met", "n1", " AND a.v > 2"),
    met("version", "n2", ""),
    met("none", "n1", " WHERE r.rank IS NULL OR a.g = 1"),
)


@cache
def case() -> Case:
    written = written_case(SEED, QUERIES)
    return replace(written, queries=(*written.queries, *NRRS))


@cache
def plans() -> tuple[dict[str, Sink], dict[str, Sink]]:
    """The plan of each query as it is bound, and as it is rewritten."""
    source = Source("drawn.cql", case().text())
    plan, _ = bind(source, read(source), "drawn")
    both = plan.sinks, rewrite(plan).plan.sinks
    bound, rewritten = ({sink.query: sink for sink in sinks} for sinks in both)
    return bound, rewritten


@cache
def oracle() -> Evaluator:
    return Evaluator(case().history())


@cache
def expected(number: int) -> Changes:
    return oracle().changes(case().queries[number].oracle)


NUMBERS: Final = range(len(QUERIES) + len(NRRS))


@pytest.mark.parametrize("number", NUMBERS)
def test_all_instants_in_one_statement_are_one_by_one(number: int) -> None:
    single = Evaluator(case().history(), one_at_a_time=True)
    assert single.changes(case().queries[number].oracle) == expected(number)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_bound_plan_means_what_the_query_says(number: int) -> None:
    query = case().queries[number]
    fault = difference(expected(number), oracle().changes(query_of(plans()[0][query.name])))
    assert not fault, f"{query.cql}\n{fault}"


@pytest.mark.parametrize("number", NUMBERS)
def test_the_rewritten_plan_means_what_the_query_says(number: int) -> None:
    query = case().queries[number]
    fault = difference(expected(number), oracle().changes(query_of(plans()[1][query.name])))
    assert not fault, f"{query.cql}\n{fault}"


def test_the_drawn_data_meets_what_outer_joins_are_about() -> None:
    """Rows with NULLs that leave and come back: most queries have them."""
    back = [
        number
        for number in NUMBERS
        if any(
            None in row and list(at.values()).count(1) > 1 for row, at in expected(number).items()
        )
    ]
    assert len(back) > len(QUERIES) // 2, back


# LEFT and FULL JOIN on the engine, by equal columns and by any condition, and versions of an NRR.
# REFLOW_OUTER_JOINS=all plays every query, which takes long.
PLAYED: Final = ("q1", "q6", "met", "version")


@pytest.mark.spark
def test_answers_are_the_oracles(spark: SparkSession, tmp_path: Path) -> None:
    played = case()
    if os.environ.get("REFLOW_OUTER_JOINS") != "all":
        played = played.only(*PLAYED)
    run = Run(spark, played.text(), tmp_path)
    found = list(faults(played, run, play(played, run)))
    assert not found, report(played, found)
