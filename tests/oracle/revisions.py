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
    `u` replaces, `d` deletes. `within`, `kept`: its bounds; `kept_rows`: instead of `kept`, how
    many of its youngest rows are corrected, in whole epochs.
    """

    key: str
    operation: str
    within: int
    kept: int
    kept_rows: int | None = None


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

    def refused_as_old(self, stream: str) -> list[Arrival]:
        """The rows that come too late to be done."""
        found = []
        for arrival in self.arrivals.get(stream, []):
            oldest = self._oldest(stream, arrival.epoch)
            if oldest is not None and self.order_of(stream, arrival) < oldest:
                found.append(arrival)
        return found

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

    def _epochs(self, stream: str) -> set[int]:
        return {arrival.epoch for arrival in self.arrivals.get(stream, [])}

    def _moves(self, stream: str, arrival: Arrival) -> bool:
        """Whether a row may move the clock: what corrects others does not, and late rows cannot."""
        own = self.correctable.get(stream)
        return own is None or arrival.values[own.operation] == "c"

    def _oldest(self, stream: str, epoch: int) -> int | None:
        """The least order value at which an epoch's rows may be corrected; None: any."""
        own, complete = self.correctable[stream], self._complete(epoch)
        if complete is None or own.kept_rows is None:
            return None if complete is None else complete - own.kept
        floor = self._floor(stream, epoch, own.kept_rows)
        return None if floor is None else min(complete, floor)

    def _floor(self, stream: str, epoch: int, rows: int) -> int | None:
        """From where on the youngest rows of the epochs before one lie: as many whole epochs as
        have so many of those that came in time; None: all have fewer.
        """
        highest = None
        for last in range(1, epoch):
            found = self._youngest(stream, last, rows)
            if found is not None:
                highest = found if highest is None else max(highest, found)
        return highest

    def _youngest(self, stream: str, last: int, rows: int) -> int | None:
        batches: dict[int, list[int]] = {}
        for arrival in self.arrivals.get(stream, []):
            if arrival.epoch <= last and self._in_time(stream, arrival):
                batches.setdefault(arrival.epoch, []).append(self.order_of(stream, arrival))
        taken: list[int] = []
        for batch in sorted(batches.values(), key=lambda b: (max(b), min(b), len(b)), reverse=True):
            taken += batch
            if len(taken) >= rows:
                return min(taken)
        return None

    def _in_time(self, stream: str, arrival: Arrival) -> bool:
        complete = self._complete(arrival.epoch)
        order = self.order_of(stream, arrival)
        return self._moves(stream, arrival) and (complete is None or order >= complete)

    def _standing(
        self, stream: str, known: int | None
    ) -> tuple[list[tuple[int, Arrival]], list[Arrival], list[Arrival]]:
        """The rows that stand, each with its place; the anomalies; the rows that ever stood."""
        own = self.correctable[stream]
        order = self.streams[stream].order
        assert order is not None
        there: dict[Any, tuple[int, Arrival]] = {}
        before: dict[Any, tuple[int, Arrival]] = {}
        epoch = None
        gone: list[Arrival] = []
        shown: list[Arrival] = []
        oldest_of = {epoch: self._oldest(stream, epoch) for epoch in self._epochs(stream)}
        for number, arrival in enumerate(self.arrivals.get(stream, [])):
            if known is not None and arrival.epoch > known:
                continue
            if arrival.epoch != epoch:
                epoch, before = arrival.epoch, dict(there)
            oldest = oldest_of[arrival.epoch]
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
                # What the epoch's corrections leave as it was has not been replaced.
                known_as = before.get(values[own.key])
                stays = (
                    known_as is not None
                    and known_as[0] == place
                    and _same(new, known_as[1].values, own.operation)
                )
                since = known_as[1].since if known_as and stays else arrival.epoch
                there[values[own.key]] = place, Arrival(old.epoch, new, since)
        return list(there.values()), gone, shown


def _same(one: Values, other: Values, operation: str) -> bool:
    return all(one[name] == other[name] for name in one if name != operation)
