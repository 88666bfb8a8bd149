"""What the binder makes of a query means what the query says: NULLs in NOT IN, sets, joins.

The oracle answers the drawn query and the bound plan, before any rewrite and without the engine.
"""

from __future__ import annotations

import pytest

from reflow.compiler.pipeline import bind, read, rewrite
from reflow.grammar.source import Source

from ..oracle.evaluate import Evaluator
from ..oracle.multiplicity import difference
from .case import arrivals, draw_case
from .draw import Draw
from .feeding import draw_steps
from .plan_sql import NotSaid, query_of
from .queries import Queries
from .scene import draw_scene

EACH = 6


@pytest.mark.parametrize("seed", range(20))
def test_a_bound_plan_means_what_its_query_says(seed: int) -> None:
    draw = Draw(seed)
    scene = draw_scene(draw)
    oracle = Evaluator(arrivals(scene, draw_steps(draw, scene)))
    maker = Queries(draw, scene, negation=True, outer=seed % 2 == 1)
    asked = [maker.query(draw.number(0, 2)) for _ in range(EACH)]
    lines = [f"CREATE QUERY q{n} AS {t.cql} INTO LOG 'q{n}';" for n, (t, _) in enumerate(asked)]
    source = Source("drawn.cql", "\n".join([*scene.declarations(), *lines]))
    plan, _ = bind(source, read(source), "drawn")
    for sink, (texts, query) in zip(plan.sinks, asked, strict=True):
        try:
            found = query_of(sink)
        except NotSaid:
            continue
        fault = difference(oracle.changes(query), oracle.changes(found))
        assert not fault, f"{texts.cql}\n{fault}"


@pytest.mark.slow  # the oracle is asked one instant at a time
@pytest.mark.parametrize("seed", range(100, 104))
def test_plans_of_mixed_queries_mean_what_the_queries_say(seed: int) -> None:
    """As bound, and as rewritten."""
    case = draw_case(seed, "mixed")
    oracle = case.oracle()
    source = Source("mixed.cql", case.text())
    bound, _ = bind(source, read(source), "mixed")
    after = rewrite(bound).plan
    said = 0
    for query, *sinks in zip(case.queries, bound.sinks, after.sinks, strict=True):
        expected = oracle.changes(query.oracle)
        for sink in sinks:
            try:
                found = query_of(sink)
            except NotSaid:
                continue
            said += 1
            fault = difference(expected, oracle.changes(found))
            assert not fault, f"{query.cql}\n{fault}"
    assert said
