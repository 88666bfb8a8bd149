"""Choices by cost: candidates are tried in the whole plan, and the cheapest plan is taken.

In: a plan, offers, a cost model. Out: a plan that means the same and does not cost more, and what
was considered. What a candidate shares with other queries is paid for once, so pulling a part out
of a shared one pays only where it saves more than it doubles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from reflow.grammar.value import value

from ..analyse import Facts, analyse
from ..cost import Costing, Work
from ..plan.graph import Plan
from ..plan.operators import Filter, Operator, Project, Scan, Sink, Union, Window
from ..plan.rebuild import substitute
from ..plan.render import heading
from ..plan.schema import names
from ..plan.validate import validate
from .offer import Candidate, Decision, Offer
from .rule import Applied, RuleError

STAGE = "by cost"
GAIN = 0.99
"""A candidate must be cheaper than this share of what stands: estimates are no measurements."""
GAIN_OF_STEP = 0.75
"""The same for a candidate with more steps that keep state: each takes its time in every epoch,
however few rows there are."""
_MOVES = 50
_STATELESS = (Scan, Filter, Project, Union, Window, Sink)


@value
class Explored:
    """The cheapest plan that was found, what was applied on the way, and every choice."""

    plan: Plan
    applied: tuple[Applied, ...]
    decisions: tuple[Decision, ...]


def explore(plan: Plan, offers: Sequence[Offer], costing: Costing) -> Explored:
    """Try all offers, from the answers down, until none makes the plan cheaper."""
    applied: list[Applied] = []
    decisions: dict[tuple[str, Operator], Decision] = {}
    for _ in range(_MOVES):
        move = _next_move(plan, offers, costing, decisions)
        if move is None:
            break
        plan, step = move
        applied.append(step)
    return Explored(plan, tuple(applied), tuple(decisions.values()))


def _next_move(
    plan: Plan,
    offers: Sequence[Offer],
    costing: Costing,
    decisions: dict[tuple[str, Operator], Decision],
) -> tuple[Plan, Applied] | None:
    """The first operator for which a candidate is cheaper than what stands."""
    standing = _Priced.of(plan, costing)
    for operator in reversed(list(plan.operators())):
        for offer in offers:
            if (offer.name, operator) in decisions:
                continue
            tried = [
                (what, alternative, _Priced.of(_with(plan, operator, alternative, offer), costing))
                for what, alternative in offer.propose(operator, standing.facts)
                if alternative != operator
            ]
            if not tried:
                continue
            best = max(range(len(tried)), key=lambda i: tried[i][2].gain(standing))
            chosen = best if tried[best][2].gain(standing) > 0 else None
            prices = [(what, priced.cost) for what, _, priced in tried]
            decisions[offer.name, operator] = _decision(offer, operator, standing, prices, chosen)
            if chosen is not None:
                _, alternative, priced = tried[chosen]
                step = Applied(STAGE, offer.name, offer.paper, operator, alternative)
                return _checked(priced.plan, offer), step
    return None


@value
class _Priced:
    plan: Plan
    facts: Facts
    works: Mapping[Operator, Work]
    stateful: int

    @classmethod
    def of(cls, plan: Plan, costing: Costing) -> _Priced:
        facts = analyse(plan)
        stateful = sum(not isinstance(operator, _STATELESS) for operator in plan.operators())
        return cls(plan, facts, costing.works(plan, facts), stateful)

    @property
    def cost(self) -> float:
        return sum(work.total for work in self.works.values())

    def gain(self, standing: _Priced) -> float:
        """What it saves of the cost of what it replaces, less what is asked of a candidate. What
        stands beside it does not count: a large file would drown every gain.
        """
        # The work of an operator that stays may change with those that read it.
        replaced = sum(w.total for o, w in standing.works.items() if self.works.get(o) != w)
        made = sum(w.total for o, w in self.works.items() if standing.works.get(o) != w)
        more = self.stateful > standing.stateful
        return replaced * (GAIN_OF_STEP if more else GAIN) - made


def _decision(
    offer: Offer,
    operator: Operator,
    standing: _Priced,
    prices: Iterable[tuple[str, float]],
    chosen: int | None,
) -> Decision:
    candidates = [Candidate("as it stands", standing.cost, chosen is None)]
    candidates += [
        Candidate(what, cost, number == chosen) for number, (what, cost) in enumerate(prices)
    ]
    return Decision(offer.name, offer.paper, heading(operator), tuple(candidates))


def _with(plan: Plan, operator: Operator, alternative: Operator, offer: Offer) -> Plan:
    """The plan with an operator replaced. The offer must have kept its promise."""
    if alternative.schema != operator.schema:
        raise RuleError(
            f"{offer.name} changed the schema of {heading(operator)}: "
            f"{names(operator.schema)} became {names(alternative.schema)}"
        )
    new: Mapping[Operator, Operator] = {operator: alternative}
    sinks = tuple(cast(Sink, substitute(sink, new)) for sink in plan.sinks)
    return replace(plan, sinks=sinks)


def _checked(plan: Plan, offer: Offer) -> Plan:
    problems = validate(plan)
    if problems:
        raise RuleError(f"{offer.name} left a broken plan: {'; '.join(problems)}")
    return plan
