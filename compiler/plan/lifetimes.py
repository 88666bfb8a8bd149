"""How long windows hold an element."""

from __future__ import annotations

from .operators import Window

HOUR = 3_600_000_000


def window_reach(window: Window) -> int | None:
    """The longest time between an element's order value and its end; None: for ever."""
    if window.kind == "unbounded":
        return None
    if window.kind == "now":
        return 1
    assert window.length is not None
    # A day of a time zone may have 25 hours.
    spare = HOUR if window.zone is not None and window.slide is not None else 0
    return window.length + (window.slide or 0) + spare
