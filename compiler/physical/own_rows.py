"""Which windows keep rows of their own, and not read them again from the archive of their stream.

In: a plan, its facts, costs. Out: a choice for each window behind a filter whose rows some step
reads again while they are valid. The archive has all rows of the stream: a filter that few of them
pass is then applied to all valid rows in every epoch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..analyse import Facts
from ..cost import Costing
from ..plan.graph import Plan
from ..plan.operators import (
    Distinct,
    Filter,
    Group,
    Join,
    Operator,
    Project,
    Scan,
    SemiJoin,
    Union,
    Window,
)
from ..rewrite import Candidate, Decision
from .asof import looks_up_matches
from .shown import shown

NAME = "own_rows"
PAPER = "UPA 5.3.2 and 5.4.1"
REWRITTEN = 2
"""What is kept is written as well, and from time to time folded."""


def own_rows(plan: Plan, facts: Facts, costing: Costing) -> Mapping[Window, Decision]:
    """The windows in question, each with what an epoch reads either way; fewer rows come than are
    offered where some filter lies below.
    """
    return dict(_decisions(plan, facts, costing))


def keeping(decisions: Mapping[Window, Decision]) -> frozenset[Window]:
    """The windows that are to keep their rows."""
    return frozenset(window for window, decision in decisions.items() if decision.changed)


def _decisions(plan: Plan, facts: Facts, costing: Costing) -> Iterator[tuple[Window, Decision]]:
    rates = {
        scan.stream.name: costing.flow(scan).rate
        for scan in plan.operators()
        if isinstance(scan, Scan)
    }
    for window in plan.operators():
        if isinstance(window, Window) and _is_asked(window, facts):
            flow = costing.flow(window)
            passed = costing.flow(window.input).rate
            offered = sum(rates[reach.stream] for reach in facts.reaches[window])
            if passed < offered:
                archived = flow.live * offered / passed if passed else offered
                yield window, _choice(window, archived, REWRITTEN * flow.live)


def _choice(window: Window, archived: float, own: float) -> Decision:
    return Decision(
        NAME,
        PAPER,
        f"Window {shown(window)}, read again while valid",
        (
            Candidate("all valid rows from the archive", archived, archived <= own),
            Candidate("those behind the filter, kept and folded", own, own < archived),
        ),
    )


def _is_asked(window: Window, facts: Facts) -> bool:
    """Rows that may be withdrawn are looked up in the archive; those of [NOW] are few."""
    return (
        window.kind == "range"
        and facts.append_only[window.input]
        and facts.forms[window] == "intervals"
        and bool(facts.reaches[window])
        and any(_reads_contents(*edge, facts) for edge in _taken(window, facts))
    )


def _taken(source: Operator, facts: Facts) -> Iterator[tuple[Operator, Operator]]:
    """The edges by which an output is taken, by way of linear operators, each once."""
    linear = [source]
    for each in linear:
        for taker in dict.fromkeys(facts.consumers(each)):
            if not isinstance(taker, Filter | Project | Union):
                yield each, taker
            elif taker not in linear:
                linear.append(taker)


def _reads_contents(source: Operator, taker: Operator, facts: Facts) -> bool:
    """Whether a step reads all valid rows of an input in every epoch."""
    match taker:
        case Join():
            current = facts.currents.get(taker)
            if current is not None:
                return taker.inputs[1 - current] == source
            return facts.forms[taker] == "intervals"
        case SemiJoin():
            return taker.left == source and looks_up_matches(taker, facts)
        case Group():
            return facts.groupings[taker] == "contents"
        case Distinct():
            return facts.execution == "direct" and facts.forms[taker] == "intervals"
        case _:
            return False
