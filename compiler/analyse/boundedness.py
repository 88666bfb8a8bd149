"""Which operators keep state that grows without end, and with what.

In: a plan. Out: the growth of each operator's state.
"""

from __future__ import annotations

from typing import Literal, assert_never

from ..plan.aggregates import EXTREMES, SUMS
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
from ..plan.rebuild import known

Growth = Literal["bounded", "with the length of sessions", "with distinct values", "for ever"]
_LEAST_FIRST: tuple[Growth, ...] = (
    "bounded",
    "with the length of sessions",
    "with distinct values",
    "for ever",
)
_ENDING = _LEAST_FIRST[:2]
"""Rows of these end by themselves."""


def growth(plan: Plan) -> dict[Operator, Growth]:
    """How each operator's state grows while the inputs' rates stay as they are."""
    rows: dict[Operator, Growth] = {}
    for operator in plan.operators():
        rows[operator] = _rows(operator, [rows[source] for source in operator.inputs])
    return {
        operator: _state(operator, [rows[source] for source in operator.inputs])
        for operator in plan.operators()
    }


def _rows(operator: Operator, below: list[Growth]) -> Growth:
    """How the number of valid rows of an output grows; `below` is the same of its inputs.

    The pattern does not tell: one branch of a union that never ends is enough.
    """
    node = known(operator)
    match node:
        case Scan() | Report():
            # A stream; what is reported is one again.
            return "for ever"
        case Relation():
            return _of_relation(node)
        case Reconstitution():
            # The elements say how rows leave.
            return "bounded"
        case Window():
            return below[0] if node.kind == "unbounded" else "bounded"
        case RowsWindow():
            return _of_rows(node)
        case SessionWindow():
            # A session that is never silent for as long as its gap never ends.
            return "with the length of sessions"
        case Filter() | Project() | NrrJoin() | Sink():
            return below[0]
        case Union():
            return _most(below)
        case Join():
            # A pair ends with either of its rows.
            least = min(below, key=_LEAST_FIRST.index)
            return least if least in _ENDING else _most(below)
        case SemiJoin():
            return below[0]
        case SetOperation():
            if node.kind == "except all":
                return below[0]
            kept = below[:1] if node.kind == "except" else [min(below, key=_LEAST_FIRST.index)]
            return kept[0] if node.kind == "intersect all" else _per_value(kept)
        case Distinct():
            return _per_value(below)
        case Group():
            # A group stays as long as one of its rows; without keys it is one row.
            return _per_value(below) if node.keys else "bounded"
        case _:
            assert_never(node)


def _state(operator: Operator, below: list[Growth]) -> Growth:
    node = known(operator)
    match node:
        case Scan() | Filter() | Project() | Union() | Window() | Sink():
            # No state beyond the frontier.
            return "bounded"
        case Reconstitution():
            # Events that end at or after the last stable.
            return "bounded"
        case Relation():
            return "bounded" if node.only_grows else _of_relation(node)
        case NrrJoin():
            # The version belongs to the row: the stream side keeps nothing (UPA 4.1), or pairs for
            # as long as their rows may be withdrawn.
            return "bounded"
        case RowsWindow():
            return _of_rows(node)
        case SessionWindow():
            return "with the length of sessions"
        case Join():
            # A row that never leaves may meet a partner at any later time.
            return _most(below)
        case SemiJoin():
            # Rows of the left, and what is looked for among the right's.
            return _most([below[0], _per_value(below[1:])])
        case SetOperation(by=by) if by:
            # The left's rows whole, the right's counted.
            return _most([below[0], _per_value(below[1:])])
        case SetOperation():
            # A row with its number of copies on each side.
            return _per_value(below)
        case Distinct():
            return _per_value(below)
        case Group():
            return _of_group(node, below)
        case Report():
            # RSTREAM repeats the whole answer.
            return below[0] if node.kind == "rstream" else "bounded"
        case _:
            assert_never(node)


def _of_relation(relation: Relation) -> Growth:
    """What is kept is what is there: so many rows as the relation has, unless none can leave."""
    if relation.only_grows:
        return "for ever"
    return "with distinct values" if relation.key else "bounded"


def _of_group(group: Group, below: list[Growth]) -> Growth:
    """One row of sums per group; values only where an aggregate reads them."""
    kept = SUMS | EXTREMES
    if any(a.function not in kept and not a.distinct for a in group.aggregates):
        return _most(below)
    by_value = bool(group.keys) or any(a.distinct for a in group.aggregates)
    return _per_value(below) if by_value else "bounded"


def _most(found: list[Growth]) -> Growth:
    return max(found, key=_LEAST_FIRST.index)


def _per_value(below: list[Growth]) -> Growth:
    return min(_most(below), "with distinct values", key=_LEAST_FIRST.index)


def _of_rows(window: RowsWindow) -> Growth:
    """So many rows, or so many of each value; with RANGE they leave though no other comes."""
    return "with distinct values" if window.by and window.length is None else "bounded"
