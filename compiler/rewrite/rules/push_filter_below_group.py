"""Parts of a filter over GROUP BY that read only its keys go below it: whole groups pass or fail.

What reads an aggregate (most of HAVING) stays. Without keys nothing moves: the one row over nothing
must be filtered itself.
"""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import (
    columns_of,
    conjunction,
    conjuncts,
    is_deterministic,
    replace_columns,
)
from ...plan.operators import Filter, Group, Operator
from ...plan.operators.base import Expr
from ...plan.rebuild import with_inputs
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Filter) or not isinstance(operator.input, Group):
        return None
    # Read by others as well, its state would be kept twice.
    if facts.readers[operator.input] > 1:
        return None
    group = operator.input
    keys = {name: expression.sql for name, expression in group.keys}
    if not keys or not all(is_deterministic(sql) for sql in keys.values()):
        return None
    parts = conjuncts(operator.predicate.sql)
    below = [part for part in parts if columns_of(part) <= keys.keys() and is_deterministic(part)]
    if not below:
        return None
    predicate = conjunction([replace_columns(part, keys) for part in below])
    new = with_inputs(group, (Filter(group.input, Expr(predicate, "BOOLEAN")),))
    above = [part for part in parts if part not in below]
    return Filter(new, Expr(conjunction(above), "BOOLEAN")) if above else new


push_filter_below_group = Rule("push_filter_below_group", "UPA 5.4", _apply)
