"""Which interval edges may speak of starts that lie after `now`.

In: a plan, its forms and patterns. Out: for each operator's output, whether `vs > now` can occur in
it.
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
from .forms import Form
from .lattice import Kind, UpdatePattern


def ahead(
    plan: Plan, forms: Mapping[Operator, Form], patterns: Mapping[Operator, UpdatePattern]
) -> dict[Operator, bool]:
    """Whether each operator's output may hold rows that start after `now`."""
    found: dict[Operator, bool] = {}
    for operator in plan.operators():
        found[operator] = forms[operator] == "intervals" and _ahead(operator, found, patterns)
    return found


def _ahead(
    operator: Operator,
    found: Mapping[Operator, bool],
    patterns: Mapping[Operator, UpdatePattern],
) -> bool:
    node = known(operator)
    match node:
        case Scan():
            # `now` is the largest order value seen.
            return False
        case Window():
            # SLIDE rounds starts up.
            return node.slide is not None or found[node.input]
        case Distinct():
            # When the covering copy ends, the next piece begins: both are known at once.
            return found[node.input] or patterns[node.input].kind is not Kind.MON
        case Filter() | Project() | Union() | Join() | NrrJoin() | Report() | Sink():
            return any(found[source] for source in node.inputs)
        case Reconstitution():
            # `now` is the largest start seen, of those that may be heeded.
            return False
        case Relation() | Group() | RowsWindow() | SessionWindow() | SemiJoin() | SetOperation():
            # Points are never later than `now`.
            return False
        case _:
            assert_never(node)
