"""What each kind of window calls, and what it keeps."""

from __future__ import annotations

from typing import assert_never

from ..analyse import Facts
from ..plan.operators import RowsWindow, SessionWindow, Window
from . import state_layout
from .calls import Call, WindowNow, WindowRange, WindowRows, WindowSession, WindowUnbounded


def window_call(
    window: Window | RowsWindow | SessionWindow, facts: Facts, recorded: bool
) -> tuple[Call, str]:
    """The call of a window and its state.

    Windows in which later rows decide must know whether elements can be withdrawn, and whether
    someone above asks for the order of arrival. `recorded`: it is recorded when rows leave.
    """
    net, ordered = facts.retracting[window.input], facts.arrival[window]
    match window:
        case Window():
            return _of_time(window), state_layout.NONE
        case RowsWindow():
            by = tuple(each.sql for each in window.by)
            rows = WindowRows(window.rows, by, window.slide, window.length, net, ordered, recorded)
            return rows, state_layout.of_later_rows(rows)
        case SessionWindow():
            by = tuple(each.sql for each in window.by)
            session = WindowSession(window.gap, by, net, ordered)
            return session, state_layout.of_later_rows(session)
        case _:
            assert_never(window)


def _of_time(window: Window) -> Call:
    if window.kind == "range":
        assert window.length is not None
        return WindowRange(window.length, window.slide, window.zone)
    return WindowNow() if window.kind == "now" else WindowUnbounded()
