"""CLEANSE: order by buffering, so that a cheaper algorithm can merge (LMERGE IV-G)."""

from __future__ import annotations

from .elements import Adjust, Element, Insert, Key, Stable, Time, is_fully_frozen, ordered
from .reconstitution import Physical


class Cleanse:
    """Holds the events of an input until its stable; gives inserts only, in order of start, those
    that start together by row and end: the same sequence for every presentation of a TDB.

    `adjusts`: the input may have some. Then an event is given when it is fully frozen and all that
    start before it have been given, and the stable is held back by what is not; without, when its
    start lies before the stable.
    """

    def __init__(self, adjusts: bool = True) -> None:
        self._adjusts = adjusts
        self._held = Physical()

    def take(self, element: Element) -> list[Element]:
        before = self._stable()
        match element:
            case Adjust() if not self._adjusts:
                raise ValueError(f"{element} of an input without adjusts")
            case Insert() | Adjust() | Stable():
                self._held.add(element)
        if self._stable() <= before:
            return []
        due = ordered(key for key in self._held.ends if key[0] < self._stable())
        return [*(each for key in due for each in self._given(key)), Stable(self._stable())]

    def _stable(self) -> Time:
        """Before it nothing is missing in the output."""
        t = self._held.stable
        if not self._adjusts:
            return t
        held = self._held.ends.items()
        starts = (vs for (vs, _), ends in held if ends and not is_fully_frozen(max(ends), t))
        return min(t, min(starts, default=t))

    def _given(self, key: Key) -> list[Element]:
        vs, row = key
        ends = self._held.ends.pop(key)
        return [Insert(row, vs, ve) for ve in sorted(ends.elements())]
