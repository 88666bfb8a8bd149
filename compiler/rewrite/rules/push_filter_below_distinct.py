"""A filter over DISTINCT goes below it: copies of a row share their fate, δ* keeps fewer."""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import is_deterministic
from ...plan.operators import Distinct, Filter, Operator
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Filter) or not isinstance(operator.input, Distinct):
        return None
    # Read by others as well, its state would be kept twice.
    if facts.readers[operator.input] > 1:
        return None
    # A random predicate would give a row with many copies more chances.
    if not is_deterministic(operator.predicate.sql):
        return None
    return Distinct(Filter(operator.input.input, operator.predicate))


push_filter_below_distinct = Rule("push_filter_below_distinct", "UPA 5.4", _apply)
