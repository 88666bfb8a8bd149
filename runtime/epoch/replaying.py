"""Corrections of answers that are complete, from slices of the archives (REPLAY 3, 4; DESIGN 5).

The delta program runs over the slices as they were and as they are now, from nothing; the new
answers less the old ones, below the instant `since`, are the corrections. What lies at `since` and
after it the epoch corrects itself, from state.

It takes one run for both where answers move with their rows in time: the slices as they were are
so far back in it that nothing of them is left when those begin that are as now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ..connect.declarations import Replay
from ..elements.columns import ADDED, DAWN, TICK, VE, VS, T, W, big, quote
from ..elements.context import Dead, Fold, State
from ..elements.deltas import AnyDelta, Intervals, Points, Slice, consolidate, union
from ..ledger.clock import Clock, StreamClock
from .context import EpochContext
from .slices import Slices


class NoState:
    """The state of a run from nothing, of which nothing is kept."""

    scans = False

    def of(self, section: str) -> NoState:
        return self

    def read(self, name: str, wanted: Slice | None = None) -> DataFrame | None:
        return None

    def rows(self, name: str) -> int:
        return 0

    def let_go(self, complete: int, lazily: bool = False) -> int:
        return complete

    def is_small(self, name: str) -> bool:
        return True

    def replace(self, name: str, frame: DataFrame) -> None:
        pass

    def add(
        self,
        name: str,
        frame: DataFrame | None,
        fold: Fold,
        dead: Dead | None = None,
        raw: bool = False,
    ) -> None:
        pass


@dataclass
class ReplayContext(EpochContext):
    """A run over slices: its first epoch and its last. `sides`: as they were (False), and with what
    was added (True). `left`: the state that earlier epochs left. `answers`: what arrived at each
    place at which corrections are taken.
    """

    slices: Slices = field(kw_only=True)
    left: State = field(kw_only=True)
    sides: tuple[bool, ...] = (False, True)
    answers: dict[str, AnyDelta] = field(default_factory=dict)

    @property
    def is_replay(self) -> bool:
        return True

    @property
    def rows(self) -> int:
        return self.slices.read

    @property
    def earlier(self) -> State:
        return self.left

    @property
    def stretches(self) -> Sequence[tuple[int, int]]:
        return [(each.low, each.high) for each in self.slices.stretches]

    @property
    def is_fresh(self) -> bool:
        return False

    @property
    def start(self) -> int:
        return self.since

    def elements(
        self, name: str, ordered: bool = False, as_arrived: bool = False, net: bool = False
    ) -> Intervals:
        """The rows of the slices. What goes by rows as they arrived is not corrected."""
        _, stream = self.streams[name]
        frame = None if as_arrived else self._sliced(name, ordered)
        past = None if stream.keep is None else _nothing
        return Intervals(tuple(stream.columns), frame, past, ordered=ordered)

    def _sliced(self, name: str, ordered: bool) -> DataFrame | None:
        """The rows as they were, or as they are now."""
        frames = [self._sliced_of(name, added, ordered) for added in self.sides]
        return self._together(union(*frames))

    def _sliced_of(self, name: str, added: bool, ordered: bool) -> DataFrame | None:
        """The rows of the slices that were there, or those that were added."""
        if self.slices.at_hand is not None:
            rows = self.slices.at_hand.frames.get(name)
            if rows is None:
                return None
            rows = rows.where(ADDED if added else f"NOT {ADDED}")
            return self._elements_of(name, rows, ordered)
        old = self.slices.old.get(name, ())
        files = self.slices.new.get(name, ())[len(old) :] if added else old
        frame = self._frame(name, files, ordered, as_arrived=False)
        return None if frame is None else frame.where(self.slices.condition(name))

    def _together(self, frame: DataFrame | None) -> DataFrame | None:
        """One partition, where all are: Spark would not see that of a union."""
        return frame.coalesce(1) if frame is not None and self.in_one_partition else frame

    def reject(self, frame: DataFrame, of: str) -> None:
        """What cannot be computed was rejected when it came."""

    def output(self, query: str, write: Callable[[], dict[str, Any]]) -> None:
        """Nothing is written."""

    def corrections(self, place: str, delta: AnyDelta) -> AnyDelta | None:
        self.answers[place] = delta
        return None


@dataclass
class BothContext(ReplayContext):
    """One run over the slices as they were, all of it earlier by `apart`, and as they are now."""

    apart: int = 0

    def first(self, query_streams: list[str]) -> tuple[int | None, int | None]:
        """Before all rows: what was there over nothing was so before and after."""
        _, first = super().first(query_streams)
        return None, None if first is None else self.slices.low - self.apart - TICK

    def _sliced(self, name: str, ordered: bool) -> DataFrame | None:
        twice = self._sliced_of(name, False, ordered)
        if twice is not None:
            instants = f"explode(array({VS} - {big(self.apart)}, {VS})) AS {VS}"
            columns = [instants if column == VS else quote(column) for column in twice.columns]
            twice = twice.selectExpr(*columns)
        return self._together(union(twice, self._sliced_of(name, True, ordered)))


def corrections(
    context: EpochContext, evaluate: Callable[[EpochContext], None], replay: Replay, found: Slices
) -> dict[str, AnyDelta]:
    """Place -> what is wrong in the answers below `found.until`, in pieces that end there at the
    latest; changes at instants are left open.
    """
    apart = _apart(context, replay, found)
    if apart is not None:
        both = run(context, evaluate, found, BothContext, apart=apart)
        made = {place: _told_apart(both[place], found, apart) for place in replay.places}
    else:
        before = context.parent.clock.streams
        old = run(context, evaluate, found, ReplayContext, before, sides=(False,))
        new = run(context, evaluate, found, ReplayContext)
        made = {place: _difference(new[place], old[place], found.until) for place in replay.places}
    return {place: delta for place, delta in made.items() if delta is not None}


def _apart(context: EpochContext, replay: Replay, found: Slices) -> int | None:
    """How much earlier the slices as they were can lie so that one run takes both; None: it needs
    two runs.
    """
    if replay.step is None or found.low == DAWN:
        return None
    before, now = context.parent.clock.streams, context.clock.streams
    for name in context.streams:
        # An answer over nothing begins with the first element.
        if before.get(name, _UNSEEN).first != now.get(name, _UNSEEN).first:
            return None
    least = found.until - found.low + replay.need + replay.step + TICK
    apart = -(-least // replay.step) * replay.step
    return apart if found.low - apart > DAWN else None


_UNSEEN: Final = StreamClock()


def _nothing(wanted: Slice) -> DataFrame | None:
    return None


def run(
    context: EpochContext,
    evaluate: Callable[[EpochContext], None],
    found: Slices,
    kind: Callable[..., ReplayContext],
    streams: Mapping[str, StreamClock] | None = None,
    **more: Any,
) -> dict[str, AnyDelta]:
    """What arrives at each place. Views and shared frames are the epoch's own."""
    until = found.until
    streams = context.clock.streams if streams is None else streams
    given = {each.name: getattr(context, each.name) for each in fields(EpochContext) if each.init}
    own = {
        "parent": replace(context.parent, epoch=0, clock=Clock()),
        "clock": Clock(until - TICK, until, until, until, streams),
        "state": NoState(),
    }
    run = kind(**{**given, **own}, slices=found, left=context.state, **more)
    evaluate(run)
    return run.answers


def _told_apart(both: AnyDelta, found: Slices, apart: int) -> AnyDelta | None:
    """New less old below an instant, of answers of one run."""
    frame = both.unordered().frame
    if frame is None:
        return None
    names = [quote(column) for column in both.columns]
    if isinstance(both, Intervals):
        earlier = f"{VS} < {big(found.low)}"
        start = f"CASE WHEN {earlier} THEN {VS} + {big(apart)} ELSE {VS} END AS {VS}"
        # Of what has no end, too, nothing is said beyond the instant.
        until = big(found.until - apart)
        moved = f"least({VE}, {until}) + {big(apart)}"
        end = f"CASE WHEN {earlier} THEN {moved} ELSE least({VE}, {big(found.until)}) END AS {VE}"
        weight = f"CASE WHEN {earlier} THEN -{W} ELSE {W} END AS {W}"
        told = frame.selectExpr(*names, start, end, weight).where(f"{VS} < {big(found.until)}")
        return Intervals(both.columns, consolidate(told, both.columns, VS, VE), None, True)
    earlier = f"{T} < {big(found.until - apart)}"
    instant = f"CASE WHEN {earlier} THEN {T} + {big(apart)} ELSE {T} END AS {T}"
    weight = f"CASE WHEN {earlier} THEN -{W} ELSE {W} END AS {W}"
    # What holds over nothing has begun before; and what leaves behind the instant is not asked for.
    asked = f"{T} >= {big(found.low - apart)} AND ({earlier} OR {T} >= {big(found.low)})"
    told = frame.where(asked).selectExpr(*names, instant, weight)
    return Points(both.columns, told.where(f"{T} < {big(found.until)}"))


def _difference(new: AnyDelta, old: AnyDelta, until: int) -> AnyDelta | None:
    """New less old below an instant."""
    both = union(new.unordered().frame, _negated(old.unordered().frame))
    if both is None:
        return None
    if isinstance(new, Points):
        return Points(new.columns, both.where(f"{T} < {big(until)}"))
    names = [quote(column) for column in new.columns]
    end = f"least({VE}, {big(until)}) AS {VE}"
    clipped = both.where(f"{VS} < {big(until)}").selectExpr(*names, VS, end, W)
    return Intervals(new.columns, consolidate(clipped, new.columns, VS, VE), None, True)


def _negated(frame: DataFrame | None) -> DataFrame | None:
    return None if frame is None else frame.withColumn(W, F.expr(f"-{W}"))
