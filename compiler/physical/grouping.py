"""How a GROUP BY is kept up to date: accumulators, panes or the contents of the window."""

from __future__ import annotations

import re

from ..analyse import Facts
from ..plan.operators import Aggregate, Group
from .calls import By
from .choice import Choice

_EXACT = re.compile(r"(TINYINT|SMALLINT|INT|INTEGER|BIGINT|LONG|BYTE|SHORT|DECIMAL|NUMERIC)\b")


def choose_grouping(group: Group, facts: Facts) -> Choice[By]:
    """The cheapest way that gives exact values."""
    source = group.input
    if facts.forms[source] == "intervals" and facts.sliding[source]:
        return Choice("panes", "window with SLIDE: one partial per group and pane, no archive")
    if facts.append_only[source]:
        return Choice("accumulators", "nothing ever leaves: one accumulator per group")
    reader = next((a for a in group.aggregates if not invertible(a)), None)
    if reader is None:
        return Choice("accumulators", "what leaves can be subtracted exactly")
    return Choice(
        "contents", f"{_shown(reader)} cannot be subtracted: touched groups are read again"
    )


def invertible(aggregate: Aggregate) -> bool:
    """Whether a row that leaves can be taken out of the aggregate without error."""
    match aggregate.function:
        case "count":
            return True
        case "min" | "max":
            return False
        case "sum" | "avg":
            # A sum of doubles depends on the order in which they were added.
            type_ = aggregate.argument.type if aggregate.argument is not None else ""
            return _EXACT.match(type_) is not None


def _shown(aggregate: Aggregate) -> str:
    type_ = aggregate.argument.type if aggregate.argument is not None else ""
    function = aggregate.function.upper()
    return f"{function} of {type_}" if aggregate.function in ("sum", "avg") else function
