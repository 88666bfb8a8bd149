"""Parts of a join's condition that read one side only become filters of that side."""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import columns_of, conjunction, conjuncts, is_deterministic
from ...plan.operators import Filter, Join, Operator
from ...plan.operators.base import Expr
from ...plan.schema import names
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Join) or operator.condition is None:
        return None
    # A random condition is drawn once for each pair.
    if not is_deterministic(operator.condition.sql):
        return None
    left, right = (frozenset(names(source.schema)) for source in operator.inputs)
    below_left: list[str] = []
    below_right: list[str] = []
    rest: list[str] = []
    for part in conjuncts(operator.condition.sql):
        read = columns_of(part)
        side = below_left if read <= left else below_right if read <= right else rest
        side.append(part)
    if not below_left and not below_right:
        return None
    return Join(
        _filtered(operator.left, below_left),
        _filtered(operator.right, below_right),
        operator.equal,
        Expr(conjunction(rest), "BOOLEAN") if rest else None,
    )


def _filtered(source: Operator, parts: list[str]) -> Operator:
    return Filter(source, Expr(conjunction(parts), "BOOLEAN")) if parts else source


push_condition_below_join = Rule(
    "push_condition_below_join", "UPA 5.4, predicate push-down", _apply
)
