"""A filter over a semi-join or an anti-join goes to its left side: it sees columns of the left
only.

Whether a row has a match does not depend on the other rows of the left.
"""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import is_deterministic
from ...plan.operators import Filter, Operator, SemiJoin
from ...plan.rebuild import with_inputs
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Filter) or not isinstance(operator.input, SemiJoin):
        return None
    join = operator.input
    # Read by others as well, its state would be kept twice.
    if facts.readers[join] > 1:
        return None
    # A row that comes back would be drawn for anew.
    if not is_deterministic(operator.predicate.sql):
        return None
    return with_inputs(join, (Filter(join.left, operator.predicate), join.right))


push_filter_below_semi_join = Rule(
    "push_filter_below_semi_join", "UPA 5.4, predicate push-down", _apply
)
