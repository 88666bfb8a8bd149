"""Columns of a UNION ALL that nobody reads are dropped in its branches."""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import quoted
from ...plan.operators import Operator, Project, Union
from ...plan.operators.base import Expr
from ...plan.rebuild import with_inputs
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Union):
        return None
    kept = [i for i, column in enumerate(operator.schema) if column.name in facts.needed[operator]]
    kept = kept or [0]
    if len(kept) == len(operator.schema):
        return None
    return with_inputs(
        operator, tuple(_narrowed(operator, branch, kept) for branch in operator.branches)
    )


def _narrowed(union: Union, branch: Operator, kept: list[int]) -> Operator:
    columns = tuple(
        (union.schema[i].name, Expr(quoted(branch.schema[i].name), union.schema[i].type))
        for i in kept
    )
    return Project(branch, columns)


push_projection_below_union = Rule(
    "push_projection_below_union", "UPA 5.4, projection push-down", _apply, narrows=True
)
