"""How the rows of a strict edge are kept by a step that must see them again (UPA 5.3.2): by key, so
that a negative tuple finds its row, or partitioned by expiry, with a scan for those that leave
early.

In: a plan, its facts, costs. Out: a choice for each such edge. A strict edge is in point form: it
does not announce ends, so its state can only lie by key; the choice tells what the other layout
would cost.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..analyse import Facts
from ..analyse.lattice import Kind
from ..cost import Costing, Flow
from ..plan.graph import Plan
from ..plan.operators import Filter, Operator, Project, Report, Sink, Union, Window
from ..plan.render import heading
from ..rewrite import Candidate, Decision

PARTITIONS = 10
"""Partitions by expiry where no setting says: as in the paper's experiments."""
NAME = "strict_state"
PAPER = "UPA 5.3.2 and 5.4.1"
_KEEPS_NOTHING = (Filter, Project, Union, Window, Report, Sink)


def strict_state(
    plan: Plan, facts: Facts, costing: Costing, partitions: int | None
) -> Iterator[Decision]:
    """A choice for each strict edge into a step that keeps its rows."""
    for operator in plan.operators():
        if isinstance(operator, _KEEPS_NOTHING) or facts.forms[operator] != "points":
            continue
        for source in dict.fromkeys(operator.inputs):
            kept = not facts.reads_off(operator, source)
            if kept and facts.taken_as(source, operator).kind is Kind.STR:
                yield _choice(source, operator, costing.flow(source), partitions or PARTITIONS)


def _choice(source: Operator, operator: Operator, flow: Flow, partitions: int) -> Decision:
    by_key = flow.rate + 2 * flow.leaving
    scans = flow.early * flow.live / partitions
    by_expiry = flow.rate + scans + flow.leaving - flow.early
    return Decision(
        NAME,
        PAPER,
        f"{heading(source)}, kept by {heading(operator)}",
        (
            Candidate("by key, a negative tuple for each departure", by_key, True),
            Candidate(
                f"in {partitions} partitions by expiry, scanned for what leaves early",
                by_expiry,
                False,
            ),
        ),
    )
