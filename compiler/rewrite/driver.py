"""The driver: applies the rules of each stage until none applies, and polices them.

In: a plan and stages. Out: a plan that means the same, what was applied, and how long each rule
took.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import cast

from reflow.grammar.value import value

from ..analyse import Facts, analyse
from ..plan.graph import Plan
from ..plan.operators import Operator, Sink
from ..plan.rebuild import substitute
from ..plan.render import heading
from ..plan.schema import names
from ..plan.validate import validate
from .offer import Decision
from .rule import Applied, Rule, RuleError

Stage = tuple[str, Sequence[Rule]]
_PASSES = 200


@value
class Rewritten:
    """The new plan, the rules applied in order, the seconds that each rule took, and the choices
    by cost."""

    plan: Plan
    applied: tuple[Applied, ...]
    seconds: dict[str, float]
    decisions: tuple[Decision, ...] = ()


def rewrite(plan: Plan, stages: Sequence[Stage]) -> Rewritten:
    """Apply every stage in order, each to its fixpoint."""
    log: list[Applied] = []
    seconds: dict[str, float] = {}
    for name, rules in stages:
        seen = {plan}
        for _ in range(_PASSES):
            new = _pass(plan, name, rules, log, seconds)
            if new == plan:
                break
            if new in seen:
                raise RuleError(f"stage {name} comes back to a plan that it had already left")
            seen.add(new)
            plan = new
        else:
            raise RuleError(f"stage {name} does not come to an end")
    return Rewritten(plan, tuple(log), seconds)


def _pass(
    plan: Plan, stage: str, rules: Sequence[Rule], log: list[Applied], seconds: dict[str, float]
) -> Plan:
    """Offer each operator once to the rules, inputs first; the first rule that applies wins."""
    facts = analyse(plan)
    new: dict[Operator, Operator] = {}
    for operator in plan.operators():
        result = _first(operator, facts, stage, rules, log, seconds) or operator
        new[operator] = new[result] if result in new else substitute(result, new)
    sinks = tuple(cast(Sink, new[sink]) for sink in plan.sinks)
    changed = replace(plan, sinks=sinks)
    if changed == plan:
        return plan
    _check_plan(plan, changed, stage)
    return changed


def _first(
    operator: Operator,
    facts: Facts,
    stage: str,
    rules: Sequence[Rule],
    log: list[Applied],
    seconds: dict[str, float],
) -> Operator | None:
    for rule in rules:
        start = perf_counter()
        result = rule.apply(operator, facts)
        seconds[rule.name] = seconds.get(rule.name, 0.0) + perf_counter() - start
        if result is None or result == operator:
            continue
        _check_schema(rule, operator, result)
        log.append(Applied(stage, rule.name, rule.paper, operator, result))
        return result
    return None


def _check_schema(rule: Rule, before: Operator, after: Operator) -> None:
    if after.schema == before.schema:
        return
    if rule.narrows and set(after.schema) <= set(before.schema):
        return
    raise RuleError(
        f"rule {rule.name} changed the schema of {heading(before)}: "
        f"{names(before.schema)} became {names(after.schema)}"
    )


def _check_plan(before: Plan, after: Plan, stage: str) -> None:
    """Every expression still finds its columns; what leaves the plan is what left it before."""
    problems = validate(after)
    if problems:
        raise RuleError(f"stage {stage} left a broken plan: {'; '.join(problems)}")
    for old, new in zip(before.sinks, after.sinks, strict=True):
        if names(old.schema) != names(new.schema):
            raise RuleError(f"stage {stage} changed the columns of query {old.query}")
