"""How a GROUP BY is kept up to date: accumulators, panes or the contents of the window."""

from __future__ import annotations

from ..analyse import Facts
from ..plan.aggregates import SUMS
from ..plan.operators import Aggregate, Group
from .calls import By
from .choice import Choice


def choose_grouping(group: Group, facts: Facts) -> Choice[By]:
    """The cheapest way that gives exact values."""
    source = group.input
    reader = next((a for a in group.aggregates if not invertible(a)), None)
    whole = reader is None or not facts.retracting[source]
    if facts.forms[source] == "intervals" and facts.sliding[source] and whole:
        return Choice("panes", "window with SLIDE: one partial per group and pane, no archive")
    if facts.append_only[source]:
        return Choice("accumulators", "nothing ever leaves: one accumulator per group")
    if reader is None:
        return Choice("accumulators", "what leaves can be subtracted exactly")
    return Choice(
        "contents", f"{_shown(reader)} cannot be subtracted: touched groups are read again"
    )


def invertible(aggregate: Aggregate) -> bool:
    """Whether a row that leaves can be taken out of the aggregate without error. It can of sums:
    they are kept as whole numbers.
    """
    return aggregate.function in SUMS and not aggregate.distinct


def needs_points(group: Group, facts: Facts) -> bool:
    """Whether intervals that may be taken back must become points first: only there are the copies
    of a row counted before its values are read.
    """
    return facts.retracting[group.input] and any(not invertible(a) for a in group.aggregates)


def _shown(aggregate: Aggregate) -> str:
    distinct = "(DISTINCT)" if aggregate.distinct else ""
    return f"{aggregate.function.upper()}{distinct}"
