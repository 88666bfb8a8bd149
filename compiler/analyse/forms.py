"""The form of every edge: intervals whose ends are announced, or points that say when a row comes
and leaves.

In: a plan, which edges only append, which retract. Out: the form of each operator's output.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, assert_never

from ..plan.graph import Plan
from ..plan.operators import (
    Distinct,
    Filter,
    Group,
    Join,
    NrrJoin,
    Operator,
    Project,
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
from .retractions import is_identity

Form = Literal["intervals", "points"]


def forms(
    plan: Plan,
    append_only: Mapping[Operator, bool],
    retracting: Mapping[Operator, bool],
) -> dict[Operator, Form]:
    """The form of each operator's output."""
    found: dict[Operator, Form] = {}
    for operator in plan.operators():
        found[operator] = _form(operator, found, append_only, retracting)
    return found


def _form(
    operator: Operator,
    found: Mapping[Operator, Form],
    append_only: Mapping[Operator, bool],
    retracting: Mapping[Operator, bool],
) -> Form:
    node = known(operator)
    match node:
        case Scan():
            # An element is [order value, for ever).
            return "intervals"
        case Window():
            # A window gives elements their ends; a reported stream becomes elements first.
            return "intervals"
        case RowsWindow() | SessionWindow():
            # When a row ends is known when a later row comes. DESIGN section 2.
            return "points"
        case Filter() | Project() | NrrJoin() | Sink():
            # Linear: the form of the input.
            return found[node.input]
        case Union() | Join():
            # Ends stay announced only where all inputs announce theirs.
            announced = all(found[source] == "intervals" for source in node.inputs)
            return "intervals" if announced else "points"
        case Distinct():
            # δ* needs ends that are announced and rows that are never taken back.
            if found[node.input] == "intervals" and not retracting[node.input]:
                return "intervals"
            return "points"
        case SemiJoin() | SetOperation():
            # What the other side will do is not known in advance.
            return "points"
        case Group():
            # An aggregate's next change is not known in advance. DESIGN section 2, Deltas.
            return "points"
        case Report():
            # Points by their nature, except where the report changes nothing.
            return found[node.input] if is_identity(node, append_only) else "points"
        case _:
            assert_never(node)
