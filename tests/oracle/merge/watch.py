"""Watches a merge, the reference's or another: says after each step which condition is broken."""

from __future__ import annotations

from collections.abc import Iterable

from .conditions import c1, c2, c3
from .elements import INFINITY, Element, Time
from .reconstitution import Physical


class Watch:
    """Tell it what the inputs bring and what the merge puts out; ask for `faults`.

    Raises Broken where either is no physical stream. An input that has left, or one that comes
    again under its name, is held to what it has promised.
    """

    def __init__(self, inputs: Iterable[str]) -> None:
        self.output = Physical()
        self._promised: Time = -INFINITY
        self._given = {name: (Physical(), -INFINITY) for name in inputs}
        self._left: list[tuple[Physical, Time]] = []

    def attach(self, name: str, complete_from: Time) -> None:
        self._given[name] = (Physical(), complete_from)

    def detach(self, name: str) -> None:
        self._left.append(self._given.pop(name))

    def received(self, name: str, elements: Iterable[Element]) -> None:
        given, _ = self._given[name]
        for element in elements:
            given.add(element)
        self._promised = max(self._promised, given.stable)

    def sent(self, elements: Iterable[Element]) -> None:
        for element in elements:
            self.output.add(element)

    def faults(self) -> list[str]:
        found = c1(self.output, self._promised)
        for given, since in [*self._given.values(), *self._left]:
            found += c2(self.output, given, since) + c3(self.output, given, since)
        return found
