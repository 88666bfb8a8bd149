"""Whose rows move which clock: the program's, and those of the inputs of merges."""

from __future__ import annotations

from collections.abc import Iterable

from reflow.runtime.connect.declarations import Merge, Stream
from reflow.runtime.elements.columns import DAWN
from reflow.runtime.epoch.timing import PROGRAM, Arrivals, Timings
from reflow.runtime.ledger.clock import Clock


def stream(name: str, within: int = 0, merged: bool = True, kept: int | None = None) -> Stream:
    return Stream(
        name, "json", "ts BIGINT", ["ts"], order="ts", within=within, merged=merged, kept=kept
    )


class World:
    """Clocks that go on from epoch to epoch."""

    def __init__(self, streams: Iterable[Stream], merges: Iterable[Merge]) -> None:
        self.streams = list(streams)
        self.timings = Timings(self.streams, list(merges))
        self.clocks = {each.name: Clock() for each in self.timings.every}

    def epoch(self, idle: Iterable[str] = (), **seen: tuple[int, int]) -> Clock:
        """The program's clock after an epoch with rows of these ranges."""
        self.clocks = self.timings.advanced(self.clocks, self._arrivals(idle, seen))
        return self.clocks[PROGRAM]

    def drain(self, until: int | None = None, strict: bool = False) -> Clock:
        arrivals = self._arrivals((), {})
        clocks = self.timings.advanced(self.clocks, arrivals)
        self.clocks = self.timings.drained(clocks, arrivals, until, strict)
        return self.clocks[PROGRAM]

    def _arrivals(self, idle: Iterable[str], seen: dict[str, tuple[int, int]]) -> Arrivals:
        return Arrivals(seen, {}, frozenset(idle))


def two(lag: int = 0, within: int = 0) -> World:
    inputs = {"m.a": ["a"], "m.b": ["b"]}
    return World([stream("a", within), stream("b", within)], [Merge("m", inputs, lag)])


def test_the_furthest_input_says_how_far_a_merge_is() -> None:
    """Not the one that lags behind; and less its bound on disorder, and the lag."""
    world = two(lag=3, within=2)
    clock = world.epoch(a=(1, 20), b=(1, 5))
    assert (clock.now, clock.complete, clock.frozen) == (20, 15, 15)
    assert clock.stable("m") == 15
    assert [world.clocks[name].complete for name in ("m.a", "m.b")] == [18, 3]


def test_an_input_that_overtakes_carries_the_merge_on() -> None:
    world = two()
    world.epoch(a=(1, 20), b=(1, 5))
    clock = world.epoch(b=(6, 30))
    assert (clock.now, clock.complete) == (30, 30)
    assert world.clocks["m.a"].now == 20


def test_a_merge_without_rows_has_not_begun() -> None:
    clock = two().epoch()
    assert (clock.now, clock.complete, clock.stable("m")) == (DAWN, DAWN, DAWN)


def test_the_first_instant_is_that_of_any_input() -> None:
    world = two()
    assert world.epoch(b=(7, 9)).first(["m"]) == 7
    assert world.epoch(a=(3, 4)).first(["m"]) == 3


def test_another_stream_holds_the_program_back_and_no_section() -> None:
    inputs = {"m.a": ["a"], "m.b": ["b"]}
    streams = [stream("a"), stream("b"), stream("s", merged=False)]
    world = World(streams, [Merge("m", inputs)])
    clock = world.epoch(a=(1, 20), s=(2, 4))
    assert (clock.now, clock.complete) == (20, 4)
    assert world.clocks["m.a"].complete == 20


def test_a_merge_is_idle_where_all_its_streams_are() -> None:
    """One of them still promises what it has shown; all together hold nobody back."""
    inputs = {"m.a": ["a"], "m.b": ["b"]}
    streams = [stream("a"), stream("b"), stream("s", merged=False)]
    world = World(streams, [Merge("m", inputs)])
    world.epoch(a=(1, 5), b=(1, 3), s=(1, 9))
    assert world.epoch(idle=["a"], s=(10, 12)).complete == 5
    assert world.epoch(idle=["a", "b"], s=(13, 15)).complete == 15
    assert world.epoch(b=(4, 7)).complete == 15


def test_an_idle_stream_of_a_section_does_not_hold_the_section_back() -> None:
    """An input made of two streams goes on with the one that has rows."""
    world = World([stream(n) for n in "abc"], [Merge("m", {"m.v": ["a", "b"], "m.c": ["c"]})])
    assert world.epoch(a=(1, 9), b=(1, 4)).complete == 4
    assert world.epoch(idle=["b"], a=(10, 12)).complete == 12


def test_a_drain_closes_and_settles_nothing() -> None:
    world = two(within=4)
    world.epoch(a=(1, 20), b=(1, 5))
    clock = world.drain()
    assert (clock.closed, clock.complete, clock.frozen) == (21, 16, 16)
    own = world.clocks["m.b"]
    assert (own.now, own.closed, own.complete) == (5, 6, 1)


def test_until_moves_every_section() -> None:
    """What ends there ends in inputs, too; one that has shown nothing goes along."""
    world = two(within=4)
    world.epoch(a=(1, 20))
    clock = world.drain(until=50)
    assert (clock.now, clock.complete) == (50, 16)
    assert [world.clocks[name].now for name in ("m.a", "m.b")] == [50, 50]


def test_a_strict_drain_completes_sections_and_nothing_lags() -> None:
    """Whatever comes later to any input is late: the sink cannot take it back."""
    world = two(lag=7, within=4)
    world.epoch(a=(1, 20), b=(1, 5))
    clock = world.drain(strict=True)
    assert (clock.complete, clock.frozen, clock.stable("m")) == (21, 21, 21)
    assert [world.clocks[name].complete for name in ("m.a", "m.b")] == [21, 21]
    judges = world.timings.judges(world.clocks, world.streams)
    assert {judges.of[name].complete for name in "ab"} == {21}


def test_nothing_goes_back() -> None:
    world = two(lag=7)
    world.drain(until=30, strict=True)
    clock = world.epoch(a=(32, 33))
    assert (clock.complete, clock.stable("m")) == (31, 31)


def test_corrections_reach_back_where_they_may_come() -> None:
    """The input that keeps rows is frozen less far; the merge goes by the other."""
    streams = [stream("a", kept=10), stream("b")]
    world = World(streams, [Merge("m", {"m.a": ["a"], "m.b": ["b"]})])
    assert world.epoch(a=(1, 20)).frozen == 10
    assert world.epoch(b=(1, 15)).frozen == 15
    assert (world.clocks["m.a"].complete, world.clocks["m.a"].frozen) == (20, 10)


def test_a_merge_within_a_merge() -> None:
    inner = Merge("m", {"n.m.m.a": ["a"], "n.m.m.b": ["b"]}, lag=2, section="n.m")
    outer = Merge("n", {"n.m": ["m"], "n.c": ["c"]}, lag=1)
    world = World([stream(n) for n in "abc"], [inner, outer])
    clock = world.epoch(a=(1, 10), b=(2, 12), c=(1, 4))
    assert (clock.now, clock.complete) == (12, 9)
    assert world.clocks["n.m"].complete == 10
    assert inner.path == "n.m.m" and clock.first(["n"]) == 1


def test_a_stream_of_several_readers_is_judged_by_the_furthest() -> None:
    """They share its archive: what one has not taken, another must not put there."""
    streams = [stream("a", merged=False), stream("b")]
    world = World(streams, [Merge("m", {"m.a": ["a"], "m.v": ["a", "b"]})])
    world.epoch(a=(1, 20), b=(1, 5))
    judges = world.timings.judges(world.clocks, world.streams)
    assert judges.of["a"].complete == 20
    assert judges.of["b"].complete == 5


def test_a_merge_whose_rows_tell_its_stable_has_that_of_the_epoch_before() -> None:
    merge = Merge("m", {"m.a": ["a"]}, held=True)
    timings = Timings([stream("a")], [merge])
    clocks = {each.name: Clock() for each in timings.every}
    arrivals = Arrivals({"a": (1, 9)}, {}, frozenset(), held={"m": 4})
    assert timings.advanced(clocks, arrivals)[PROGRAM].complete == 4


def test_of_several_readers_one_tells_of_dead_letters() -> None:
    streams = [stream("a", merged=False), stream("b")]
    timings = Timings(streams, [Merge("m", {"m.b": ["b"], "m.v": ["b", "a"]})])
    assert timings.tellers == {"a": PROGRAM, "b": "m.b"}
