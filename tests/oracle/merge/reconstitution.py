"""From a physical stream to the temporal database (TDB) that it says (LMERGE II)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from .elements import INFINITY, Adjust, Element, Insert, Key, Row, Stable, Time

TDB: TypeAlias = Counter[tuple[Row, Time, Time]]


class Broken(ValueError):
    """An element that a physical stream may not have at this place."""


class Physical:
    """What a physical stream has said so far: the ends of each (vs, row), and its stable."""

    def __init__(self) -> None:
        self.ends: dict[Key, Counter[Time]] = {}
        self.stable: Time = -INFINITY

    def add(self, element: Element) -> None:
        """Raises Broken where the element breaks a promise or adjusts what is not there."""
        match element:
            case Insert(row=row, vs=vs, ve=ve):
                if not self.stable <= vs < ve:
                    raise Broken(f"{element} after stable {self.stable}")
                self.ends.setdefault((vs, row), Counter())[ve] += 1
            case Adjust(row=row, vs=vs, old=old, ve=ve):
                ends = self.ends.get((vs, row), Counter())
                if min(old, ve) < self.stable or ve < vs or old == ve or not ends[old]:
                    raise Broken(f"{element} after stable {self.stable}, ends are {dict(ends)}")
                ends[old] -= 1
                ends[ve] += ve > vs
                self.ends[vs, row] = +ends
            case Stable(t=t):
                self.stable = max(self.stable, t)

    @property
    def tdb(self) -> TDB:
        events = (
            (row, vs, ve, n) for (vs, row), ends in self.ends.items() for ve, n in ends.items()
        )
        return Counter({(row, vs, ve): n for row, vs, ve, n in events})


def delta(elements: Iterable[Element]) -> dict[tuple[Row, Time, Time], int]:
    """What the elements change in all, in interval form: by how much the number of copies of each
    event changes (DESIGN section 2). What is taken back again is left out.
    """
    weights: Counter[tuple[Row, Time, Time]] = Counter()
    for element in elements:
        match element:
            case Insert(row=row, vs=vs, ve=ve):
                weights[row, vs, ve] += 1
            case Adjust(row=row, vs=vs, old=old, ve=ve):
                weights[row, vs, old] -= 1
                weights[row, vs, ve] += ve > vs
            case Stable():
                pass
    return {event: weight for event, weight in weights.items() if weight}


def reconstitute(elements: Iterable[Element]) -> TDB:
    """The TDB of a physical stream. Raises Broken where it is none."""
    stream = Physical()
    for element in elements:
        stream.add(element)
    return stream.tdb
