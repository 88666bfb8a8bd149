"""Common subplans: parts of a file's queries that mean the same are one part.

In: a plan. Out: a plan in which a part that keeps state, and is the same as an earlier one but for
names, is a projection of that one. Equal operators are one node as it is; here the names that a
query gave no longer tell them apart.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from ..plan.expressions import quoted
from ..plan.graph import Plan
from ..plan.operators import Filter, Operator, Project, Scan, Sink, Union, Window
from ..plan.operators.base import Expr
from ..plan.rebuild import with_inputs
from ..plan.validate import validate
from .canonical import Form, Forms
from .rule import Applied, RuleError

STAGE = "shared parts"
NAME = "share_equal_parts"
PAPER = "UPA 5.4, common subplans"
_CHEAP = (Scan, Filter, Project, Union, Window, Sink)


def share(plan: Plan) -> tuple[Plan, tuple[Applied, ...]]:
    """The plan with equal parts shared, and what was replaced by what."""
    forms = Forms()
    first: dict[Operator, Operator] = {}
    new: dict[Operator, Operator] = {}
    applied: list[Applied] = []
    for operator in plan.operators():
        new[operator] = with_inputs(operator, tuple(new[source] for source in operator.inputs))
        form = forms.of(operator)
        if isinstance(operator, _CHEAP):
            continue
        earlier = first.setdefault(form.operator, operator)
        if earlier != operator:
            new[operator] = _as(operator, form, new[earlier], forms.of(earlier))
            applied.append(Applied(STAGE, NAME, PAPER, operator, new[operator]))
    if not applied:
        return plan, ()
    changed = replace(plan, sinks=tuple(cast(Sink, new[sink]) for sink in plan.sinks))
    problems = validate(changed)
    if problems:
        raise RuleError(f"{NAME} left a broken plan: {'; '.join(problems)}")
    return changed, tuple(applied)


def _as(operator: Operator, form: Form, earlier: Operator, its: Form) -> Operator:
    """The earlier part under the names of the later one."""
    named = {called: own for own, called in its.called.items()}
    columns = tuple(
        (c.name, Expr(quoted(named[form.called[c.name]]), c.type)) for c in operator.schema
    )
    return Project(earlier, columns)
