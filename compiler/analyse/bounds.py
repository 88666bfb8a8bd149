"""By what the state of each operator is bounded.

In: a plan and the growth of its state. Out: the bounds of each operator's state, none where it
keeps nothing. `boundedness` says whether state grows; this says what it is as large as.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from reflow.grammar.value import value

from ..plan.graph import Plan
from ..plan.lifetimes import window_reach
from ..plan.of_rows import corrected_scans, of_rows
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
from ..plan.schema import names
from .boundedness import Growth


@value
class Lasting:
    """Rows whose lives are at most so long (microseconds or ticks)."""

    length: int
    timestamps: bool


@value
class LastRows:
    """So many rows, of each value of `by` (SQL) if there is one."""

    rows: int
    by: tuple[str, ...]


@value
class OpenSessions:
    """Rows of sessions that have not been silent for so long."""

    gap: int
    timestamps: bool


@value
class Values:
    """One entry for each different value of these columns."""

    columns: tuple[str, ...]


@value
class Contents:
    """The rows that a relation holds: its log withdraws what is not."""

    relation: str


@value
class OneRow:
    """An aggregate without keys."""


@value
class Incomplete:
    """What is said of instants that are not complete: WITHIN of the streams."""


@value
class Endless:
    """Nothing: every row is kept."""


Bound = Lasting | LastRows | OpenSessions | Values | Contents | OneRow | Incomplete | Endless
Bounds = tuple[Bound, ...]
"""They add up. Sides of a join stand in order, equal ones once."""


def bounds(plan: Plan, growth: Mapping[Operator, Growth]) -> dict[Operator, Bounds]:
    """What bounds each operator's state."""
    rows: dict[Operator, Bounds] = {}
    for operator in plan.operators():
        rows[operator] = _rows(operator, [rows[source] for source in operator.inputs])
    return {
        operator: _state(operator, [rows[source] for source in operator.inputs], growth[operator])
        for operator in plan.operators()
    }


def _rows(operator: Operator, below: list[Bounds]) -> Bounds:
    """What bounds the number of valid rows of an output; `below` is the same of its inputs."""
    node = known(operator)
    match node:
        case Scan() | Report():
            return (Endless(),)
        case Relation():
            return _of_relation(node)
        case Merge():
            return (Endless() if node.rows else Contents(node.name),)
        case Reconstitution():
            return (Contents(node.input.stream.name),)
        case Window(kind="unbounded"):
            return below[0]
        case Window():
            return (_of_window(node),)
        case RowsWindow():
            return (_of_rows(node),)
        case SessionWindow():
            return (OpenSessions(node.gap, node.timestamps),)
        case Filter() | Project() | NrrJoin() | Sink() | SemiJoin():
            return below[0]
        case Union():
            return _together(below)
        case Join():
            # A pair ends with either of its rows.
            return min(below, key=_looseness)
        case SetOperation():
            if node.kind in ("except all", "except"):
                return _per_value(node, below[:1])
            return _per_value(node, [min(below, key=_looseness)])
        case Distinct():
            return _per_value(node, below)
        case Group():
            return _of_groups(node, below)
        case _:
            assert_never(node)


def _state(operator: Operator, below: list[Bounds], growth: Growth) -> Bounds:
    node = known(operator)
    match node:
        case Scan() | Filter() | Project() | Union() | Window() | Sink():
            return ()
        case NrrJoin():
            return _of_pairs(node) if of_rows(node) else ()
        case Merge():
            return (Incomplete() if node.rows else Contents(node.name),)
        case Reconstitution():
            return () if node.insert_only else (Contents(node.input.stream.name),)
        case Relation():
            return () if node.only_grows else _of_relation(node)
        case RowsWindow():
            return (_of_rows(node),)
        case SessionWindow():
            return (OpenSessions(node.gap, node.timestamps),)
        case Join():
            return _together(below)
        case SemiJoin():
            # The left's rows; what is looked for counts once.
            return _together([below[0], _per_value(node.right, below[1:])])
        case SetOperation(by=by) if by:
            return _together([below[0], _per_value(node.right, below[1:])])
        case SetOperation() | Distinct():
            return _per_value(node, [_together(below)])
        case Group():
            # Where every value is kept, what bounds the rows bounds the state.
            return _together(below) if growth == "for ever" else _of_groups(node, below)
        case Report():
            return below[0] if node.kind == "rstream" else (Incomplete(),)
        case _:
            assert_never(node)


def _of_pairs(join: NrrJoin) -> Bounds:
    """Those of rows that may still be withdrawn."""
    found: list[Bound] = []
    for stream in dict.fromkeys(scan.stream for scan in corrected_scans(join)):
        if stream.kept_rows is not None:
            found.append(LastRows(stream.kept_rows, ()))
        else:
            kept = stream.within + (stream.kept or 0)
            found.append(Lasting(kept, stream.timestamps) if kept else Incomplete())
    return tuple(dict.fromkeys(found))


def _of_relation(relation: Relation) -> Bounds:
    if relation.only_grows:
        return (Endless(),)
    return (Values(relation.key),) if relation.key else (Contents(relation.input.stream.name),)


def _of_window(window: Window) -> Bound:
    length = window_reach(window)
    return Endless() if length is None else Lasting(length, window.timestamps)


def _of_rows(window: RowsWindow) -> Bound:
    """With RANGE rows also leave though no other comes: that bounds them for any number of
    values.
    """
    if window.length is not None:
        return Lasting(window.length, window.timestamps)
    return LastRows(window.rows, tuple(each.sql for each in window.by))


def _of_groups(group: Group, below: list[Bounds]) -> Bounds:
    """A group stays as long as one of its rows."""
    if not group.keys:
        return (OneRow(),)
    found = _together(below)
    keys = tuple(name for name, _ in group.keys)
    return (Values(keys),) if any(isinstance(each, Endless) for each in found) else found


def _per_value(operator: Operator, below: list[Bounds]) -> Bounds:
    """Rows that never end are bounded by how many different ones there are."""
    found = _together(below)
    if any(isinstance(each, Endless) for each in found):
        return (Values(names(operator.schema)),)
    return found


def _together(below: list[Bounds]) -> Bounds:
    return tuple(dict.fromkeys(each for bounds_ in below for each in bounds_))


def _looseness(found: Bounds) -> tuple[int, int]:
    """Smaller is tighter; of two windows the shorter."""
    order = (OneRow, LastRows, Contents, Lasting, OpenSessions, Incomplete, Values, Endless)
    worst = max(order.index(type(each)) for each in found)
    lengths = [each.length for each in found if isinstance(each, Lasting)]
    return worst, max(lengths, default=0)
