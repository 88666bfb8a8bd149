"""Plans that the optimiser has changed, run on Spark: one file in which every choice by cost falls
for the other plan, parts are shared, and ended rows go when the settings say.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reflow.compiler.physical.calls import KeepRows
from reflow.compiler.pipeline import Compiled, compile_text

from ..harness.engine import Run
from ..oracle.query import Query, Windowed
from ..oracle.windows import Range
from .case import Case, CaseQuery
from .draw import Draw
from .feeding import draw_steps
from .play import faults, play, report
from .scene import Scene, Stream
from .texts import Column

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = (("ts", "BIGINT"), ("k", "STRING"), ("g", "BIGINT"), ("v", "INT"))
SCENE = Scene(
    timestamps=False,
    streams=tuple(Stream(f"s{i}", COLUMNS, within) for i, within in ((1, 3), (2, 0), (3, 5))),
    views=(),
    nrrs=(),
)
SETTINGS = (
    "SET eager_interval = 4;",
    "SET lazy_interval = 11;",
    "SET expiry_partitions = 2;",
    "SET expiry_order = 'expiry';",
)
# The third stream is said to be rare.
STATISTICS = "WITH STATS (rate = {}, DISTINCT k = 3, DISTINCT g = 4, DISTINCT v = 20)"


def declarations() -> tuple[str, ...]:
    rates = (50, 50, 0.01)
    streams = [
        line.removesuffix(";") + f" {STATISTICS.format(rate)};"
        for line, rate in zip(SCENE.declarations(), rates, strict=True)
    ]
    return (*SETTINGS, *streams)


def window(stream: int, length: int) -> Windowed:
    return Windowed(f"s{stream}", Range(length))


def query(name: str, cql: str, sql: str, kinds: str, **inputs: Windowed) -> CaseQuery:
    columns = tuple(Column(f"c{i}", kind) for i, kind in enumerate(kinds.split(), start=1))
    return CaseQuery(name, cql, Query(sql, inputs), columns, "changes")


QUERIES = (
    query(
        "pairs",
        "SELECT a.k AS c1, b.v AS c2 FROM s1 [RANGE 6] AS a JOIN s2 [RANGE 9] AS b ON a.k = b.k",
        "SELECT a.k AS c1, b.v AS c2 FROM a JOIN b ON a.k = b.k",
        "text int",
        a=window(1, 6),
        b=window(2, 9),
    ),
    query(
        "counted",
        "SELECT yy.k AS c1, COUNT(*) AS c2 FROM s1 [RANGE 6] AS xx JOIN s2 [RANGE 9] AS yy"
        " ON yy.k = xx.k GROUP BY yy.k",
        "SELECT b.k AS c1, COUNT(*) AS c2 FROM a JOIN b ON a.k = b.k GROUP BY b.k",
        "text int",
        a=window(1, 6),
        b=window(2, 9),
    ),
    query(
        "once",
        "SELECT DISTINCT a.k AS c1 FROM s1 [RANGE 7] AS a JOIN s2 [RANGE 5] AS b ON a.k = b.k",
        "SELECT DISTINCT a.k AS c1 FROM a JOIN b ON a.k = b.k",
        "text",
        a=window(1, 7),
        b=window(2, 5),
    ),
    query(
        "three",
        "SELECT a.v AS c1, b.g AS c2, c.k AS c3 FROM s1 [RANGE 4] AS a"
        " JOIN s2 [RANGE 4] AS b ON a.k = b.k JOIN s3 [RANGE 4] AS c ON b.k = c.k",
        "SELECT a.v AS c1, b.g AS c2, c.k AS c3 FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k",
        "int int text",
        a=window(1, 4),
        b=window(2, 4),
        c=window(3, 4),
    ),
    query(
        "unmatched",
        "SELECT a.v AS c1, b.v AS c2 FROM s1 [RANGE 6] AS a JOIN s2 [RANGE 4] AS b ON a.g = b.g"
        " WHERE NOT EXISTS (SELECT 1 FROM s3 [RANGE 3] AS n WHERE n.k = a.k)",
        "SELECT a.v AS c1, b.v AS c2 FROM a JOIN b ON a.g = b.g ANTI JOIN n ON n.k = a.k",
        "int int",
        a=window(1, 6),
        b=window(2, 4),
        n=window(3, 3),
    ),
    query(
        "less",
        "SELECT d.k AS c1, c.v AS c2 FROM (SELECT k FROM s1 [RANGE 9] EXCEPT ALL"
        " SELECT k FROM s2 [RANGE 5]) AS d JOIN s3 [RANGE 5] AS c ON d.k = c.k",
        "SELECT d.k AS c1, c.v AS c2 FROM ((SELECT k FROM a) EXCEPT ALL (SELECT k FROM b)) AS d"
        " JOIN c ON d.k = c.k",
        "text int",
        a=window(1, 9),
        b=window(2, 5),
        c=window(3, 5),
    ),
    query(
        "seldom",
        "SELECT DISTINCT a.k AS c1 FROM s1 [RANGE 8] AS a"
        " WHERE NOT EXISTS (SELECT 1 FROM s3 [RANGE 2] AS n WHERE n.k = a.k)",
        "SELECT DISTINCT a.k AS c1 FROM a ANTI JOIN n ON n.k = a.k",
        "text",
        a=window(1, 8),
        n=window(3, 2),
    ),
    query(
        "few",
        "SELECT a.k AS c1, b.v AS c2 FROM s1 [RANGE 6] AS a JOIN s2 [RANGE 9] AS b ON a.k = b.k"
        " WHERE a.g = 1 AND b.g = 2",
        "SELECT a.k AS c1, b.v AS c2 FROM a JOIN b ON a.k = b.k WHERE a.g = 1 AND b.g = 2",
        "text int",
        a=window(1, 6),
        b=window(2, 9),
    ),
    query(
        "largest_of_few",
        "SELECT k AS c1, MAX(v) AS c2 FROM s1 [RANGE 7] WHERE g = 1 GROUP BY k",
        "SELECT k AS c1, MAX(v) AS c2 FROM a WHERE g = 1 GROUP BY k",
        "text int",
        a=window(1, 7),
    ),
    query(
        "few_unmatched",
        "SELECT a.v AS c1 FROM s1 [RANGE 6 SLIDE 2] AS a WHERE a.g = 1 AND NOT EXISTS"
        " (SELECT 1 FROM s2 [RANGE 4] AS n WHERE n.k = a.k)",
        "SELECT a.v AS c1 FROM a ANTI JOIN n ON n.k = a.k WHERE a.g = 1",
        "int",
        a=Windowed("s1", Range(6, 2)),
        n=window(2, 4),
    ),
)
CASE = Case(7, SCENE, QUERIES, draw_steps(Draw(7), SCENE), declarations=declarations())
CHANGED = {
    "join_order",
    "distinct_below_join",
    "negation_and_join",
    "except_and_join",
    "distinct_and_negation",
    "own_rows",
}


def compiled() -> Compiled:
    return compile_text(CASE.text().replace("{dir}", "somewhere"))


def test_every_choice_falls_for_another_plan_and_a_join_is_shared() -> None:
    result = compiled()
    decisions = (*result.decisions, *result.physical.choices)
    assert {d.rule for d in decisions if d.changed} >= CHANGED
    assert any(step.shared for step in result.physical.steps)
    kept = [step for step in result.physical.steps if isinstance(step.call, KeepRows)]
    assert len(kept) == 4


@pytest.mark.spark
def test_the_answers_are_the_oracles(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, CASE.text(), tmp_path)
    found = list(faults(CASE, run, play(CASE, run)))
    assert not found, report(CASE, found)
