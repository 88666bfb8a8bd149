"""The few facts about a plan that binding itself needs, read from the operators below.

They are rougher than the analyses: enough to know where a window may stand and what must be
refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from ..plan.copies import copies_in_order
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
    Union,
    Window,
)
from ..plan.walk import walk

_LINEAR = (Filter, Project, Union, NrrJoin)

# Operators share their inputs: each is asked once.
_remembered = lru_cache(maxsize=4096)


def scans(operator: Operator) -> Iterator[Scan]:
    """Every scan below, once."""
    return (each for each in walk([operator]) if isinstance(each, Scan))


def clock(operator: Operator) -> bool:
    """True where instants are timestamps, False for ticks. All streams of a file agree, and logs
    without an order do as they do.
    """
    return next((scan.stream.timestamps for scan in scans(operator)), True)


def _begins_rows(operator: Operator) -> bool:
    """Whether it makes rows that stay, of which a stream consists."""
    return isinstance(operator, (Scan, Report)) or (isinstance(operator, Merge) and operator.rows)


@_remembered
def is_stream(operator: Operator) -> bool:
    """A base stream, a stateless view of one, or a report: what a window may stand on."""
    if _begins_rows(operator):
        return True
    if isinstance(operator, Window):
        return not operator.written and is_stream(operator.input)
    return isinstance(operator, _LINEAR) and all(map(is_stream, operator.inputs))


def is_of_elements(operator: Operator) -> bool:
    """Rows of a stream of elements, which have lifetimes of their own."""
    while isinstance(operator, (Filter, Project)):
        operator = operator.input
    return isinstance(operator, Reconstitution) or _has_events(operator)


def _has_events(operator: Operator) -> bool:
    return isinstance(operator, Merge) and not operator.rows


def as_relation(operator: Operator) -> Operator:
    """A stream that stands without a window is [UNBOUNDED], as in CQL."""
    if not _begins_rows(operator):
        return operator
    return Window(operator, "unbounded", written=False, timestamps=clock(operator))


def with_window(stream: Operator, window: Window) -> Operator:
    """The window put where the unwritten ones of the stream were: right above its sources."""
    if _begins_rows(stream):
        return replace(window, input=stream, timestamps=clock(stream))
    if isinstance(stream, Window):
        return with_window(stream.input, window)
    if isinstance(stream, Union):
        return replace(stream, branches=tuple(with_window(b, window) for b in stream.branches))
    if isinstance(stream, (Filter, Project, NrrJoin)):
        return replace(stream, input=with_window(stream.input, window))
    raise TypeError(f"not a stream: {type(stream).__name__}")


@_remembered
def grows(operator: Operator) -> bool:
    """Its rows stay for ever, and nobody wrote so."""
    match operator:
        case Window():
            return operator.kind == "unbounded" and not operator.written
        case Distinct() | Group() | RowsWindow() | SessionWindow() | Relation() | Reconstitution():
            # The file says how rows of a relation, and events, leave.
            return False
        case Merge():
            # As a stream, or as events.
            return False
    return any(map(grows, operator.inputs))


@_remembered
def is_unbounded(operator: Operator) -> bool:
    """Its rows stay for ever, written or not."""
    match operator:
        case Window():
            return operator.kind == "unbounded"
        case Relation():
            return operator.only_grows
        case RowsWindow() | SessionWindow() | Reconstitution() | Merge():
            return False
        case Group():
            return bool(operator.keys) and is_unbounded(operator.input)
        case SemiJoin() | SetOperation():
            return is_unbounded(operator.inputs[0])
        case Join():
            return is_unbounded(operator.left) and is_unbounded(operator.right)
    return any(map(is_unbounded, operator.inputs))


@_remembered
def is_stateless(operator: Operator) -> bool:
    """Each row by itself: what plain Spark streaming can do."""
    if isinstance(operator, Window):
        return operator.kind == "unbounded" and isinstance(operator.input, Scan)
    if isinstance(operator, Report):
        return operator.kind == "istream" and is_stateless(operator.input)
    if isinstance(operator, Scan):
        return not operator.stream.looked_up and not operator.as_arrived
    stateless = (Filter, Project, Union)
    return isinstance(operator, stateless) and all(map(is_stateless, operator.inputs))


@_remembered
def is_monotonic(operator: Operator) -> bool:
    """No row ever leaves (UPA's class MON)."""
    match operator:
        case Scan():
            return not operator.retracts
        case Group() | RowsWindow() | SessionWindow() | SemiJoin() | SetOperation():
            return False
        case Reconstitution():
            return False
        case Merge():
            return not retracts(operator)
        case Relation():
            return operator.only_grows
        case Window():
            return operator.kind == "unbounded" and not retracts(operator.input)
        case Report():
            return False
        case Distinct() if not in_order(operator):
            # A late copy moves the start of its row.
            return False
    return all(map(is_monotonic, operator.inputs))


@_remembered
def retracts(operator: Operator) -> bool:
    """Something that was given out may be taken back under EMIT CHANGES."""
    match operator:
        case Scan():
            return operator.retracts
        case Group() | SemiJoin() | SetOperation() | RowsWindow() | SessionWindow():
            # Later rows decide when a row leaves, and late ones decide again.
            return True
        case Relation():
            return not operator.only_grows
        case Reconstitution():
            return not operator.insert_only
        case Merge():
            return not copies_in_order(operator) or any(map(retracts, operator.inputs))
        case Report():
            return not is_monotonic(operator.input) and not _enters_once(operator)
    return any(map(retracts, operator.inputs))


def _enters_once(report: Report) -> bool:
    """ISTREAM over one stream in order: every expiry that could cancel an arrival is known before
    it.
    """
    return report.kind == "istream" and not retracts(report.input) and in_order(report)


def in_order(operator: Operator) -> bool:
    """All rows come from one stream, and none comes after a later one."""
    found = tuple(scans(operator))
    return len({scan.stream for scan in found}) == 1 and all(scan.within == 0 for scan in found)


def order_column(operator: Operator) -> str | None:
    """The column that still holds the stream's order value, by its internal name here."""
    match operator:
        case Scan():
            return operator.stream.order
        case Merge():
            branches = [order_column(branch) for branch in operator.branches]
            return branches[0] if operator.rows and len(set(branches)) == 1 else None
        case Filter() | Window() | NrrJoin():
            return order_column(operator.input)
        case Project():
            below = order_column(operator.input)
            kept = (n for n, e in operator.columns if below is not None and e.sql == quoted(below))
            return next(kept, None)
    return None


def keeps_instants(operator: Operator) -> bool:
    """Each row has an instant from which it is valid, and nothing revises it: FIRST and LAST."""
    return _of_one_stream(operator) or _of_streams(operator)


def _of_streams(operator: Operator) -> bool:
    """Rows with announced ends, made of rows of base streams."""
    match operator:
        case Scan():
            return True
        case Merge():
            return operator.rows
        case Filter() | Window() | Project() | NrrJoin() | Union() | Join():
            return all(map(_of_streams, operator.inputs))
    return False


def _of_one_stream(operator: Operator) -> bool:
    """Each row is one of a base stream, whose place in the order of arrival is known."""
    node = operator
    while isinstance(node, (Filter, Project, Window, RowsWindow, SessionWindow)):
        node = node.input
    return isinstance(node, Scan)


def key_of(operator: Operator) -> tuple[str, ...] | None:
    """Columns that tell the rows of the answer apart: group keys or a DISTINCT row; None if there
    are none.
    """
    match operator:
        case Group():
            return tuple(name for name, _ in operator.keys)
        case Distinct():
            return tuple(column.name for column in operator.schema)
        case RowsWindow(rows=1, by=by) if by:
            named = {quoted(column.name): column.name for column in operator.schema}
            found = tuple(named.get(each.sql) for each in by)
            return None if None in found else tuple(name for name in found if name is not None)
        case Relation():
            return operator.key or None
        case Filter():
            return key_of(operator.input)
        case SemiJoin():
            return key_of(operator.left)
        case SetOperation():
            return _of_sets(operator)
        case Project():
            return _kept(operator, key_of(operator.input))
        case Join():
            left, right = key_of(operator.left), key_of(operator.right)
            return None if left is None or right is None else left + right
    return None


def _of_sets(operator: SetOperation) -> tuple[str, ...] | None:
    if operator.kind in ("except", "intersect"):
        return key_of(operator.left) or tuple(column.name for column in operator.schema)
    return key_of(operator.left)


def _kept(project: Project, key: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if key is None:
        return None
    names = {expression.sql: name for name, expression in reversed(project.columns)}
    found = tuple(names.get(quoted(column)) for column in key)
    return None if None in found else tuple(name for name in found if name is not None)


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
