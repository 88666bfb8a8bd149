"""Which operators keep state that grows without end, and with what.

In: a plan and its patterns. Out: the growth of each operator's state.
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
    Scan,
    Sink,
    Union,
    Window,
)
from ..plan.rebuild import known
from .lattice import Kind, UpdatePattern

Growth = Literal["bounded", "with distinct values", "for ever"]


def growth(plan: Plan, patterns: Mapping[Operator, UpdatePattern]) -> dict[Operator, Growth]:
    """How each operator's state grows while the inputs' rates stay as they are."""
    return {operator: _growth(operator, patterns) for operator in plan.operators()}


def _growth(operator: Operator, patterns: Mapping[Operator, UpdatePattern]) -> Growth:
    node = known(operator)
    endless = any(patterns[source].kind is Kind.MON for source in node.inputs)
    match node:
        case Scan() | Filter() | Project() | Union() | Window() | Sink():
            # No state beyond the frontier.
            return "bounded"
        case NrrJoin():
            # The version belongs to the row: the stream side keeps nothing. UPA 4.1.
            return "bounded"
        case Join():
            # A row that never leaves may meet a partner at any later time.
            return "for ever" if endless else "bounded"
        case Distinct():
            return "with distinct values" if endless else "bounded"
        case Group():
            return "with distinct values" if endless and node.keys else "bounded"
        case Report():
            # RSTREAM repeats the whole answer, which is then the whole stream.
            return "for ever" if endless and node.kind == "rstream" else "bounded"
        case _:
            assert_never(node)
