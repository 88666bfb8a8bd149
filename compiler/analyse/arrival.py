"""Which outputs must carry the place of their rows in the order of arrival, since an operator above
asks for it.

In: a plan, which joins keep pairs. Out: for each operator whether its output is asked for it. It is
a hidden column (`_pos` of the runtime), and goes up from scans through operators that keep rows as
they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from ..plan.aggregates import IN_ORDER
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
from ..plan.placed import placed
from ..plan.rebuild import known


def arrival(plan: Plan, paired: Mapping[Operator, bool]) -> dict[Operator, bool]:
    """Whether each operator's output is asked for the order of arrival."""
    found = dict.fromkeys(plan.operators(), False)
    for operator in reversed(list(plan.operators())):
        for source in _asked(operator, found[operator] or paired[operator]):
            found[source] = True
    return found


def _asked(operator: Operator, own: bool) -> Iterator[Operator]:
    """The inputs that an operator asks; `own`: whether it is asked itself."""
    node = known(operator)
    match node:
        case Filter() | Project() | Union() | Window() | NrrJoin():
            # A row keeps its place; those above may ask for it, or a join with an NRR itself, which
            # finds the pairs of a row by it.
            if own:
                yield from node.inputs
        case RowsWindow():
            # Which rows are the last ones: ties in the order value by arrival.
            yield node.input
        case Relation():
            # Changes of one instant count in the order in which the log has them.
            if not node.only_grows:
                yield node.input
        case Reconstitution():
            # Which elements an adjust and a stable come after. LMERGE III.
            yield node.input
        case SessionWindow():
            # Its own rows do not depend on it.
            if own:
                yield node.input
        case Group() if any(a.function in IN_ORDER for a in node.aggregates):
            # FIRST and LAST: ties in the order value by arrival.
            if placed(node.input):
                yield node.input
        case SetOperation(by=by) if by:
            # Which rows are the oldest.
            if placed(node.left):
                yield node.left
        case (
            Scan() | Join() | SemiJoin() | SetOperation() | Distinct() | Group() | Report() | Sink()
        ):
            # No order among their rows matters, and what they make has no place of arrival.
            return
        case _:
            assert_never(node)
