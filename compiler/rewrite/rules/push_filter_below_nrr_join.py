"""Parts of a filter over an NRR join that read only the stream's columns go below it.

The version that a row meets depends on the row alone, so the rows that are dropped touch no other
pair.
"""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import columns_of, conjunction, conjuncts, is_deterministic
from ...plan.operators import Filter, NrrJoin, Operator
from ...plan.operators.base import Expr
from ...plan.rebuild import with_inputs
from ...plan.schema import names
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Filter) or not isinstance(operator.input, NrrJoin):
        return None
    join = operator.input
    own = frozenset(names(join.input.schema))
    parts = conjuncts(operator.predicate.sql)
    below = [part for part in parts if columns_of(part) <= own and is_deterministic(part)]
    if not below:
        return None
    new = with_inputs(join, (Filter(join.input, Expr(conjunction(below), "BOOLEAN")),))
    above = [part for part in parts if part not in below]
    return Filter(new, Expr(conjunction(above), "BOOLEAN")) if above else new


push_filter_below_nrr_join = Rule("push_filter_below_nrr_join", "UPA 4.1 and 5.4", _apply)
