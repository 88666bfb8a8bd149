"""Streams of elements against the oracle, which takes the elements one by one: any order that is
valid and one that is not, any cut into epochs, restarts and partitions.

`REFLOW_ELEMENTS=all` plays every seed under every execution, which takes long.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from reflow.compiler.plan.settings import EXECUTIONS

from ..harness.engine import Run
from ..oracle.evaluate import Evaluator
from ..oracle.history import History, StreamSchema
from ..oracle.query import Query, Report, Windowed
from ..oracle.windows import Range, Unbounded
from .case import Case, CaseQuery, Sink
from .draw import Draw
from .elements import ELEMENTS, drawn_elements
from .feeding import Drain, Feed, Restart, Step, Until, Values
from .plans import assert_plans_mean_their_queries
from .play import faults, play, report
from .scene import SECOND, Scene, Stream
from .test_executions import under
from .texts import Column

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FEEDS: Final = ("e1", "e2", "e3")
"""`e3` has inserts only."""

QUERIES: Final[list[tuple[str, Report | None]]] = [
    ("SELECT k, n FROM e1", None),
    ("SELECT k FROM e1 WHERE n > 0", None),
    ("SELECT a.k, a.n, b.n AS m FROM e1 AS a, e2 AS b WHERE a.k = b.k", None),
    ("SELECT DISTINCT k FROM e1", None),
    ("SELECT k, n FROM e1 EXCEPT ALL SELECT k, n FROM e2", None),
    ("SELECT k, COUNT(*) AS c, SUM(n) AS n FROM e1 GROUP BY k", None),
    ("SELECT COUNT(*) AS c, MAX(n) AS n FROM e2", None),
    ("SELECT a.k, b.v FROM e1 AS a, s {w} AS b WHERE a.k = b.k", None),
    ("SELECT a.k, b.n FROM e1 AS a LEFT JOIN e2 AS b ON a.k = b.k AND b.n > 0", None),
    ("SELECT k, n FROM e1 UNION ALL SELECT k, n FROM e3", None),
    ("SELECT k, n FROM e1", "istream"),
    ("SELECT k, n FROM e3", None),
    ("SELECT DISTINCT k FROM e3", None),
    ("SELECT a.k, a.n, b.v FROM e3 AS a, s {w} AS b WHERE a.k = b.k", None),
    ("SELECT a.k, a.n FROM e3 AS a, e1 AS b WHERE a.k = b.k", None),
    ("SELECT k FROM e3 AS a WHERE NOT EXISTS (SELECT 1 FROM e1 AS b WHERE b.k = a.k)", None),
    ("SELECT k, MIN(n) AS n FROM e3 GROUP BY k", None),
    ("SELECT a.k, b.k AS l FROM e3 AS a LEFT JOIN e3 AS b ON a.k = b.k AND b.n = 0", None),
]

_FINAL: Final = ("q2", "q6", "q12")
"""Queries under EMIT FINAL."""

_OTHERWISE: Final = ("q1", "q3", "q4", "q6", "q8", "q12", "q14", "q17")
"""Queries under another execution than UPA's, which does some of these otherwise."""

_HALF: Final = {
    seed: tuple(f"q{number}" for number in range(first, len(QUERIES) + 1, 2))
    for seed, first in ((2, 1), (5, 2))
}
"""Under UPA's, seed -> the queries that it plays."""

_SEEDS: Final = (2, 3, 4, 5)
_WRONG: Final = frozenset({2, 3})
"""Seeds that have elements among the others which may not be there."""

PLAYED: Final = (
    list(product(EXECUTIONS, _SEEDS))
    if os.environ.get("REFLOW_ELEMENTS") == "all"
    else [("upa", 5), ("upa", 2), ("nt", 4), ("direct", 3)]
)


@dataclass(frozen=True)
class ElementCase(Case):
    """A case whose feeds bring elements as well."""

    def history(self) -> History:
        kind = "TIMESTAMP" if self.scene.timestamps else "BIGINT"
        columns = {"k": "VARCHAR", "n": "BIGINT", "kind": "VARCHAR"}
        columns |= dict.fromkeys(ELEMENTS[1:], kind)
        schemas = self.scene.stream_schemas()
        for name in FEEDS:
            only = name == "e3"
            schemas[name] = StreamSchema(name, columns, "vs", False, ELEMENTS, only)
        history = History(schemas)
        for epoch, feed in enumerate(_feeds(self.steps), start=1):
            for name, rows in feed.rows.items():
                history.arrive(epoch, name, rows)
        return history


def element_case(seed: int) -> ElementCase:
    """Three physical streams and an ordinary one, cut into epochs; odd seeds count in ticks."""
    draw = Draw(seed)
    timestamps = seed % 2 == 0
    kind = "TIMESTAMP" if timestamps else "BIGINT"
    scene = Scene(
        timestamps, (Stream("s", (("ts", kind), ("k", "STRING"), ("v", "INT")), 2),), (), ()
    )
    arriving = _arriving(draw, scene, wrong=0.3 if seed in _WRONG else 0.0)
    window = f"[RANGE {scene.length(5)}]"
    queries = [
        _query(f"q{number}", text, window, said, scene.unit)
        for number, (text, said) in enumerate(QUERIES, start=1)
    ]
    return ElementCase(
        seed,
        scene,
        tuple(queries),
        tuple(_steps(draw, scene, arriving)),
        "flat",
        (*_declarations(kind), *scene.declarations()),
    )


def _declarations(kind: str) -> Iterator[str]:
    for name in FEEDS:
        only = ", INSERT ONLY" if name == "e3" else ""
        yield (
            f"CREATE STREAM {name} (k STRING, n BIGINT, kind STRING, vs {kind}, ve {kind},"
            f" old_ve {kind}, ELEMENTS (kind, vs, ve, old_ve){only}) FROM JSON '{{dir}}/in/{name}';"
        )


def _query(name: str, text: str, window: str, said: Report | None, unit: int) -> CaseQuery:
    cql, sql = text.replace("{w}", window), text.replace("s {w}", "s_w")
    inputs = {feed: Windowed(feed, Unbounded()) for feed in FEEDS if f" {feed}" in text}
    if "s_w" in sql:
        inputs["s_w"] = Windowed("s", Range(5 * unit))
    listed = sql.removeprefix("SELECT ").removeprefix("DISTINCT ").partition(" FROM")[0]
    kinds = ["text" if "k" in column else "int" for column in listed.split(", ")]
    columns = tuple(Column(f"c{number}", each) for number, each in enumerate(kinds))
    cql = cql if said is None else f"{said.upper()} ({cql})"
    sink: Sink = "final" if name in _FINAL else "changes"
    return CaseQuery(name, cql, Query(sql, inputs, {}, said), columns, sink)


def _arriving(draw: Draw, scene: Scene, wrong: float) -> dict[str, list[Values]]:
    start = 1_767_571_200 * SECOND if scene.timestamps else 100
    arriving: dict[str, list[Values]] = {}
    for name in FEEDS:
        only = name == "e3"
        arriving[name] = drawn_elements(draw, draw.number(25, 45), start, scene.unit, only, wrong)
    at, rows = start, []
    for _ in range(20):
        at += draw.weighted([(3, 0), (4, 1), (3, 3)]) * scene.unit
        rows.append({"ts": at, "k": draw.one(["a", "b", "ab", None]), "v": draw.number(0, 9)})
    slack = 2 * scene.unit
    arriving["s"] = sorted(rows, key=lambda row: row["ts"] + draw.random.uniform(0, slack))
    return arriving


def _steps(draw: Draw, scene: Scene, arriving: dict[str, list[Values]]) -> Iterator[Step]:
    """Four epochs of about as much of each stream, with restarts."""
    shares = [0.0, *sorted(draw.random.random() for _ in range(3)), 1.0]
    for low, high in pairwise(shares):
        rows = {
            name: all_[round(low * len(all_)) : round(high * len(all_))]
            for name, all_ in arriving.items()
        }
        if low and draw.chance(0.4):
            yield Restart()
        if any(rows.values()):
            yield Feed({name: part for name, part in rows.items() if part}, draw.one([1, 3]))
        if draw.chance(0.2):
            yield Drain()
    shown = [row.get("vs") or row.get("ts") or 0 for rows in arriving.values() for row in rows]
    yield Until(max(shown) + draw.number(1, 20) * scene.unit)


def _feeds(steps: tuple[Step, ...]) -> list[Feed]:
    return [step for step in steps if isinstance(step, Feed)]


@pytest.mark.parametrize("seed", _SEEDS)
def test_the_drawn_elements_are_of_all_kinds(seed: int) -> None:
    case = element_case(seed)
    history = case.history()
    oracle = Evaluator(history)
    assert not [query.name for query in case.queries if not oracle.changes(query.oracle)]
    refused = {reason for name in FEEDS for _, reason in history.told(name).refused}
    assert len(refused) >= 5 if seed in _WRONG else not refused
    rows = [row for feed in _feeds(case.steps) for name in FEEDS for row in feed.rows.get(name, [])]
    assert {"insert", "adjust", "stable"} <= {row["kind"] for row in rows}


@pytest.mark.parametrize("seed", _SEEDS)
def test_plans_mean_what_their_queries_say(seed: int) -> None:
    assert_plans_mean_their_queries(element_case(seed), "elements")


@pytest.mark.spark
@pytest.mark.parametrize(("execution", "seed"), PLAYED)
def test_answers_are_the_oracles(
    spark: SparkSession, tmp_path: Path, execution: str, seed: int
) -> None:
    case = under(execution, element_case(seed))
    if os.environ.get("REFLOW_ELEMENTS") != "all":
        case = case.only(*(_OTHERWISE if execution != "upa" else _HALF[seed]))
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
    read = set[str]().union(*(query.oracle.streams() for query in case.queries))
    refused = [case.history().told(name).refused for name in FEEDS if name in read]
    assert run.dead_letters == sum(map(len, refused))


@pytest.mark.spark
def test_large_state_of_elements(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reflow.runtime.state.store.SMALL", 0)
    monkeypatch.setattr("reflow.runtime.state.store.FOLD_AFTER", 2)
    monkeypatch.setattr("reflow.runtime.deltas.touched.LARGE_STATE", 0)
    case = element_case(2).only("q1", "q3", "q5", "q6")
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
