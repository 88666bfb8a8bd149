"""From which streams' first element on a query has an answer.

In: a plan. Out: for each operator the streams of the queries that read it.
"""

from __future__ import annotations

from ..plan.graph import Plan
from ..plan.operators import Operator, Scan


def streams(plan: Plan) -> frozenset[str]:
    """All base streams of a plan."""
    return frozenset(o.stream.name for o in plan.operators() if isinstance(o, Scan))


def beginnings(plan: Plan) -> dict[Operator, frozenset[str]]:
    """The streams of all queries above each operator.

    An aggregate over nothing is a row, but not before its query has begun, and a query begins with
    the first element of any stream that it reads, whether the aggregate reads that one or not.
    """
    below = streams_below(plan)
    found = {operator: frozenset[str]() for operator in below}
    found.update({sink: below[sink] for sink in plan.sinks})
    for operator in reversed(list(plan.operators())):
        for source in operator.inputs:
            found[source] |= found[operator]
    return found


def streams_below(plan: Plan) -> dict[Operator, frozenset[str]]:
    """The base streams of which each operator's output is made."""
    below: dict[Operator, frozenset[str]] = {}
    for operator in plan.operators():
        own = frozenset({operator.stream.name}) if isinstance(operator, Scan) else frozenset[str]()
        below[operator] = own.union(*(below[source] for source in operator.inputs))
    return below
