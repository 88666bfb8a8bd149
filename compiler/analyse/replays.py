"""Whether the answers of a query can be replayed: computed again from a slice of the archives
(REPLAY 3, 4).

In: an operator tree or a plan. Out: why it cannot be, or what a program needs to do so.

What an operator of snapshots answers at an instant depends on the rows that are valid then. Below
windows by time the rows that are valid at an instant came no earlier than the window is long: this
is the lineage function (REPLAY 4.2), known before anything runs. Parts of answers before an instant
can then be corrected without those after it, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, assert_never

from reflow.grammar.value import value

from ..plan.graph import Plan
from ..plan.operators import (
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
from ..plan.rebuild import known
from .reach import window_reach

Slices = Literal["all", "minimal"]


@value
class Replay:
    """How a program replays. `queries` are those whose answers are; `reach`: stream -> how long
    after a row's instant answers can depend on it; `need`: how long before an answer's instant the
    rows lie on which it depends. Microseconds or ticks.
    """

    slices: Slices
    queries: tuple[str, ...]
    reach: tuple[tuple[str, int], ...]
    need: int


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
    endless = isinstance(operator, Window) and window_reach(operator) is None
    linear = endless or isinstance(operator, Filter | Project | Union)
    return linear and all(map(passes_through, operator.inputs))


def why_not(operator: Operator) -> str | None:
    """Why the answer cannot be replayed; None if it can."""
    node = known(operator)
    match node:
        case Window():
            if not passes_through(node.input):
                return _below(node) or "a window stands on rows that are no stream's own"
            endless = window_reach(node) is None
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


def replay(plan: Plan) -> Replay | None:
    """How the program of a plan replays; None: corrections are made from state (DIRECT)."""
    asked = {sink.revise for sink in plan.sinks if sink.revise.startswith("replay")}
    if not asked:
        return None
    sinks = [s for s in plan.sinks if corrected(s.input) and not passes_through(s.input)]
    windows = [window for sink in sinks for window in _windows(sink)]
    reach: dict[str, int] = {}
    for window in windows:
        for name in _streams(window):
            reach[name] = max(reach.get(name, 0), _length(window))
    return Replay(
        "all" if "replay all" in asked else "minimal",
        tuple(sink.query for sink in sinks),
        tuple(sorted(reach.items())),
        max(map(_length, windows), default=0),
    )


def _below(operator: Operator) -> str | None:
    return next((why for source in operator.inputs if (why := why_not(source))), None)


def _length(window: Window) -> int:
    return window_reach(window) or 0


def _windows(operator: Operator) -> Iterator[Window]:
    if isinstance(operator, Window):
        yield operator
    for source in operator.inputs:
        yield from _windows(source)


def _streams(operator: Operator) -> Iterator[str]:
    if isinstance(operator, Scan):
        yield operator.stream.name
    for source in operator.inputs:
        yield from _streams(source)
