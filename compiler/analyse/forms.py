"""The form of every edge: intervals whose ends are announced, or points that say when a row comes
and leaves.

In: a plan, which edges only append, which retract, how the file is executed. Out: the form of each
operator's output.
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
from ..plan.rebuild import known
from ..plan.settings import Execution
from .as_told import as_told
from .retractions import is_identity

Form = Literal["intervals", "points"]


def forms(
    plan: Plan,
    append_only: Mapping[Operator, bool],
    retracting: Mapping[Operator, bool],
    in_pieces: Mapping[Operator, bool],
    execution: Execution = "upa",
) -> dict[Operator, Form]:
    """The form of each operator's output."""
    found = _forms(plan, append_only, retracting, execution, frozenset())
    told = as_told(plan, found, in_pieces)
    return _forms(plan, append_only, retracting, execution, told) if told else found


def _forms(
    plan: Plan,
    append_only: Mapping[Operator, bool],
    retracting: Mapping[Operator, bool],
    execution: Execution,
    told: frozenset[Operator],
) -> dict[Operator, Form]:
    """`told`: what is passed on as it was told."""
    announcing = _announcing(plan) if execution == "nt" else frozenset()
    found: dict[Operator, Form] = {}
    for operator in plan.operators():
        form: Form = "intervals"
        if operator not in told:
            form = _form(operator, found, append_only, retracting)
        if execution == "nt" and operator not in announcing:
            form = _negative(operator, form, append_only)
        found[operator] = form
    return found


def turns(operator: Operator, forms: Mapping[Operator, Form]) -> bool:
    """Whether the elements that an operator makes become points at once."""
    return isinstance(operator, (Window, NrrJoin)) and forms[operator] == "points"


def _negative(operator: Operator, form: Form, append_only: Mapping[Operator, bool]) -> Form:
    """Negative tuples everywhere (UPA 2.3.1): a window says when its rows leave, DISTINCT counts.

    What nothing ever leaves needs no negative tuple.
    """
    if isinstance(operator, (Window, NrrJoin)) and not append_only[operator]:
        return "points"
    return "points" if isinstance(operator, Distinct) else form


def _announcing(plan: Plan) -> frozenset[Operator]:
    """What keeps its announced ends under negative tuples, too: what is below a join with an NRR,
    whose versions a negative tuple would not find again, and below a sink that appends rows as they
    come and shows no end.
    """
    found: set[Operator] = set()
    for operator in reversed(list(plan.operators())):
        appends = isinstance(operator, Sink) and operator.mode == "append"
        if operator in found or appends or isinstance(operator, NrrJoin):
            found.update(operator.inputs)
    return frozenset(found)


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
        case Relation():
            # When a row leaves is known when the log says so.
            return "points"
        case Reconstitution():
            # What has no adjusts announces its ends.
            return "intervals" if node.insert_only else "points"
        case Merge():
            # Rows of a stream; or events whose ends the copies tell when they like.
            return "intervals" if node.rows else "points"
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
