"""Lineage holds: the oracle answers drawn queries over drawn rows, and over one row more.

Nothing here needs Spark. `REFLOW_LINEAGES` sets how many queries are asked about what an input
reaches, and how many about what the outputs need.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import pytest

from reflow.compiler.analyse.lineage import Lineage, lineage_of
from reflow.compiler.pipeline import bind, read, rewrite
from reflow.compiler.plan.operators import (
    Filter,
    Operator,
    Project,
    Report,
    Scan,
    Sink,
    Union,
    Window,
)
from reflow.compiler.plan.render import heading
from reflow.grammar.source import Source

from ..oracle.evaluate import Evaluator
from ..oracle.history import Arrival, History
from ..oracle.multiplicity import Changes, difference, net
from ..oracle.query import Query
from .case import arrivals
from .draw import Draw
from .feeding import draw_steps, drawn_value
from .filled import filled_query
from .negations import negated_query
from .plan_sql import NotSaid, query_of
from .queries import Queries
from .scene import Scene, draw_scene

pytestmark = pytest.mark.slow  # the oracle answers every plan three times
PLANS = int(os.environ.get("REFLOW_LINEAGES", "60"))
EACH = 3


@dataclass(frozen=True)
class Drawn:
    """A query over rows, and over the same rows with one more, whose reach is bounded."""

    seed: int
    sink: Sink
    query: Query
    stream: str
    at: int
    lineage: Lineage
    before: History
    after: History

    @property
    def until(self) -> int:
        """An instant behind all that the row reaches."""
        return max(self.after.now() or 0, self.at) + 3 * (self.lineage.reach or 0) + 5


@cache
def drawn(needing: bool) -> tuple[Drawn, ...]:
    """`needing`: what their outputs need is bounded as well."""
    found: list[Drawn] = []
    seed = 0
    while len(found) < PLANS:
        found += (d for d in _of_seed(seed) if d.lineage.need is not None or not needing)
        seed += 1
    return tuple(found[:PLANS])


def _of_seed(seed: int) -> Iterator[Drawn]:
    draw = Draw(seed)
    scene = draw_scene(draw)
    lines = [*scene.declarations()]
    maker = Queries(draw, scene, outer=seed % 3 == 2)
    for number in range(EACH):
        lines.append(f"CREATE QUERY q{number} AS {_text(draw, scene, maker, number)} INTO CONSOLE;")
    source = Source("drawn.cql", "\n".join(lines))
    plan, _ = bind(source, read(source), "drawn")
    # What is replayed is the plan that was chosen: half of those asked are.
    plan = rewrite(plan).plan if seed % 2 else plan
    before = arrivals(scene, draw_steps(draw, scene))
    for sink in plan.sinks:
        found = lineage_of(sink).items()
        # What windows by count reach and need is recorded, and no function of the plan.
        lineages = {
            name: each for name, each in found if each.reach is not None and each.of_rows is None
        }
        if not lineages:
            continue
        try:
            query = query_of(sink)
        except NotSaid:
            continue
        stream = draw.one(sorted(lineages))
        at, after = _with_a_row(draw, scene, stream, before, query.streams())
        yield Drawn(seed, sink, query, stream, at, lineages[stream], before, after)


def _text(draw: Draw, scene: Scene, maker: Queries, number: int) -> str:
    if number == 0:
        return filled_query(draw, scene)
    if number == 1:
        return negated_query(draw, scene, maker)
    return maker.query(draw.number(0, 2))[0].cql


def _with_a_row(
    draw: Draw, scene: Scene, stream: str, before: History, streams: set[str]
) -> tuple[int, History]:
    """One row more, not before the first of all: that would move the query's beginning."""
    columns = next(s.columns for s in scene.streams if s.name == stream)
    first = before.first(streams)
    assert first is not None
    # At the instant of a row, beside one, or anywhere.
    orders = sorted({before.order_of(name, a) for name in streams for _, a in before.arrived(name)})
    at = max(first, draw.one(orders) + draw.one([0, 0, -1, 1, draw.number(0, 9) * scene.unit]))
    row = {name: at if name == "ts" else drawn_value(draw, kind) for name, kind in columns}
    return at, _over(before, {stream: [*before.arrivals.get(stream, []), Arrival(99, row)]})


def _over(history: History, arrivals: Mapping[str, list[Arrival]]) -> History:
    """The same relations and streams with other rows in some of them."""
    rows = history.arrivals | dict(arrivals)
    return History(history.streams, history.nrrs, rows, history.contents)


@dataclass
class _Slice:
    """Answers over some of the rows, for a query that has begun when it began over all."""

    whole: History
    part: History
    _evaluator: Evaluator = field(init=False)

    def __post_init__(self) -> None:
        evaluator = Evaluator(self.part)
        evaluator.first = lambda query, known=None: self.whole.first(query.streams(), known)  # type: ignore[method-assign]
        self._evaluator = evaluator

    def changes(self, query: Query, until: int) -> Changes:
        return self._evaluator.changes(query, until=until)


@pytest.mark.parametrize("number", range(PLANS))
def test_an_input_changes_outputs_within_its_reach_alone(number: int) -> None:
    case = drawn(needing=False)[number]
    old, new = (
        Evaluator(history).changes(case.query, until=case.until)
        for history in (case.before, case.after)
    )
    assert case.lineage.reach is not None
    low, high = case.at, case.at + case.lineage.reach
    for outside in ((None, low), (high, None)):
        fault = difference(_between(case, old, *outside), _between(case, new, *outside))
        assert not fault, _shown(case, fault)


@pytest.mark.parametrize("number", range(PLANS))
def test_the_outputs_of_an_input_are_made_of_what_they_need(number: int) -> None:
    case = drawn(needing=True)[number]
    assert case.lineage.reach is not None and case.lineage.need is not None
    low, high = case.at, case.at + case.lineage.reach
    part = {
        name: [
            arrival
            for arrival in rows
            if low - case.lineage.need < case.after.order_of(name, arrival) < high
        ]
        for name, rows in case.after.arrivals.items()
    }
    sliced = _Slice(case.after, _over(case.after, part)).changes(case.query, case.until)
    whole = Evaluator(case.after).changes(case.query, until=case.until)
    fault = difference(_between(case, whole, low, high), _between(case, sliced, low, high))
    assert not fault, _shown(case, fault)


def test_the_cases_are_of_all_kinds() -> None:
    """What no case has, this file proves nothing about."""
    cases = drawn(needing=True)
    kinds = {type(o).__name__ for case in cases for o in _all_below(case.sink)}
    assert {"Join", "SemiJoin", "SetOperation", "Group", "Distinct", "Report", "Window"} <= kinds
    assert {None} < {case.lineage.why_not for case in drawn(needing=False)}
    slides = [o for case in cases for o in _all_below(case.sink) if isinstance(o, Window)]
    assert any(window.slide for window in slides)
    changed = [
        case
        for case in cases
        if Evaluator(case.before).changes(case.query, until=case.until)
        != Evaluator(case.after).changes(case.query, until=case.until)
    ]
    assert len(changed) > PLANS // 4


def _between(case: Drawn, changes: Changes, low: int | None, high: int | None) -> Changes:
    """The output at the instants in `[low, high)`: of a stream the rows that come, else the
    answers, as changes from nothing.
    """
    found: Changes = {}
    for row, at in changes.items():
        kept: dict[int, int] = {}
        for instant, weight in at.items():
            if high is not None and instant >= high:
                continue
            if low is None or instant >= low:
                kept[instant] = kept.get(instant, 0) + weight
            elif not _is_stream(case.sink.input):
                kept[low] = kept.get(low, 0) + weight
        found[row] = kept
    return net(found)


def _is_stream(operator: Operator) -> bool:
    """Rows come, and stay for ever."""
    if isinstance(operator, Scan | Report):
        return True
    linear = isinstance(operator, Filter | Project | Union)
    if linear or (isinstance(operator, Window) and operator.kind == "unbounded"):
        return all(map(_is_stream, operator.inputs))
    return False


def _all_below(operator: Operator) -> Iterator[Operator]:
    yield operator
    for source in operator.inputs:
        yield from _all_below(source)


def _shown(case: Drawn, fault: str) -> str:
    plan = "\n".join(heading(o) for o in _all_below(case.sink))
    return f"seed {case.seed}, {case.stream} at {case.at}, {case.lineage}:\n{plan}\n{fault}"
