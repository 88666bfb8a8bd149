"""Parts of a filter that are true of every row are dropped: `IS NULL` of what an outer join has
filled with NULL, `IS NOT NULL` of what a match has compared.
"""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import conjunction, conjuncts
from ...plan.operators import Filter, Operator
from ...plan.operators.base import Expr
from ...plan.outcomes import outcomes
from ..rule import Rule

_CONSTANTS = ("NULL", "TRUE", "FALSE")


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Filter):
        return None
    # Nothing else is true whatever the values are: nobody need ask where NULLs are.
    if not any(word in operator.predicate.sql.upper() for word in _CONSTANTS):
        return None
    below = facts.nulls[operator.input]
    parts = conjuncts(operator.predicate.sql)
    kept = [part for part in parts if outcomes(part, below) != {True}]
    if len(kept) == len(parts):
        return None
    return Filter(operator.input, Expr(conjunction(kept), "BOOLEAN")) if kept else operator.input


drop_true_condition = Rule("drop_true_condition", "a question with one answer", _apply)
