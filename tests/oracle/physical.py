"""Elements of a physical stream, taken one by one in the order in which they arrive (LMERGE III).

An insert adds an event, an adjust moves the end of one that is there or cancels it, a stable
forbids all that would change what lies before it. What is forbidden, and what is no element,
changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Values = Mapping[str, Any]


@dataclass
class Told:
    """What elements have told: the events as [vs, ve, row, number of its insert]; the last stable;
    what was refused; the largest instant shown.
    """

    events: list[list[Any]] = field(default_factory=list)
    stable: int | None = None
    refused: list[tuple[int, str]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)

    @property
    def now(self) -> int | None:
        shown = [*self.starts, *([] if self.stable is None else [self.stable])]
        return max(shown, default=None)


def told(elements: Sequence[str], rows: Iterable[Values], insert_only: bool = False) -> Told:
    """What rows come to; `elements` names their columns of kind, vs, ve and old_ve."""
    made = Told()
    for number, row in enumerate(rows):
        reason = _take(made, number, elements, row, insert_only)
        if reason:
            made.refused.append((number, reason))
    return made


def _take(
    made: Told, number: int, elements: Sequence[str], row: Values, insert_only: bool
) -> str | None:
    kind, vs, ve, old = (row.get(name) for name in elements)
    values = tuple(value for name, value in row.items() if name not in elements)
    if kind not in ("insert", "adjust", "stable"):
        return "unknown kind of element"
    if vs is None:
        return "no order value"
    if kind == "stable":
        made.stable = vs if made.stable is None else max(made.stable, vs)
        return None
    if ve is not None and ve < vs:
        return "ends before it starts"
    settled = made.stable
    if kind == "insert":
        if settled is not None and vs < settled:
            return "insert before a stable"
        made.starts.append(vs)
        if ve != vs:
            made.events.append([vs, ve, values, number])
        return None
    if insert_only:
        return "adjust in a stream of inserts only"
    if settled is not None and any(end is not None and end < settled for end in (ve, old)):
        return "adjust before a stable"
    for event in made.events:
        if event[:3] == [vs, old, values]:
            event[1] = ve
            if ve == vs:
                made.events.remove(event)
            return None
    return "adjust of an unknown event"
