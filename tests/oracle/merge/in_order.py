"""R0, R1 and R2: inserts only, in order of their start (LMERGE IV-A to IV-C)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .base import InOrder
from .elements import Insert, Row, Time
from .policies import EAGER, Policy


class R0(InOrder):
    """Starts grow strictly: whoever is first brings the next event. State: one instant."""

    def _next(self, name: str, element: Insert) -> None:
        if element.vs > self._max_vs:
            self._max_vs = element.vs
            self._emit(element)


class R1(InOrder):
    """Events that start together come in the same order from all inputs: the n-th of an instant
    is put out when the first input brings its n-th. State: a count per input.
    """

    def __init__(self, inputs: Sequence[str], policy: Policy = EAGER, lag: Time = 0) -> None:
        super().__init__(inputs, policy, lag)
        self._same_vs: Counter[str] = Counter()
        self._out = 0

    def _next(self, name: str, element: Insert) -> None:
        if element.vs < self._max_vs:
            return
        if element.vs > self._max_vs:
            self._max_vs = element.vs
            self._same_vs.clear()
            self._out = 0
        self._same_vs[name] += 1
        if self._same_vs[name] > self._out:
            self._out += 1
            self._emit(element)

    def _forget(self, name: str) -> None:
        super()._forget(name)
        del self._same_vs[name]


class R2(InOrder):
    """Events that start together come in any order, each (vs, row) once. State: the rows of the
    last instant.
    """

    def __init__(self, inputs: Sequence[str], policy: Policy = EAGER, lag: Time = 0) -> None:
        super().__init__(inputs, policy, lag)
        self._out: set[Row] = set()

    def _next(self, name: str, element: Insert) -> None:
        if element.vs < self._max_vs:
            return
        if element.vs > self._max_vs:
            self._max_vs = element.vs
            self._out.clear()
        if element.row not in self._out:
            self._out.add(element.row)
            self._emit(element)


class R2Duplicates(InOrder):
    """R2 where equal events may start together: a count of each (row, end) of the last instant,
    per input and of the output.
    """

    def __init__(self, inputs: Sequence[str], policy: Policy = EAGER, lag: Time = 0) -> None:
        super().__init__(inputs, policy, lag)
        self._same_vs: dict[str, Counter[tuple[Row, Time]]] = {}
        self._out: Counter[tuple[Row, Time]] = Counter()

    def _next(self, name: str, element: Insert) -> None:
        if element.vs < self._max_vs:
            return
        if element.vs > self._max_vs:
            self._max_vs = element.vs
            self._same_vs.clear()
            self._out.clear()
        event = (element.row, element.ve)
        had = self._same_vs.setdefault(name, Counter())
        had[event] += 1
        if had[event] > self._out[event]:
            self._out[event] += 1
            self._emit(element)

    def _forget(self, name: str) -> None:
        super()._forget(name)
        self._same_vs.pop(name, None)
