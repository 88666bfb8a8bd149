"""By what state is bounded, for people."""

from __future__ import annotations

from typing import assert_never

from ..analyse.bounds import (
    Bound,
    Bounds,
    Contents,
    Endless,
    Incomplete,
    Lasting,
    LastRows,
    OneRow,
    OpenSessions,
    Values,
)
from ..plan.expressions import readable, readable_name
from .lengths import length_shown


def bounds_shown(bounds: Bounds) -> str:
    """In a line; empty where nothing is kept."""
    return " + ".join(_shown(bound) for bound in bounds)


def _shown(bound: Bound) -> str:
    match bound:
        case Lasting():
            return f"rows of {length_shown(bound.length, bound.timestamps)}"
        case LastRows():
            each = f" of each {', '.join(readable(sql) for sql in bound.by)}" if bound.by else ""
            return f"{bound.rows} row{'' if bound.rows == 1 else 's'}{each}"
        case OpenSessions():
            return f"open sessions, gap {length_shown(bound.gap, bound.timestamps)}"
        case Values():
            return f"different values of {', '.join(readable_name(c) for c in bound.columns)}"
        case Contents():
            return f"rows that {readable_name(bound.relation)} holds"
        case OneRow():
            return "one row"
        case Incomplete():
            return "instants that are not complete"
        case Endless():
            return "nothing"
        case _:
            assert_never(bound)
