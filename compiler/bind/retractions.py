"""Why rows are taken back, in words."""

from __future__ import annotations

from ..plan.operators import (
    Distinct,
    Group,
    Operator,
    Reconstitution,
    Relation,
    Report,
    RowsWindow,
    Scan,
    SemiJoin,
    SessionWindow,
    SetOperation,
)
from .shape import in_order, retracts


def why_rows_leave(operator: Operator) -> str | None:
    """The reason for which an answer may take back what it gave out; None where it never does."""
    match operator:
        case Scan(retracts=True):
            return f"rows of `{operator.stream.name}` are replaced or deleted by their key"
        case Group():
            return "a group's row is replaced when the group changes"
        case Relation(only_grows=False):
            return f"`{operator.input.stream.name}` is a relation: its rows are withdrawn"
        case Reconstitution(insert_only=False):
            return f"the elements of `{operator.input.stream.name}` change the ends of events"
        case RowsWindow():
            return "a row of [ROWS …] leaves when later rows have come"
        case SessionWindow():
            return "a row of [SESSION …] leaves when nothing more comes to its session"
        case SemiJoin(anti=True):
            return "a row leaves when another comes that NOT EXISTS or NOT IN asks for"
        case SemiJoin():
            return "a row leaves with the last row that EXISTS or IN finds"
        case SetOperation():
            word = operator.kind.split(" ")[0].upper()
            return f"the other side of {word} takes rows away"
        case Report():
            word = operator.kind.upper()
            reason = f"{word} may report an instant before it is complete, and corrects it then"
            return reason if retracts(operator) else None
        case Distinct() if not in_order(operator):
            return "a late copy of a DISTINCT row moves its start"
    return next(filter(None, map(why_rows_leave, operator.inputs)), None)
