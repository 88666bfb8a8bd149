"""Whether the answers of a query can be replayed: computed again from a slice of the archives
(REPLAY 3, 4).

What an operator of snapshots answers at an instant depends on the rows that are valid then. Below
windows by time those came no earlier than the window is long; of windows by count it is recorded
which they were. Parts of answers before an instant can then be corrected without those after it,
and the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import assert_never

from .aggregates import IN_ORDER
from .operators import (
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
from .placed import placed
from .rebuild import known


def corrected(operator: Operator) -> bool:
    """Whether corrections can change the answer."""
    scans = (node for node in below(operator) if isinstance(node, Scan))
    return any(scan.stream.revisable and not scan.as_arrived for scan in scans)


def passes_through(operator: Operator) -> bool:
    """Whether each row of the answer is a row of a stream, for ever: a correction goes the way of
    the rows.
    """
    return all(map(_is_linear, below(operator)))


def why_not(operator: Operator) -> str | None:
    """Why the answer cannot be replayed; None if it can."""
    reasons = (_reason(node) for node in below(operator, _is_window_of_rows))
    return next((reason for reason in reasons if reason), None)


def _reason(operator: Operator) -> str | None:
    """Why an operator's answer cannot be replayed, if those of its inputs can."""
    node = known(operator)
    match node:
        case Window() if node.kind == "unbounded":
            return "a window without end: no slice holds all its rows"
        case Window() if not passes_through(node.input):
            return "a window stands on rows that are no stream's own"
        case Scan():
            return f"rows of `{node.stream.name}` stay for ever: no slice holds all of them"
        case Report():
            return "it reports changes: what is reported at an instant depends on the one before"
        case RowsWindow() if moves_by_rows(node):
            return "a window by count that moves at every so-many-th row: all later rows move up"
        case RowsWindow() if any(_without_order(column.type) for column in node.schema):
            return "a window by count of rows that cannot be compared: their ends are not recorded"
        case RowsWindow() if not passes_through(node.input):
            return "a window by count stands on rows that are no stream's own"
        case RowsWindow():
            return None
        case SessionWindow():
            return "a window by session: how far a row reaches is not known beforehand"
        case Relation():
            return "a relation: its rows stay until they are replaced"
        case Reconstitution():
            return "a stream of elements: its events last as long as they say"
        case NrrJoin():
            return "an NRR: the version that a row met is in no archive"
        case SetOperation() if node.by:
            return "EXCEPT ALL BY goes by the order of arrival"
        case Group() if not placed(node.input) and _in_order(node):
            return "FIRST and LAST go by the instants of rows, which a replay cuts"
        case SetOperation() | Window():
            return None
        case Filter() | Project() | Union() | Join() | SemiJoin() | Distinct() | Group() | Sink():
            return None
        case _:
            assert_never(node)


def _in_order(group: Group) -> bool:
    return any(aggregate.function in IN_ORDER for aggregate in group.aggregates)


def _is_linear(operator: Operator) -> bool:
    endless = isinstance(operator, Window) and operator.kind == "unbounded"
    return endless or isinstance(operator, Scan | Filter | Project | Union)


def _is_window_of_rows(operator: Operator) -> bool:
    """Whether it is a window with an end over rows of streams: the leaf of what can be replayed."""
    ends = isinstance(operator, Window) and operator.kind != "unbounded"
    ends = ends or isinstance(operator, RowsWindow)
    return ends and all(map(passes_through, operator.inputs))


def moves_by_rows(window: RowsWindow) -> bool:
    """One that moves at every row is never behind."""
    return window.slide not in (None, 1)


def _without_order(kind: str) -> bool:
    return any(word in kind.upper() for word in ("MAP", "VARIANT", "INTERVAL"))


def below(root: Operator, is_leaf: Callable[[Operator], bool] | None = None) -> Iterator[Operator]:
    """Every operator from a root down, once: views of views are read many times. What lies below a
    leaf is left out.
    """
    found: dict[Operator, None] = {}

    def visit(operator: Operator) -> None:
        if operator in found:
            return
        found[operator] = None
        if is_leaf is None or not is_leaf(operator):
            for source in operator.inputs:
                visit(source)

    visit(root)
    return iter(found)
