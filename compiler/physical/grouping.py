"""Why a GROUP BY is kept up to date as it is."""

from __future__ import annotations

from ..analyse import Facts
from ..analyse.grouping import By, invertible, reader
from ..plan.operators import Aggregate, Group
from .choice import Choice


def choose_grouping(group: Group, facts: Facts) -> Choice[By]:
    """The way that the analysis found, with its reason."""
    by, reading = facts.groupings[group], reader(group)
    if by == "panes":
        return Choice(by, "window with SLIDE: one partial per group and pane, no archive")
    if facts.append_only[group.input]:
        return Choice(by, "nothing ever leaves: one accumulator per group")
    if reading is None:
        return Choice(by, "what leaves can be subtracted exactly")
    return Choice(by, f"{_shown(reading)} cannot be subtracted: touched groups are read again")


def needs_points(group: Group, facts: Facts) -> bool:
    """Whether intervals that may be taken back must become points first: only there are the copies
    of a row counted before its values are read.
    """
    return facts.retracting[group.input] and any(not invertible(a) for a in group.aggregates)


def _shown(aggregate: Aggregate) -> str:
    distinct = "(DISTINCT)" if aggregate.distinct else ""
    return f"{aggregate.function.upper()}{distinct}"
