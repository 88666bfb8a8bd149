"""From which streams' first element on a query has an answer.

In: a plan. Out: for each operator the streams of the queries that read it.
"""

from __future__ import annotations

from ..plan.graph import Plan
from ..plan.operators import Merge, Operator
from ..plan.sections import own_operators, source


def streams(plan: Plan) -> frozenset[str]:
    """All streams that move the clock of a plan: base streams, and merged ones instead of what they
    are made of.
    """
    found = (source(operator) for operator in own_operators(plan))
    return frozenset(name for name in found if name is not None)


def beginnings(plan: Plan) -> dict[Operator, frozenset[str]]:
    """The streams of all queries above each operator.

    An aggregate over nothing is a row, but not before its query has begun, and a query begins with
    the first element of any stream that it reads, whether the aggregate reads that one or not.
    """
    below = streams_below(plan)
    found = {operator: frozenset[str]() for operator in below}
    found.update({sink: below[sink] for sink in plan.sinks})
    for operator in reversed(list(plan.operators())):
        for below_it in operator.inputs:
            # A branch of a merge begins by itself.
            above = below[below_it] if isinstance(operator, Merge) else found[operator]
            found[below_it] |= above
    return found


def streams_below(plan: Plan) -> dict[Operator, frozenset[str]]:
    """The streams of which each operator's output is made; below a merge that is this."""
    below: dict[Operator, frozenset[str]] = {}
    for operator in plan.operators():
        name = source(operator)
        inputs = (below[each] for each in operator.inputs)
        below[operator] = frozenset[str]().union(*inputs) if name is None else frozenset({name})
    return below
