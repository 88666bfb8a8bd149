"""Which outputs are kept for an epoch: those that several steps would compute, and in deep programs
one every few levels.

In: the steps of a program. Out: the same steps, marked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from .calls import (
    AsStream,
    Deliver,
    DistinctRows,
    Elements,
    GroupRows,
    JoinPairs,
    JoinRelation,
    KeepRows,
    Select,
    UnionAll,
    Where,
    WindowNow,
    WindowRange,
    WindowRows,
    WindowSession,
    WindowUnbounded,
)
from .program import Step

LEVELS = 5
"""Levels of steps that work on each other's output before one of them is computed at once. Each
such step costs a job; without any, Linear Road takes more stack than Java has. (With six it has
enough.)
"""

_LINEAR = (
    *(Elements, Where, Select, UnionAll, WindowNow, WindowRange, WindowUnbounded, AsStream),
    *(KeepRows, Deliver),
)
# What looks up rows of these does not read their output.
_LOOKED_UP = (GroupRows, DistinctRows)


def marked(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps, with `shared` and `computed`."""
    readers = Counter(source for step in steps for source in set(step.inputs))
    built_on = _built_on(steps)
    levels: dict[str, int] = {}
    for step in steps:
        level = max((levels[source] for source in step.inputs), default=0)
        level += not isinstance(step.call, _LINEAR)
        worth = step.id in built_on and not isinstance(step.call, (*_LINEAR, *_LOOKED_UP))
        computed = worth and level >= LEVELS
        levels[step.id] = 0 if computed else level
        yield replace(step, shared=_is_dear(step) and readers[step.id] > 1, computed=computed)


def _is_dear(step: Step) -> bool:
    """Dear to compute, if several read it. Groups, DISTINCT and reports see to that themselves;
    what is linear costs less than keeping it.
    """
    return isinstance(step.call, JoinPairs | JoinRelation | WindowRows | WindowSession)


def _built_on(steps: Sequence[Step]) -> set[str]:
    """Outputs that reach more than sinks: another level is above them."""
    found: set[str] = set()
    for step in reversed(steps):
        if step.id in found or not isinstance(step.call, _LINEAR):
            found |= set(step.inputs)
    return found
