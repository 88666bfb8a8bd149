"""Retroactive relations of every kind of log, alone, with each other and with streams: written
queries over drawn data, for any cut into epochs, restarts and partitions.

`REFLOW_RELATIONS=all` plays every seed under every execution, which takes long.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import pytest

from reflow.compiler.plan.settings import EXECUTIONS

from ..harness.engine import Run
from ..oracle.evaluate import Evaluator
from ..oracle.history import History, StreamSchema
from ..oracle.query import Windowed
from ..oracle.windows import Log
from .case import Case, CaseQuery
from .draw import Draw
from .feeding import KEYS, Feed, Step, Values
from .plans import assert_plans_mean_their_queries
from .play import faults, play, report
from .scene import SECOND
from .test_executions import under
from .written import Written, written_case

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_BY_KEY: Final = MappingProxyType({"c": "insert", "u": "replace", "d": "delete"})
_WHOLE: Final = MappingProxyType({"+": "insert", "-": "delete"})


@dataclass(frozen=True)
class Told:
    """A relation (k, n) with `op` where `marks` are given, and with `ts` where it is `ordered`."""

    keyed: bool
    ordered: bool
    marks: MappingProxyType[str, str] | None = None

    @property
    def log(self) -> Log:
        key = ("k",) if self.keyed else ()
        return Log(key, "op" if self.marks else None, self.marks or {}, ("ts",))

    def declaration(self, name: str) -> str:
        columns = ["k STRING", "n BIGINT"]
        columns += ["ts TIMESTAMP", "ORDER BY ts"] if self.ordered else []
        columns += ["op STRING"] if self.marks else []
        columns += ["KEY (k)"] if self.keyed else []
        said = [f"{kind.upper()} '{value}'" for value, kind in (self.marks or {}).items()]
        revisions = f" REVISIONS BY op ({', '.join(said)})" if said else ""
        listed = ", ".join(columns)
        return f"CREATE RELATION {name} ({listed}) FROM JSON '{{dir}}/in/{name}'{revisions};"

    def schema(self, name: str) -> StreamSchema:
        columns = {"k": "VARCHAR", "n": "BIGINT"}
        columns |= {"ts": "TIMESTAMP"} if self.ordered else {}
        columns |= {"op": "VARCHAR"} if self.marks else {}
        return StreamSchema(name, columns, "ts" if self.ordered else None, relation=True)


RELATIONS: Final = MappingProxyType(
    {
        "acc": Told(keyed=True, ordered=True, marks=_BY_KEY),
        "bag": Told(keyed=False, ordered=True, marks=_WHOLE),
        "ups": Told(keyed=True, ordered=True),
        "inc": Told(keyed=False, ordered=True),
        "cur": Told(keyed=True, ordered=False, marks=_BY_KEY),
        "add": Told(keyed=False, ordered=False),
    }
)
_NOT_THERE: Final = "NOT EXISTS (SELECT 1 FROM ups AS r WHERE r.k = a.k)"
QUERIES: Final[list[Written]] = [
    ("SELECT k, n FROM acc", None),
    ("SELECT k, n FROM bag", None),
    ("SELECT k, COUNT(*) AS c FROM cur GROUP BY k", None),
    ("SELECT MIN(n) AS n, COUNT(*) AS c FROM bag", None),
    ("SELECT a.k, a.v, r.n FROM s1 {nine} AS a, acc AS r WHERE a.k = r.k", None),
    ("SELECT a.k, r.n FROM s1 {five} AS a, bag AS r WHERE a.k = r.k AND a.v > r.n", None),
    ("SELECT a.k, r.n FROM s2 {all} AS a, cur AS r WHERE a.k = r.k", None),
    ("SELECT r.k, b.n FROM ups AS r, bag AS b WHERE r.k = b.k", None),
    ("SELECT k FROM acc AS a EXCEPT SELECT k FROM s2 {nine} AS b", None),
    (f"SELECT a.k, a.v FROM s1 {{nine}} AS a WHERE {_NOT_THERE}", None),
    ("SELECT DISTINCT k FROM inc", None),
    ("SELECT k, n FROM add", None),
    ("SELECT k, n FROM ups", "dstream"),
]


_SEEDS: Final = (13, 14, 16)
PLAYED: Final = (
    list(product(EXECUTIONS, _SEEDS))
    if os.environ.get("REFLOW_RELATIONS") == "all"
    else [("upa", 13), ("nt", 13), ("direct", 16)]
)
"""`upa` with seed 16 has large state, below, with half of the queries."""


@dataclass(frozen=True)
class RelationCase(Case):
    """A case whose feeds bring changes of the relations as well."""

    def history(self) -> History:
        schemas = self.scene.stream_schemas()
        read = {name: schemas[name] for name in ("s1", "s2")}
        history = History(read | {name: told.schema(name) for name, told in RELATIONS.items()})
        for epoch, feed in enumerate(_feeds(self.steps), start=1):
            for name, rows in feed.rows.items():
                history.arrive(epoch, name, rows)
        return history


def relation_case(seed: int) -> RelationCase:
    """The streams of a seed, which must be ordered by TIMESTAMP, with drawn changes of relations:
    none is late, some are ahead of their time, some are about what is not there.
    """
    case = written_case(seed, QUERIES)
    draw = Draw(-2 - seed)
    streams = [
        stream for stream in case.scene.declarations() if " s1 " in stream or " s2 " in stream
    ]
    declared = (*streams, *(told.declaration(name) for name, told in RELATIONS.items()))
    queries = tuple(map(_with_relations, case.queries))
    steps = tuple(_with_changes(draw, case))
    return RelationCase(seed, case.scene, queries, steps, declarations=declared)


def _with_relations(query: CaseQuery) -> CaseQuery:
    words = query.oracle.sql.replace(",", " ").split()
    read = {name: Windowed(name, RELATIONS[name].log) for name in RELATIONS if name in words}
    return replace(query, oracle=replace(query.oracle, inputs={**query.oracle.inputs, **read}))


def _feeds(steps: tuple[Step, ...]) -> list[Feed]:
    return [step for step in steps if isinstance(step, Feed)]


def _with_changes(draw: Draw, case: Case) -> Iterator[Step]:
    """Each feed's changes lie between what was complete before it and a little after its `now`."""
    within = {stream.name: stream.within * SECOND for stream in case.scene.streams}
    largest: dict[str, int] = {}
    least = min(row["ts"] for feed in _feeds(case.steps) for row in feed.rows.get("s1", []))
    for step in case.steps:
        if not isinstance(step, Feed):
            yield step
            continue
        rows = {name: step.rows[name] for name in ("s1", "s2") if name in step.rows}
        promised = [largest[name] - within[name] for name in ("s1", "s2") if name in largest]
        low = min(promised) if len(promised) == 2 else least - 5 * SECOND
        for name, arrived in rows.items():
            largest[name] = max([largest.get(name, 0), *(row["ts"] for row in arrived)])
        high = max([*largest.values(), least]) + 3 * SECOND
        changes = {name: _changes(draw, told, low, high) for name, told in RELATIONS.items()}
        yield replace(step, rows={**rows, **changes})


def _changes(draw: Draw, told: Told, low: int, high: int) -> list[Values]:
    rows = []
    for _ in range(draw.number(2, 12)):
        row = {"k": draw.one(KEYS), "n": draw.number(0, 2)}
        if told.ordered:
            row["ts"] = low + draw.number(0, (high - low) // SECOND) * SECOND
        if told.marks:
            row["op"] = draw.one([*told.marks, *told.marks, "?"])
        rows.append(row)
    return rows


def test_the_drawn_changes_are_of_all_kinds() -> None:
    case = relation_case(13)
    oracle = Evaluator(case.history())
    empty = [query.name for query in case.queries if not oracle.changes(query.oracle)]
    assert not empty
    history = case.history()
    ahead = [
        (name, row["ts"])
        for epoch, feed in enumerate(_feeds(case.steps), start=1)
        for name in ("acc", "bag", "ups", "inc")
        for row in feed.rows[name]
        if row["ts"] > (history.now(epoch) or 0)
    ]
    assert ahead, "no change is ahead of its time"


@pytest.mark.parametrize("seed", _SEEDS)
def test_plans_mean_what_their_queries_say(seed: int) -> None:
    assert_plans_mean_their_queries(relation_case(seed), "relations")


@pytest.mark.spark
@pytest.mark.parametrize(("execution", "seed"), PLAYED)
def test_answers_are_the_oracles(
    spark: SparkSession, tmp_path: Path, execution: str, seed: int
) -> None:
    case = under(execution, relation_case(seed))
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)


@pytest.mark.spark
def test_large_state_of_relations(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reflow.runtime.state.store.SMALL", 0)
    monkeypatch.setattr("reflow.runtime.state.store.FOLD_AFTER", 2)
    monkeypatch.setattr("reflow.runtime.deltas.touched.LARGE_STATE", 0)
    case = relation_case(16).only("q1", "q2", "q4", "q5", "q7", "q11", "q12")
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
