"""The clock of a program: `now` and the frontiers behind it (DESIGN section 2).

All values are order values (microseconds or ticks). A clock never goes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

from ..elements.columns import DAWN


@dataclass(frozen=True)
class StreamClock:
    """What one stream has shown: its least and largest order value, and whether it is idle.

    `floor`: where its archive keeps a number of rows, from which order value on they lie (DAWN:
    none has been given up). `stable`: of a stream of elements, the last stable (DAWN: none yet).
    """

    first: int | None = None
    largest: int | None = None
    idle: bool = False
    floor: int | None = None
    stable: int | None = None


@dataclass(frozen=True)
class Clock:
    """`now`: largest order value seen. `complete`: rows below it are late. `closed`: EMIT FINAL
    reports what lies below it (`complete`, or the instant after a drained `now`). `frozen`: nothing
    below it can change, not even by a correction.
    """

    now: int = DAWN
    complete: int = DAWN
    closed: int = DAWN
    frozen: int = DAWN
    streams: Mapping[str, StreamClock] = field(default_factory=dict)

    def first(self, names: list[str]) -> int | None:
        """The least order value that any of the streams has shown."""
        seen = [self.streams[n].first for n in names if n in self.streams]
        # A change that is told ahead of its time has not been shown yet.
        known = [value for value in seen if value is not None and DAWN < value <= self.now]
        return min(known, default=None)

    def floor(self, name: str) -> int:
        """From which order value on the rows of a stream lie that its archive counts."""
        known = self.streams.get(name, StreamClock()).floor
        return DAWN if known is None else known

    def stable(self, name: str) -> int:
        """The last stable of a stream of elements."""
        known = self.streams.get(name, StreamClock()).stable
        return DAWN if known is None else known

    def settled(self, name: str) -> int:
        """The instant before which the elements of a stream may change nothing any more: its last
        stable, or how far a strict drain has gone.
        """
        return max(self.stable(name), self.complete)

    def raised(self, floors: Mapping[str, int]) -> Clock:
        """The clock before an epoch in which the archives of some streams count rows from further
        on; none goes back, whatever is merged.
        """
        streams = dict(self.streams)
        for name, floor in floors.items():
            known = streams.get(name, StreamClock())
            streams[name] = replace(known, floor=max(floor, self.floor(name)))
        return replace(self, streams=streams)

    def advance(
        self,
        seen: Mapping[str, tuple[int, int]],
        idle: frozenset[str],
        within: Mapping[str, int],
        following: Mapping[str, int | None] = MappingProxyType({}),
        kept: int = 0,
        stables: Mapping[str, int] = MappingProxyType({}),
    ) -> Clock:
        """The clock after an epoch. `seen`: stream -> (least, largest) order value of the epoch's
        elements; `within`: the bounds on disorder of the streams that move the clock.

        `following`: relations that do not move it, with the bound on their disorder behind `now`;
        None: their changes are at `now`. `kept`: how far behind `complete` rows are corrected.
        `stables`: of every stream of elements, the largest of the epoch (DAWN: none).
        """
        shown = (seen[name][1] for name in within if name in seen)
        now = max([self.now, *shown, *stables.values()])
        at_now = {name: (now, now) for name, bound in following.items() if bound is None}
        seen = {name: at_now.get(name, found) for name, found in seen.items()}
        streams = {name: self._stream(name, seen.get(name), idle) for name in (*within, *following)}
        for name, stable in stables.items():
            streams[name] = replace(streams[name], stable=max(stable, self.stable(name)))
        behind = [now - bound for bound in following.values() if bound]
        complete = max(self.complete, min([_complete(streams, within), *behind]))
        closed = max(self.closed, complete)
        frozen = self._frozen(complete, kept, streams)
        clock = Clock(now, complete, closed, frozen, streams)
        return clock._begun() if self.now == DAWN != now else clock

    def _begun(self) -> Clock:
        """What was shown before the clock began is shown from its first instant on."""
        first = self.first([*self.streams])
        streams = {
            name: replace(stream, first=self.now if first is None else first)
            if stream.first == DAWN
            else stream
            for name, stream in self.streams.items()
        }
        return replace(self, streams=streams)

    def _stream(self, name: str, seen: tuple[int, int] | None, idle: frozenset[str]) -> StreamClock:
        known = self.streams.get(name, StreamClock())
        if seen is None:
            return replace(known, idle=name in idle)
        least, largest = seen
        first = least if known.first is None else min(known.first, least)
        top = largest if known.largest is None else max(known.largest, largest)
        return replace(known, first=first, largest=top, idle=False)

    def _frozen(self, complete: int, kept: int, streams: Mapping[str, StreamClock]) -> int:
        if complete == DAWN:
            return DAWN
        floors = (each.floor for each in streams.values() if each.floor is not None)
        return max(self.frozen, min([complete - kept, *floors]))

    def drained(self, until: int | None, strict: bool, kept: int = 0) -> Clock:
        """The instant `now` (or `until`, if later) is complete for what is reported.

        Rows within the bound on disorder are still welcome afterwards, unless `strict`: a sink that
        can only append could not take their corrections.
        """
        if self.now == DAWN and until is None:
            return self
        now = self.now if until is None else max(self.now, until)
        closed = max(self.closed, now + 1)
        complete = max(self.complete, closed) if strict else self.complete
        frozen = self._frozen(complete, kept, self.streams)
        clock = replace(self, now=now, closed=closed, complete=complete, frozen=frozen)
        return clock._begun() if self.now == DAWN else clock

    def held_back_by(self, within: Mapping[str, int]) -> str | None:
        """The stream that holds `complete` back: the one whose promise reaches least far."""
        active = {n: s for n, s in self.streams.items() if not s.idle and n in within}
        if len(active) < 2:
            return next(iter(active), None)
        return min(active, key=lambda name: _promise(active[name], within[name]))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Clock:
        streams = {name: StreamClock(**value) for name, value in data["streams"].items()}
        return cls(data["now"], data["complete"], data["closed"], data["frozen"], streams)


def _promise(stream: StreamClock, within: int) -> int:
    if stream.stable is not None:
        return stream.stable
    return DAWN if stream.largest is None else stream.largest - within


def _complete(streams: Mapping[str, StreamClock], within: Mapping[str, int]) -> int:
    moving = ((name, streams[name]) for name in within)
    active = [_promise(stream, within[name]) for name, stream in moving if not stream.idle]
    return min(active, default=DAWN)
