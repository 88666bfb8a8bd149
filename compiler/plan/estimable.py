"""Whether corrections of an answer can be estimated from a sample of the rows that it depends on
(REVISE BY APPROXIMATE; DESIGN section 5).

A correction changes a COUNT or a SUM by a sum over the rows of its input in which a corrected row
is. In joins of two tables that is a sum over the other table's rows, each of which a sample can
stand for. What is no such sum cannot be estimated so, or its error cannot be told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from .operators import (
    Distinct,
    Filter,
    Group,
    Join,
    Merge,
    NrrJoin,
    Operator,
    Project,
    Reconstitution,
    Relation,
    Report,
    RowsWindow,
    Scan,
    SemiJoin,
    SessionWindow,
    SetOperation,
    Sink,
    Union,
    Window,
)
from .rebuild import known
from .replayable import below, why_not

RATES: Final = (1, 2, 4, 5, 10, 20, 25, 50, 100)
"""Percentages of which each drawn row stands for a whole number of rows."""

LINEAR: Final = frozenset({"count", "sum", "avg", "try_sum", "try_avg"})
"""Aggregates that are made of sums over rows."""


def why_not_estimated(operator: Operator) -> str | None:
    """Why an answer's corrections cannot be estimated; None if they can."""
    group = estimated_group(operator)
    if group is None:
        return _outermost(operator)
    odd = next((a for a in group.aggregates if a.function not in LINEAR or a.distinct), None)
    if odd is not None:
        distinct = "(DISTINCT …)" if odd.distinct else ""
        return f"{odd.function.upper()}{distinct} is no sum over rows: a sample does not tell it"
    if not group.aggregates:
        return "it has no COUNT or SUM, and a sample does not tell which groups there are"
    reasons = (_reason(node) for node in below(group.input))
    found = next((reason for reason in reasons if reason), None)
    if found is None and _most(group.input, {}) > 2:
        found = "more than two tables are joined: of two drawn rows in one the error is not told"
    return found or why_not(operator)


def estimated_group(operator: Operator) -> Group | None:
    """The GROUP BY above which there are projections alone."""
    while isinstance(operator, Project | Sink):
        operator = operator.input
    return operator if isinstance(operator, Group) else None


def partners(group: Group) -> Iterator[tuple[str, str]]:
    """Stream and stream whose rows meet in a join: of the one rows are drawn where rows of the
    other are corrected. What is corrected elsewhere meets no other rows.
    """
    for join in below(group):
        if isinstance(join, Join):
            left, right = (
                [node.stream.name for node in below(side) if isinstance(node, Scan)]
                for side in join.inputs
            )
            yield from ((one, other) for one in left for other in right)
            yield from ((other, one) for one in left for other in right)


def _outermost(operator: Operator) -> str:
    """What stands where the aggregate should."""
    while isinstance(operator, Project | Sink):
        operator = operator.input
    if not any(isinstance(node, Group) for node in below(operator)):
        return "it has no COUNT or SUM: rows are not estimated"
    if isinstance(operator, Filter):
        return "HAVING chooses by numbers that are estimated"
    return _reason(operator) or "more is made of the aggregate than columns of SELECT"


def _reason(operator: Operator) -> str | None:
    """Why a sample of an operator's rows does not stand for them."""
    node = known(operator)
    match node:
        case Scan() | Filter() | Project() | Union() | Join() | Window() | Sink():
            return None
        case Group():
            return "an aggregate of an aggregate: a sample's numbers are no rows"
        case Distinct():
            return "DISTINCT: a sample does not tell which rows there are"
        case SetOperation():
            return f"{node.kind.upper()}: a sample does not tell which rows there are"
        case SemiJoin() if node.anti:
            return "rows without a match: a sample does not tell which have none"
        case SemiJoin():
            return "rows that have a match, however many: a sample does not tell which"
        case RowsWindow():
            return "a window by count: a sample has other rows in it"
        case SessionWindow():
            return "a window by session: a sample has other gaps"
        case NrrJoin():
            return "an NRR: the version that a row met is in no archive"
        case Relation():
            return "a relation: its rows stay until they are replaced"
        case Reconstitution():
            return "a stream of elements: its events are in no archive"
        case Merge():
            return "merged streams: their rows are in no archive"
        case Report():
            return "it reports changes, and a sample's are others"
        case _:
            assert_never(node)


def _most(operator: Operator, found: dict[Operator, int]) -> int:
    """Of how many rows of streams a row of the output is made, at most."""
    if operator not in found:
        parts = [_most(source, found) for source in operator.inputs] or [1]
        found[operator] = sum(parts) if isinstance(operator, Join) else max(parts)
    return found[operator]


def nearest(percent: float) -> list[int]:
    """The rates next to a percentage, below and above it."""
    lower = [rate for rate in RATES if rate <= percent][-1:]
    return lower + [rate for rate in RATES if rate > percent][:1]
