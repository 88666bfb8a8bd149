"""Determinism: what in an operator may come out differently when the same rows come again.

In: a plan and its stream properties. Out: for each operator the reasons, none of them inherited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from ..plan.aggregates import IN_ORDER
from ..plan.expressions import is_deterministic, readable
from ..plan.graph import Plan
from ..plan.operators import (
    Distinct,
    Filter,
    Group,
    Join,
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
from ..plan.operators.base import Expr
from ..plan.rebuild import known
from .stream_properties import Properties

Reasons = tuple[str, ...]
_TIES = "rows of one instant count in the order of their arrival"


def determinism(plan: Plan, properties: Mapping[Operator, Properties]) -> dict[Operator, Reasons]:
    """Why each operator's output may differ though its inputs do not."""
    return {operator: tuple(_reasons(operator, properties)) for operator in plan.operators()}


def _reasons(operator: Operator, properties: Mapping[Operator, Properties]) -> Iterator[str]:
    node = known(operator)
    match node:
        case Scan():
            if node.stream.order is None and node.stream.relation:
                yield "a change is at the instant of the epoch in which it arrives"
            elif node.stream.order is None:
                yield "order values are stamped on arrival"
        case Filter():
            yield from _unstable(node.predicate)
        case Project():
            yield from _unstable(*(expression for _, expression in node.columns))
        case Join() | SemiJoin():
            yield from _unstable(node.condition)
        case NrrJoin():
            yield from _unstable(node.condition, node.at)
            if node.relation.version_by is None:
                # Its version is pinned by the epoch in which the row first arrived. DESIGN 1.
                yield "a row meets the version that is there when it arrives"
        case Relation():
            # Which of several changes is the last one.
            if not node.only_grows and properties[node.input].loose:
                yield _TIES
        case Reconstitution():
            # Valid elements say the same in any order that keeps them valid. LMERGE III.
            return
        case RowsWindow():
            # Which rows are the last ones.
            if properties[node.input].loose:
                yield _TIES
        case Group():
            yield from _unstable(*(expression for _, expression in node.keys))
            yield from _unstable(*(aggregate.argument for aggregate in node.aggregates))
            in_order = any(aggregate.function in IN_ORDER for aggregate in node.aggregates)
            if in_order and properties[node.input].loose:
                yield _TIES
        case SetOperation():
            # Which rows are the oldest.
            if node.by and properties[node.left].loose:
                yield _TIES
        case Window() | SessionWindow() | Union() | Distinct() | Report() | Sink():
            return
        case _:
            assert_never(node)


def _unstable(*expressions: Expr | None) -> Iterator[str]:
    for expression in expressions:
        if expression is not None and not is_deterministic(expression.sql):
            yield f"{readable(expression.sql)} gives another value each time"
