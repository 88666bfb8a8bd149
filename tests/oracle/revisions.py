"""Corrected input, by definition: what arrived, one row after the other, with replacements and
deletions done as they come (REPLAY 3; DESIGN section 5).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .history import Arrival, History, Values


@dataclass(frozen=True)
class Correctable:
    """A stream whose rows are told apart by `key`; `operation` says what a row does: `c` inserts,
    `u` replaces, `d` deletes. `within`, `kept`: its bounds.
    """

    key: str
    operation: str
    within: int
    kept: int


@dataclass
class Corrected(History):
    """A history in which rows of some streams correct others. `read`: the streams that the program
    reads, whose bounds say what is late.
    """

    correctable: Mapping[str, Correctable] = field(default_factory=dict)
    read: frozenset[str] = frozenset()

    def arrived(self, stream: str, known: int | None = None) -> list[tuple[int, Arrival]]:
        if stream not in self.correctable:
            return super().arrived(stream, known)
        return sorted(self._standing(stream, known)[0], key=lambda numbered: numbered[0])

    def anomalies(self, stream: str) -> list[Arrival]:
        """The rows that could not be done, and repeats."""
        return self._standing(stream, None)[1]

    def _orders(self, streams: Iterable[str], known: int | None) -> list[int]:
        found = []
        for stream in streams:
            if stream not in self.correctable:
                found += super()._orders([stream], known)
            else:
                found += [self.order_of(stream, each) for each in self._shown(stream, known)]
        return found

    def _shown(self, stream: str, known: int | None) -> Iterator[Arrival]:
        """The rows that came as rows of their own, whatever became of them."""
        return iter(self._standing(stream, known)[2])

    def _complete(self, epoch: int) -> int | None:
        """Before which instant rows of an epoch are late; None: none is."""
        largest = {}
        for stream in self.read:
            orders = [
                self.order_of(stream, each)
                for each in self.arrivals.get(stream, [])
                if each.epoch < epoch and self._moves(stream, each)
            ]
            if not orders:
                return None
            own = self.correctable.get(stream)
            largest[stream] = max(orders) - (own.within if own else 0)
        return min(largest.values())

    def _moves(self, stream: str, arrival: Arrival) -> bool:
        """Whether a row may move the clock: what corrects others does not, and late rows cannot."""
        own = self.correctable.get(stream)
        return own is None or arrival.values[own.operation] == "c"

    def _standing(
        self, stream: str, known: int | None
    ) -> tuple[list[tuple[int, Arrival]], list[Arrival], list[Arrival]]:
        """The rows that stand, each with its place; the anomalies; the rows that ever stood."""
        own = self.correctable[stream]
        order = self.streams[stream].order
        assert order is not None
        there: dict[Any, tuple[int, Arrival]] = {}
        gone: list[Arrival] = []
        shown: list[Arrival] = []
        for number, arrival in enumerate(self.arrivals.get(stream, [])):
            if known is not None and arrival.epoch > known:
                continue
            complete = self._complete(arrival.epoch)
            oldest = None if complete is None else complete - own.kept
            values, does = arrival.values, arrival.values[own.operation]
            if does not in ("c", "u", "d") or (oldest is not None and values[order] < oldest):
                gone.append(arrival)
                continue
            standing = there.get(values[own.key])
            if standing is not None and oldest is not None:
                # What is too old stays as it is, and is not found any more.
                standing = None if standing[1].values[order] < oldest else standing
            if standing is None and does == "c":
                there[values[own.key]] = number, arrival
                shown.append(arrival)
            elif standing is None:
                gone.append(arrival)
            elif does == "d":
                del there[values[own.key]]
            else:
                place, old = standing
                new = {**values, order: old.values[order], own.operation: old.values[own.operation]}
                if does == "c" and _same(new, old.values, own.operation):
                    gone.append(arrival)
                there[values[own.key]] = place, Arrival(old.epoch, new)
        return list(there.values()), gone, shown


def _same(one: Values, other: Values, operation: str) -> bool:
    return all(one[name] == other[name] for name in one if name != operation)
