"""A case: one .cql text with several queries, the oracle's form of each, and a plan of feeding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from ..oracle.evaluate import Evaluator
from ..oracle.history import History
from ..oracle.query import Query
from .draw import Draw
from .feeding import Feed, Step, draw_steps
from .mixed import Mixed
from .queries import Queries
from .scene import Scene, draw_scene
from .texts import Column

FEW = 4
Sink = Literal["changes", "final", "log"]
Form = Literal["nested", "flat", "mixed"]
"""Nested queries; flat ones, of one operator or two; flat ones with negation, set operators, outer
joins and all kinds of aggregates.
"""

FLAT: Mapping[Form, int] = {"flat": 20, "mixed": 8}
"""How many queries a case that is not nested has. An epoch costs much by itself, and they share it;
mixed ones cost more each, and a case should end within 100 s.
"""


@dataclass(frozen=True)
class CaseQuery:
    """A query of a case. `sink`: CHANGELOG under EMIT CHANGES or EMIT FINAL, or LOG."""

    name: str
    cql: str
    oracle: Query
    columns: tuple[Column, ...]
    sink: Sink

    @property
    def kinds(self) -> list[str]:
        return [column.kind for column in self.columns]

    def statement(self) -> str:
        emit = "FINAL" if self.sink == "final" else "CHANGES"
        into = f"LOG '{{dir}}/out/{self.name}.log'"
        if self.sink != "log":
            into = f"PARQUET '{{dir}}/out/{self.name}' AS CHANGELOG"
        return f"CREATE QUERY {self.name} AS\n{self.cql}\nEMIT {emit} INTO {into};"


@dataclass(frozen=True)
class Case:
    """All that a seed gives."""

    seed: int
    scene: Scene
    queries: tuple[CaseQuery, ...]
    steps: tuple[Step, ...]
    form: Form = "nested"
    declarations: tuple[str, ...] = ()

    def text(self) -> str:
        """The .cql file; `{dir}` stands for the folder of the run."""
        statements = [query.statement() for query in self.queries]
        return "\n".join([*self.declarations, "", *statements, ""])

    def only(self, *names: str) -> Case:
        """The same data with some of the queries."""
        return replace(self, queries=tuple(q for q in self.queries if q.name in names))

    def history(self) -> History:
        """All arrivals, epoch n being the n-th feed, counted from 1."""
        return arrivals(self.scene, self.steps)

    def oracle(self) -> Evaluator:
        """What answers the queries."""
        return answering(self.history(), self.form)


def answering(history: History, form: Form) -> Evaluator:
    """Mixed queries are asked one instant at a time: of all instants in one statement, DuckDB
    forgets the DISTINCT of COUNT(DISTINCT …) above a correlated NOT EXISTS.
    """
    return Evaluator(history, one_at_a_time=form == "mixed")


def arrivals(scene: Scene, steps: Sequence[Step]) -> History:
    """The log of arrivals of a plan of feeding."""
    history = History(scene.stream_schemas(), scene.nrr_schemas())
    feeds = [step for step in steps if isinstance(step, Feed)]
    for epoch, feed in enumerate(feeds, start=1):
        for nrr, contents in feed.contents.items():
            history.replace(epoch, nrr, contents)
        for stream, rows in feed.rows.items():
            history.arrive(epoch, stream, rows)
    return history


@cache
def draw_case(seed: int, form: Form = "nested") -> Case:
    """The case of a seed: four to eight queries over one set of data, or many if not nested.

    To draw one takes as long as its queries' answers; many tests look at the same.
    """
    flat = form in FLAT
    draw = Draw(seed)
    scene = draw_scene(draw)
    steps = draw_steps(draw, scene)
    oracle = answering(arrivals(scene, steps), form)
    maker = Mixed(draw, scene, seed) if form == "mixed" else Queries(draw, scene, flat)
    names = [f"q{i}" for i in range(1, (FLAT[form] if flat else draw.number(4, 8)) + 1)]
    # Choices about the compiler are drawn apart: the queries and data of a seed stay what they are.
    aside = Draw(-1 - seed)
    queries: list[CaseQuery] = []
    again = None
    for name in names:
        before = draw.random.getstate()
        if again is not None and aside.chance(0.15):
            queries.append(_repeated(draw, maker, oracle, name, flat, again))
        else:
            maker.turn += 1
            queries.append(_query(draw, maker, oracle, name, flat))
            again = before
    settings = (f"SET optimizer = '{aside.weighted([(8, 'on'), (1, 'rules'), (1, 'off')])}';",)
    lines = (*settings, *expiration(aside, scene), *with_statistics(aside, scene))
    return Case(seed, scene, tuple(queries), steps, form, lines)


def expiration(draw: Draw, scene: Scene) -> Iterator[str]:
    """Settings that say when ended rows go and how they lie: no answer depends on them."""
    for name in ("eager_interval", "lazy_interval"):
        if draw.chance(0.3):
            length = scene.length(draw.number(1, 20))
            yield f"SET {name} = {length if length.isdigit() else repr(length)};"
    if draw.chance(0.3):
        yield f"SET expiry_partitions = {draw.number(1, 4)};"
        yield f"SET expiry_order = '{draw.one(['expiry', 'insertion'])}';"


def with_statistics(draw: Draw, scene: Scene) -> Iterator[str]:
    """The scene's declarations with drawn rates and numbers of values, so that the choices by cost
    fall both ways."""
    for line in scene.declarations():
        stream = next(
            (s for s in scene.streams if line.startswith(f"CREATE STREAM {s.name} ")), None
        )
        if stream is None:
            yield line
            continue
        figures = [f"rate = {draw.one([0.001, 1, 50, 10_000])}"]
        figures += [f"DISTINCT {c.name} = {draw.one([1, 5, 100, 100_000])}" for c in stream.named()]
        yield f"{line.removesuffix(';')} WITH STATS ({', '.join(figures)});"


def _repeated(
    draw: Draw, maker: Queries, oracle: Evaluator, name: str, flat: bool, state: Any
) -> CaseQuery:
    """The query that was drawn from that state, under other names within: it shares its parts."""
    now = draw.random.getstate()
    draw.random.setstate(state)
    query = _query(draw, maker, oracle, name, flat)
    draw.random.setstate(now)
    return query


def _query(draw: Draw, maker: Queries, oracle: Evaluator, name: str, flat: bool) -> CaseQuery:
    depth = 0 if flat else draw.weighted([(4, 0), (4, 1), (2, 2)])
    texts, query = maker.query(depth)
    for _ in range(4):
        if sum(len(at) for at in oracle.changes(query).values()) > FEW:
            break
        # Drawn conditions often leave nothing; a query that is empty all the time proves little.
        texts, query = maker.query(depth)
    sinks: Sequence[tuple[int, Sink]] = [(6, "changes"), (2, "final"), (2, "log")]
    return CaseQuery(name, texts.cql, query, texts.columns, draw.weighted(sinks))
