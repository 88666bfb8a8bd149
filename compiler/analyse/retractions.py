"""Which edges may carry weight -1 that no announced end explains, which only ever grow, and which
say one row's life in pieces.

In: a plan. Out: three facts for each operator's output.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

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


def append_only(plan: Plan) -> dict[Operator, bool]:
    """Whether all that an output ever says is: this row is valid from now on, for ever."""
    found: dict[Operator, bool] = {}
    for operator in plan.operators():
        found[operator] = _only_appends(operator, found)
    return found


def retracting(plan: Plan, append_only: Mapping[Operator, bool]) -> dict[Operator, bool]:
    """Whether each operator's output may take back what it has said (weight -1)."""
    found: dict[Operator, bool] = {}
    for operator in plan.operators():
        found[operator] = _retracts(operator, found, append_only)
    return found


def in_pieces(plan: Plan) -> dict[Operator, bool]:
    """Whether intervals of an output may touch that are one row's life: only together do they say
    when it enters and leaves.
    """
    found: dict[Operator, bool] = {}
    for operator in plan.operators():
        match operator:
            case Distinct():
                # Each copy adds the time that the copies before it did not cover.
                found[operator] = True
            case (
                Relation()
                | Reconstitution()
                | Group()
                | Report()
                | RowsWindow()
                | SessionWindow()
                | SemiJoin()
                | SetOperation()
            ):
                # Points: what rises and falls at one instant has been summed.
                found[operator] = False
            case _:
                found[operator] = any(found[source] for source in operator.inputs)
    return found


def is_identity(report: Report, append_only: Mapping[Operator, bool]) -> bool:
    """ISTREAM of elements that stay as they came is those elements."""
    return report.kind == "istream" and append_only[report.input]


def _retracts(
    operator: Operator,
    found: Mapping[Operator, bool],
    append_only: Mapping[Operator, bool],
) -> bool:
    node = known(operator)
    match node:
        case Scan():
            # A row of the same key replaces or deletes it. REPLAY 3.
            return node.retracts
        case Relation():
            # A change that comes late moves the end of what was there before it.
            return not node.only_grows
        case Reconstitution():
            # An adjust moves the end of an event. LMERGE III.
            return not node.insert_only
        case Group():
            # A changed aggregate withdraws its old row.
            return True
        case RowsWindow() | SessionWindow():
            # A row that comes late moves the ends of those before it.
            return True
        case SemiJoin() | SetOperation():
            # A late row of the other side changes what has been said.
            return True
        case Report():
            # An instant that is not complete may be reported again, differently.
            return not is_identity(node, append_only)
        case Filter() | Project() | Union() | Window() | Join() | NrrJoin() | Distinct() | Sink():
            # The weight of an output row is the product or the sum of those below.
            return any(found[source] for source in node.inputs)
        case _:
            assert_never(node)


def _only_appends(operator: Operator, found: Mapping[Operator, bool]) -> bool:
    node = known(operator)
    match node:
        case Scan():
            return not node.retracts
        case Window():
            # Only [UNBOUNDED] leaves elements without an end.
            return node.kind == "unbounded" and found[node.input]
        case Filter() | Project() | Union() | Join() | NrrJoin() | Sink():
            return all(found[source] for source in node.inputs)
        case Distinct():
            # A late copy moves the start of its row: that piece ends where the old one began.
            return False
        case Reconstitution():
            # Events may end.
            return False
        case Relation():
            # Points, even where no row leaves.
            return False
        case Group() | RowsWindow() | SessionWindow() | SemiJoin() | SetOperation():
            return False
        case Report():
            return is_identity(node, found)
        case _:
            assert_never(node)
