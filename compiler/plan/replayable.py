"""Whether the answers of a query can be replayed: computed again from a slice of the archives
(REPLAY 3, 4).

What an operator of snapshots answers at an instant depends on the rows that are valid then, and
below windows by time those came no earlier than the window is long. Parts of answers before an
instant can then be corrected without those after it, and the other way round.
"""

from __future__ import annotations

from typing import assert_never

from .operators import (
    Distinct,
    Filter,
    Group,
    Join,
    NrrJoin,
    Operator,
    Project,
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
from .rebuild import known


def corrected(operator: Operator) -> bool:
    """Whether corrections can change the answer."""
    if isinstance(operator, Scan):
        return operator.stream.revisable and not operator.as_arrived
    return any(map(corrected, operator.inputs))


def passes_through(operator: Operator) -> bool:
    """Whether each row of the answer is a row of a stream, for ever: a correction goes the way of
    the rows.
    """
    if isinstance(operator, Scan):
        return True
    endless = isinstance(operator, Window) and operator.kind == "unbounded"
    linear = endless or isinstance(operator, Filter | Project | Union)
    return linear and all(map(passes_through, operator.inputs))


def why_not(operator: Operator) -> str | None:
    """Why the answer cannot be replayed; None if it can."""
    node = known(operator)
    match node:
        case Window():
            if not passes_through(node.input):
                return _below(node) or "a window stands on rows that are no stream's own"
            endless = node.kind == "unbounded"
            return "a window without end: no slice holds all its rows" if endless else None
        case Scan():
            return f"rows of `{node.stream.name}` stay for ever: no slice holds all of them"
        case Report():
            return "it reports changes: what is reported at an instant depends on the one before"
        case RowsWindow():
            return "a window by count: every later row moves up"
        case SessionWindow():
            return "a window by session: how far a row reaches is not known beforehand"
        case Relation():
            return "a relation: its rows stay until they are replaced"
        case NrrJoin():
            return "an NRR: the version that a row met is not kept"
        case SetOperation():
            return "EXCEPT ALL BY goes by the order of arrival" if node.by else _below(node)
        case Filter() | Project() | Union() | Join() | SemiJoin() | Distinct() | Group() | Sink():
            return _below(node)
        case _:
            assert_never(node)


def _below(operator: Operator) -> str | None:
    return next((why for source in operator.inputs if (why := why_not(source))), None)
