"""A filter over a time window goes below it: when an element ends does not depend on the others.

It then stands beside the scan, where rows are dropped before anything is made of them. A window
over a reported stream takes it as well: its elements are the reported rows.
"""

from __future__ import annotations

from ...analyse import Facts
from ...plan.operators import Filter, Operator, Window
from ...plan.rebuild import with_inputs
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Filter) or not isinstance(operator.input, Window):
        return None
    window = operator.input
    return with_inputs(window, (Filter(window.input, operator.predicate),))


push_filter_below_window = Rule("push_filter_below_window", "UPA 5.4 (WKS stays WKS)", _apply)
