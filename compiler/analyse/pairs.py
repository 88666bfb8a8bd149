"""Which joins with NRRs keep the pairs that they make, since rows of their stream may be withdrawn.

In: a plan, which edges retract. Out: for each operator whether it is such a join or lies below one.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..plan.graph import Plan
from ..plan.of_rows import of_rows
from ..plan.operators import NrrJoin, Operator


def paired(plan: Plan, retracting: Mapping[Operator, bool]) -> dict[Operator, bool]:
    """A withdrawn row met a version that need not be there any more (UPA 4.1): its pairs are found
    by its place in the order of arrival, which it has from the scan on.
    """
    found = dict.fromkeys(plan.operators(), False)
    for operator in reversed(list(plan.operators())):
        if isinstance(operator, NrrJoin) and retracting[operator] and of_rows(operator):
            found[operator] = True
        if found[operator]:
            found.update(dict.fromkeys(operator.inputs, True))
    return found
