"""Who moves which clock: that of the program, and those of sections, the inputs of merges (DESIGN
sections 2, 6; decision 21).

The program's clock is called by an empty name. A clock sees a merged stream as one of its streams,
whose promise is the merged stable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, TypeAlias

from ..connect.declarations import Merge, Stream, movers
from ..deltas.merge.inputs import Input, Standing, course
from ..elements.columns import DAWN
from ..ledger.clock import Clock, StreamClock

Clocks: TypeAlias = Mapping[str, Clock]
"""The program's clock and those of its sections, by name."""

PROGRAM: Final = ""


@dataclass(frozen=True)
class Timing:
    """The streams and the merged streams that move one clock."""

    name: str = PROGRAM
    streams: tuple[Stream, ...] = ()
    merges: tuple[Merge, ...] = ()

    @cached_property
    def movers(self) -> tuple[Stream, ...]:
        """The base streams that move it; logs of relations only where nothing else does."""
        if self.merges:
            return tuple(stream for stream in self.streams if not stream.relation)
        return movers(self.streams)

    @cached_property
    def within(self) -> dict[str, int]:
        """The bounds on disorder of all that move it."""
        own = {stream.name: stream.within for stream in self.movers}
        return own | dict.fromkeys((merge.name for merge in self.merges), 0)

    @cached_property
    def following(self) -> dict[str, int | None]:
        """Relations that do not move it, with the bound on their disorder behind `now`; None: their
        changes are at `now`.
        """
        return {
            stream.name: None if stream.order is None else stream.within
            for stream in self.streams
            if stream not in self.movers
        }

    @property
    def of_elements(self) -> list[str]:
        return [stream.name for stream in self.streams if stream.elements]

    @property
    def kept(self) -> int:
        """How far behind `complete` rows are corrected."""
        return max((stream.kept or 0 for stream in self.streams), default=0)

    @property
    def names(self) -> list[str]:
        return [*(s.name for s in self.streams), *(m.name for m in self.merges)]

    @property
    def by_arrival(self) -> bool:
        """Whether clock time moves it."""
        return not self.merges and all(stream.order is None for stream in self.movers)

    @property
    def by_rows(self) -> bool:
        """Whether some archive keeps a number of rows."""
        return any(stream.kept_rows is not None for stream in self.streams)

    def has_order(self, stream: Stream) -> bool:
        """Whether elements of a stream have instants of their own."""
        return stream.order is not None or stream in self.movers


@dataclass(frozen=True)
class Arrivals:
    """What an epoch brings: of streams the range of order values, and of streams of elements the
    last stables; `idle`: the streams without rows for so long. `floors`: from where on the rows of
    streams lie whose archives keep a number of them. `held`: merge -> the merged stable, where only
    rows tell it. `away`: the sections whose clocks stand still, detached or within such. `anew`:
    those that begin as new copies, and what they are complete from. `standings`: where merges stood
    before, by path.
    """

    seen: Mapping[str, tuple[int, int]]
    stables: Mapping[str, int]
    idle: frozenset[str]
    floors: Mapping[str, int] = field(default_factory=dict)
    held: Mapping[str, int] = field(default_factory=dict)
    away: frozenset[str] = frozenset()
    anew: Mapping[str, int] = field(default_factory=dict)
    standings: Mapping[str, Standing] = field(default_factory=dict)


@dataclass(frozen=True)
class Judges:
    """By which clock rows of each stream are judged. `moving`: streams without an order field that
    are stamped on arrival; changes of others are at `now`. `skips`: stream -> the order value
    before which nobody needs its rows.
    """

    of: Mapping[str, Clock]
    moving: frozenset[str]
    now: int
    skips: Mapping[str, int] = field(default_factory=dict)


class Timings:
    """All clocks of a program. Sections come after those that are within them."""

    def __init__(self, streams: Sequence[Stream], merges: Sequence[Merge] = ()) -> None:
        self.program = Timing(
            PROGRAM,
            tuple(stream for stream in streams if not stream.merged),
            tuple(merge for merge in merges if merge.section == PROGRAM),
        )
        self.sections: dict[str, Timing] = {}
        for merge in merges:
            for section, moving in merge.inputs.items():
                own = tuple(stream for stream in streams if stream.name in moving)
                within = tuple(each for each in merges if each.section == section)
                self.sections[section] = Timing(section, own, within)

    @property
    def every(self) -> Iterator[Timing]:
        """Those within others first, the program's last."""
        yield from self.sections.values()
        yield self.program

    def readers(self, stream: str) -> Iterator[Timing]:
        """Those that a stream moves."""
        return (each for each in self.every if any(own.name == stream for own in each.streams))

    @cached_property
    def tellers(self) -> dict[str, str]:
        """Of each stream the program, if it reads it, or the first section that does."""
        every = reversed([self.program, *self.sections.values()])
        return {stream.name: each.name for each in every for stream in each.streams}

    def judges(self, clocks: Clocks, streams: Sequence[Stream]) -> Judges:
        """Of a stream's readers the one that is furthest: what is late for one is late for all,
        since they share its archive.
        """
        of = {
            stream.name: max(
                (clocks[each.name] for each in self.readers(stream.name)),
                key=lambda clock: clock.complete,
            )
            for stream in streams
        }
        moving = frozenset(stream.name for each in self.every for stream in each.movers)
        return Judges(of, moving, clocks[PROGRAM].now)

    def advanced(self, clocks: Clocks, arrivals: Arrivals) -> dict[str, Clock]:
        """All clocks after an epoch."""
        after: dict[str, Clock] = {}
        for timing in self.every:
            if timing.name in arrivals.away:
                after[timing.name] = clocks[timing.name]
                continue
            after[timing.name] = self._advanced(timing, clocks[timing.name], arrivals, after)
        return after

    def drained(
        self, clocks: Clocks, arrivals: Arrivals, until: int | None, strict: bool
    ) -> dict[str, Clock]:
        """All clocks after the instant `now` (or `until`) has been closed. Where that completes it
        (`strict`) it does so in all sections, and nothing lags behind.
        """
        target = until
        if strict:
            now = clocks[PROGRAM].now
            target = now if until is None else max(now, until)
        after = dict(clocks)
        for timing in self.every:
            clock, upto = after[timing.name], target if timing.name else until
            if upto == DAWN or timing.name in arrivals.away:
                continue
            clock = clock.drained(upto, strict, timing.kept)
            stables = {
                m.name: self._stable(m, clock, after, arrivals, strict) for m in timing.merges
            }
            after[timing.name] = _with_stables(clock, stables)
        return after

    def _advanced(
        self, timing: Timing, clock: Clock, arrivals: Arrivals, after: Mapping[str, Clock]
    ) -> Clock:
        own = [stream.name for stream in timing.streams]
        floors = {name: arrivals.floors[name] for name in own if name in arrivals.floors}
        seen = {name: arrivals.seen[name] for name in own if name in arrivals.seen}
        stables = {name: arrivals.stables[name] for name in timing.of_elements}
        idle = set(arrivals.idle)
        for merge in timing.merges:
            stables[merge.name] = self._stable(merge, clock, after, arrivals)
            shown = _shown(self._below(merge), after)
            if shown is not None and any(map(arrivals.seen.get, self._streams(merge))):
                seen[merge.name] = shown
            if self._is_idle(merge, arrivals):
                idle.add(merge.name)
        return clock.raised(floors).advance(
            seen, frozenset(idle), timing.within, timing.following, timing.kept, stables
        )

    def _stable(
        self,
        merge: Merge,
        clock: Clock,
        after: Mapping[str, Clock],
        arrivals: Arrivals,
        strict: bool = False,
    ) -> int:
        """The merged stable: that of the furthest input that has joined, less the lag."""
        if merge.held:
            return max(clock.stable(merge.name), arrivals.held.get(merge.path, DAWN))
        inputs = [
            Input(
                *(section, None, after[section].frozen, arrivals.anew.get(section, DAWN)),
                away=section in arrivals.away,
                anew=section in arrivals.anew,
            )
            for section in merge.inputs
        ]
        was = arrivals.standings.get(merge.path, Standing())
        stands = course(was, inputs, 0 if strict else merge.lag).end
        return max(clock.stable(merge.name), stands.stable)

    def within(self, sections: Iterable[str]) -> frozenset[str]:
        """Some sections and all within them."""
        found = set(sections)
        for name in reversed(self.sections):
            if name in found:
                found.update(s for merge in self.sections[name].merges for s in merge.inputs)
        return frozenset(found)

    def _is_idle(self, merge: Merge, arrivals: Arrivals) -> bool:
        """Whether no stream of an attached input brings anything."""
        gone = self.streams_of(arrivals.away)
        here = [name for name in self._streams(merge) if name not in gone]
        return all(name in arrivals.idle for name in here)

    def streams_of(self, sections: Iterable[str]) -> frozenset[str]:
        """The base streams that move the clocks of sections."""
        return frozenset(own.name for each in sections for own in self.sections[each].streams)

    def _below(self, merge: Merge) -> list[Timing]:
        return [self.sections[section] for section in merge.inputs]

    def _streams(self, merge: Merge) -> Iterator[str]:
        """The base streams of which a merged stream is made."""
        for timing in self._below(merge):
            yield from (stream.name for stream in timing.streams)
            for inner in timing.merges:
                yield from self._streams(inner)


def _shown(inputs: Iterable[Timing], clocks: Mapping[str, Clock]) -> tuple[int, int] | None:
    """The first instant that inputs have shown, and the last."""
    given = [(clocks[each.name], each.names) for each in inputs]
    firsts = [first for clock, names in given if (first := clock.first(names)) is not None]
    return (min(firsts), max(clock.now for clock, _ in given)) if firsts else None


def _with_stables(clock: Clock, stables: Mapping[str, int]) -> Clock:
    if not stables:
        return clock
    known = {name: clock.streams.get(name, StreamClock()) for name in stables}
    moved = {name: replace(each, stable=stables[name]) for name, each in known.items()}
    return replace(clock, streams={**clock.streams, **moved})
