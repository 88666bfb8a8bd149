"""How each GROUP BY is kept up to date: by accumulators, by panes, or from the window's contents.

In: a plan, its forms, what lies below windows with SLIDE, what only appends and what retracts. Out:
for each group the cheapest way that gives exact values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ..plan.aggregates import SUMS
from ..plan.graph import Plan
from ..plan.operators import Aggregate, Group, Operator
from .forms import Form

By = Literal["accumulators", "panes", "contents"]


def groupings(
    plan: Plan,
    forms: Mapping[Operator, Form],
    sliding: Mapping[Operator, bool],
    append_only: Mapping[Operator, bool],
    retracting: Mapping[Operator, bool],
) -> dict[Operator, By]:
    """The way of each group; other operators have none."""
    found: dict[Operator, By] = {}
    for operator in plan.operators():
        if not isinstance(operator, Group):
            continue
        source = operator.input
        whole = reader(operator) is None or not retracting[source]
        if forms[source] == "intervals" and sliding[source] and whole:
            found[operator] = "panes"
        elif append_only[source] or reader(operator) is None:
            found[operator] = "accumulators"
        else:
            found[operator] = "contents"
    return found


def reader(group: Group) -> Aggregate | None:
    """The first aggregate that reads values again when a row leaves."""
    return next((each for each in group.aggregates if not invertible(each)), None)


def invertible(aggregate: Aggregate) -> bool:
    """Whether a row that leaves can be taken out of the aggregate without error. It can of sums:
    they are kept as whole numbers.
    """
    return aggregate.function in SUMS and not aggregate.distinct
