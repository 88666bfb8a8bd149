"""How far what is corrected reaches, query by query, for people (REPLAY; DESIGN section 5)."""

from __future__ import annotations

from collections.abc import Iterator

from ..analyse.lineage import Lineage
from ..physical import PhysicalPlan
from ..physical.lengths import length_shown


def lines(plan: PhysicalPlan) -> Iterator[str]:
    """A line for each query and stream with KEEP; none where there is no such stream."""
    for query in plan.queries:
        yield from (f"{query.name}: {said}" for said in of_query(plan, query.name))


def of_query(plan: PhysicalPlan, name: str) -> Iterator[str]:
    """The same of one query, without its name."""
    timestamps = {stream.name: stream.timestamps for stream in plan.streams}
    for query in plan.queries:
        if query.name == name:
            yield from (_said(each, found, timestamps[each]) for each, found in query.lineage)


def _said(stream: str, lineage: Lineage, timestamps: bool) -> str:
    said = f"an input of {stream} at t reaches outputs {_reached_of(lineage, timestamps)}"
    said += f", which need {_needed(lineage, timestamps)}"
    if lineage.of_rows is not None:
        said += f", and {_last(lineage.of_rows)} before them as recorded"
    return said if lineage.why_not is None else f"{said}; but {lineage.why_not}"


def _reached_of(lineage: Lineage, timestamps: bool) -> str:
    reached = _reached(lineage.reach, timestamps)
    if lineage.rows is None:
        return reached
    until = f"until {_counted(lineage.rows)} later (recorded)"
    return until if lineage.reach == 1 else f"{reached} and {until}"


def _last(rows: int) -> str:
    return "the last row" if rows == 1 else f"the last {rows} rows"


def _counted(rows: int) -> str:
    return "1 row" if rows == 1 else f"{rows} rows"


def _reached(reach: int | None, timestamps: bool) -> str:
    if reach is None:
        return "from t on"
    return "at t" if reach == 1 else f"in [t, t + {_length(reach, timestamps)})"


def _needed(lineage: Lineage, timestamps: bool) -> str:
    if lineage.need is None:
        return "all inputs up to them"
    if lineage.rows is not None:
        return (
            "the inputs from then on"
            if lineage.need == 1
            else f"inputs after t - {_length(lineage.need, timestamps)}"
        )
    if lineage.need == 1:
        return "inputs at t"
    since = f"t - {_length(lineage.need, timestamps)}"
    if lineage.reach is None:
        return f"inputs after {since}"
    if lineage.reach == 1:
        return f"inputs in ({since}, t]"
    return f"inputs in ({since}, t + {_length(lineage.reach, timestamps)})"


def _length(length: int, timestamps: bool) -> str:
    """A slide's last microsecond is rounded up: the bound still holds, and can be read."""
    rounded = length + 1 if timestamps and (length + 1) % 1_000_000 == 0 else length
    return length_shown(rounded, timestamps)
