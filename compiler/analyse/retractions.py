"""Which edges may carry weight -1 that no announced end explains, and which only ever grow.

In: a plan and its patterns. Out: two facts for each operator's output.
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
    Report,
    Scan,
    Sink,
    Union,
    Window,
)
from ..plan.rebuild import known
from .forms import is_identity
from .lattice import UpdatePattern


def retracting(plan: Plan, patterns: Mapping[Operator, UpdatePattern]) -> dict[Operator, bool]:
    """Whether each operator's output may take back what it has said (weight -1)."""
    found: dict[Operator, bool] = {}
    for operator in plan.operators():
        found[operator] = _retracts(operator, found, patterns)
    return found


def append_only(plan: Plan, patterns: Mapping[Operator, UpdatePattern]) -> dict[Operator, bool]:
    """Whether all that an output ever says is: this row is valid from now on, for ever."""
    found: dict[Operator, bool] = {}
    for operator in plan.operators():
        found[operator] = _only_appends(operator, found, patterns)
    return found


def _retracts(
    operator: Operator,
    found: Mapping[Operator, bool],
    patterns: Mapping[Operator, UpdatePattern],
) -> bool:
    node = known(operator)
    match node:
        case Scan():
            # Revisions are not part of the language yet: elements are only inserted.
            return False
        case Group():
            # A changed aggregate withdraws its old row.
            return True
        case Report():
            # An instant that is not complete may be reported again, differently.
            return found[node.input] or not is_identity(node, patterns)
        case Filter() | Project() | Union() | Window() | Join() | NrrJoin() | Distinct() | Sink():
            # The weight of an output row is the product or the sum of those below.
            return any(found[source] for source in node.inputs)
        case _:
            assert_never(node)


def _only_appends(
    operator: Operator,
    found: Mapping[Operator, bool],
    patterns: Mapping[Operator, UpdatePattern],
) -> bool:
    node = known(operator)
    match node:
        case Scan():
            return True
        case Window():
            # Only [UNBOUNDED] leaves elements without an end.
            return node.kind == "unbounded" and found[node.input]
        case Filter() | Project() | Union() | Join() | NrrJoin() | Sink():
            return all(found[source] for source in node.inputs)
        case Distinct():
            # A late copy moves the start of its row: that piece ends where the old one began.
            return False
        case Group():
            return False
        case Report():
            return is_identity(node, patterns) and found[node.input]
        case _:
            assert_never(node)
