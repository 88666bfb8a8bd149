"""Why rows are taken back, in words."""

from __future__ import annotations

from ..plan.operators import Group, Operator, Report
from .shape import retracts


def why_rows_leave(operator: Operator) -> str | None:
    """The reason for which an answer may take back what it gave out; None where it never does."""
    if not retracts(operator):
        return None
    match operator:
        case Group():
            return "a group's row is replaced when the group changes"
        case Report():
            word = operator.kind.upper()
            return f"{word} may report an instant before it is complete, and corrects it then"
    return next(filter(None, map(why_rows_leave, operator.inputs)), None)
