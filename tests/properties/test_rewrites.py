"""Rewrites change no answer: the oracle answers the plan before them and the plan after them.

Rates and numbers of values are drawn as well, so that the choices by cost fall both ways. Nothing
here needs Spark; what the engine makes of the rewritten plans is `test_engine`'s business.
`REFLOW_PLANS` sets how many queries are drawn at least, whose plans the oracle answers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import cast

import pytest

from reflow.compiler.analyse import Facts, analyse
from reflow.compiler.pipeline import bind, read, rewrite
from reflow.compiler.plan.graph import Plan
from reflow.compiler.plan.operators import Sink
from reflow.compiler.plan.rebuild import substitute
from reflow.compiler.plan.render import render
from reflow.compiler.rewrite import OFFERS, Rewritten
from reflow.grammar.source import Source

from ..oracle.evaluate import Evaluator
from ..oracle.multiplicity import difference
from .case import arrivals, with_statistics
from .draw import Draw
from .feeding import draw_steps
from .filled import filled_query
from .negations import negated_query
from .plan_sql import NotSaid, query_of
from .queries import Queries
from .scene import Scene, draw_scene

pytestmark = pytest.mark.slow  # the oracle answers every plan twice
EACH = 6
PLANS = int(os.environ.get("REFLOW_PLANS", "400"))


def text(seed: int, queries: int = EACH) -> tuple[Scene, str]:
    """A drawn file with drawn statistics."""
    draw = Draw(seed)
    scene = draw_scene(draw)
    maker = Queries(draw, scene, outer=seed % 3 == 2)
    lines = list(with_statistics(draw, scene))
    for number in range(1, queries + 1):
        if number == EACH - 1:
            cql = filled_query(draw, scene)
        elif number % 2 == 0:
            cql = negated_query(draw, scene, maker)
        else:
            cql = maker.query(draw.number(0, 2))[0].cql
        lines.append(f"CREATE QUERY q{number} AS {cql} INTO LOG 'q{number}';")
    return scene, "\n".join(lines)


@cache
def plans(seed: int) -> tuple[Plan, Rewritten]:
    source = Source("drawn.cql", text(seed)[1])
    plan, _ = bind(source, read(source), "drawn")
    return plan, rewrite(plan)


SEEDS = range(-(-PLANS // EACH))
COMPILED = range(0, 100, 10)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rewritten_plan_has_the_same_answers(seed: int) -> None:
    """The plan that was chosen, and of what could be chosen next one candidate, however dear."""
    before, after = plans(seed)
    draw = Draw(seed)
    scene = draw_scene(draw)
    oracle = Evaluator(arrivals(scene, draw_steps(draw, scene)))
    for old, new in zip(before.sinks, after.plan.sinks, strict=True):
        try:
            expected = oracle.changes(query_of(old))
            others = list(candidates(new))
            for sink in [new, *([draw.one(others)] if others else [])]:
                fault = difference(expected, oracle.changes(query_of(sink)))
                shown = f"{_shown(old)}----\n{_shown(sink)}"
                assert not fault, f"{old.query} of seed {seed}:\n{fault}\n{shown}"
        except NotSaid:
            continue


def candidates(sink: Sink) -> Iterator[Sink]:
    """What the offers would make of a query."""
    plan = Plan("q", (sink,))
    facts = analyse(plan)
    for operator in plan.operators():
        for offer in OFFERS:
            for _, alternative in offer.propose(operator, facts):
                yield cast(Sink, substitute(sink, {operator: alternative}))


@pytest.mark.parametrize("seed", COMPILED)
def test_what_leaves_a_plan_keeps_its_shape_and_its_guarantees(seed: int) -> None:
    for number in range(seed, seed + 10):
        before, after = plans(number)
        facts, new_facts = analyse(before), analyse(after.plan)
        for old, new in zip(before.sinks, after.plan.sinks, strict=True):
            assert old.schema == new.schema
            assert (old.key, old.mode, old.columns) == (new.key, new.mode, new.columns)
            _assert_no_weaker(old, facts, new, new_facts)


def _assert_no_weaker(old: Sink, facts: Facts, new: Sink, new_facts: Facts) -> None:
    assert new_facts.patterns[new].kind <= facts.patterns[old].kind
    assert new_facts.append_only[new] >= facts.append_only[old]
    assert new_facts.retracting[new] <= facts.retracting[old]
    assert new_facts.beginnings[new] == facts.beginnings[old]


def test_every_rule_and_every_offer_is_met() -> None:
    """What no drawn plan meets, this file proves nothing about."""
    done = [plans(seed)[1] for seed in range(100)]
    applied = {step.rule for rewritten in done for step in rewritten.applied}
    offered = {decision.rule for rewritten in done for decision in rewritten.decisions}
    assert set(RULES) - applied == set()
    assert {offer.name for offer in OFFERS} - {"nrr_order"} <= offered
    # Rates and numbers of values are drawn so that choices fall both ways.
    assert {"join_order", "distinct_below_join", "negation_and_join"} <= applied


def _shown(sink: Sink) -> str:
    return render(Plan("q", (sink,)))


RULES = [
    "merge_filters",
    "push_filter_below_projection",
    "push_filter_below_union",
    "push_filter_into_join",
    "push_filter_below_window",
    "push_filter_below_row_window",
    "push_projection_below_union",
    "narrow",
    "push_filter_below_semi_join",
    "push_condition_below_semi_join",
    "push_filter_below_set_operation",
    "simplify_outer_join",
    "drop_true_condition",
]
