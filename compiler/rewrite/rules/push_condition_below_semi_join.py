"""Parts of the condition of a semi-join or an anti-join that read one side only become filters.

Those of the right side: a row of it that fails is nobody's match. Those of the left side only where
a match is wanted: a row of an anti-join that fails has no match, and stays.
"""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import columns_of, conjunction, conjuncts, is_deterministic
from ...plan.operators import Filter, Operator, SemiJoin
from ...plan.operators.base import Expr
from ...plan.schema import names
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, SemiJoin) or operator.condition is None:
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
        if read and read <= right:
            below_right.append(part)
        elif read and read <= left and not operator.anti:
            below_left.append(part)
        else:
            rest.append(part)
    if not below_left and not below_right:
        return None
    return SemiJoin(
        _filtered(operator.left, below_left),
        _filtered(operator.right, below_right),
        operator.equal,
        Expr(conjunction(rest), "BOOLEAN") if rest else None,
        operator.anti,
    )


def _filtered(source: Operator, parts: list[str]) -> Operator:
    return Filter(source, Expr(conjunction(parts), "BOOLEAN")) if parts else source


push_condition_below_semi_join = Rule(
    "push_condition_below_semi_join", "UPA 5.4, predicate push-down", _apply
)
