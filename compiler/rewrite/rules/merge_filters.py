"""Two filters in a row are one."""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import conjunction, conjuncts
from ...plan.operators import Filter, Operator
from ...plan.operators.base import Expr
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Filter) or not isinstance(operator.input, Filter):
        return None
    inner = operator.input
    parts = (*conjuncts(inner.predicate.sql), *conjuncts(operator.predicate.sql))
    return Filter(inner.input, Expr(conjunction(parts), "BOOLEAN"))


merge_filters = Rule("merge_filters", "one pass over the rows instead of two", _apply)
