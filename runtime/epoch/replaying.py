"""Corrections of answers that are complete, from slices of the archives (REPLAY 3, 4; DESIGN 5).

The delta program runs over the slices as they were and as they are now, from nothing; the new
answers less the old ones, below the instant `since`, are the corrections. What lies at `since` and
after it the epoch corrects itself, from state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ..connect.declarations import Replay
from ..elements.columns import TICK, VE, VS, T, W, big, listed, quote
from ..elements.context import Dead, Fold
from ..elements.deltas import AnyDelta, Intervals, Points, Slice, consolidate, union
from ..ledger.clock import Clock, StreamClock
from ..ledger.files import DataFile
from .context import EpochContext
from .slices import Slices


class NoState:
    """The state of a run from nothing, of which nothing is kept."""

    scans = False

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
    """A run over slices: its first epoch and its last. `answers`: what arrived at each place at
    which corrections are taken.
    """

    slices: Mapping[str, tuple[DataFile, ...]] = field(default_factory=dict)
    condition: str = "TRUE"
    elements_read: int = 0
    answers: dict[str, AnyDelta] = field(default_factory=dict)

    @property
    def is_replay(self) -> bool:
        return True

    @property
    def rows(self) -> int:
        return self.elements_read

    @property
    def is_fresh(self) -> bool:
        return False

    @property
    def start(self) -> int:
        return self.since

    def elements(self, name: str, ordered: bool = False, as_arrived: bool = False) -> Intervals:
        """The rows of the slices."""
        _, stream = self.streams[name]
        frame = self._frame(name, self.slices.get(name, ()), ordered, as_arrived)
        frame = None if frame is None else frame.where(self.condition)
        past = None if stream.keep is None else _nothing
        return Intervals(tuple(stream.columns), frame, past, ordered=ordered)

    def reject(self, frame: DataFrame) -> None:
        """What cannot be computed was rejected when it came."""

    def output(self, query: str, write: Callable[[], dict[str, Any]]) -> None:
        """Nothing is written."""

    def corrections(self, place: str, delta: AnyDelta) -> AnyDelta | None:
        self.answers[place] = delta
        return None


def corrections(
    context: EpochContext, evaluate: Callable[[EpochContext], None], replay: Replay, found: Slices
) -> dict[str, AnyDelta]:
    """Place -> what is wrong in the answers below `found.until`, as deltas that end there."""
    before = context.parent.clock.streams
    old = _run(context, evaluate, found, found.old, before)
    new = _run(context, evaluate, found, found.new, context.clock.streams)
    made = {
        place: _difference(context, new[place], old[place], found.until) for place in replay.places
    }
    return {place: delta for place, delta in made.items() if delta is not None}


def _nothing(wanted: Slice) -> DataFrame | None:
    return None


def _run(
    context: EpochContext,
    evaluate: Callable[[EpochContext], None],
    found: Slices,
    files: Mapping[str, tuple[DataFile, ...]],
    streams: Mapping[str, StreamClock],
) -> dict[str, AnyDelta]:
    """What arrives at each place. Views and shared frames are the epoch's own."""
    until = found.until
    given = {each.name: getattr(context, each.name) for each in fields(EpochContext) if each.init}
    run = ReplayContext(
        **{
            **given,
            "parent": replace(context.parent, epoch=0, clock=Clock()),
            "clock": Clock(until - TICK, until, until, until, streams),
            "state": NoState(),
            "slices": files,
            "condition": found.condition,
            "elements_read": found.rows,
        }
    )
    evaluate(run)
    return run.answers


def _difference(e: EpochContext, new: AnyDelta, old: AnyDelta, until: int) -> AnyDelta | None:
    """New less old below an instant, at which it ends."""
    if isinstance(new, Intervals) and isinstance(old, Intervals):
        return _of_intervals(new, old, until)
    assert isinstance(new, Points) and isinstance(old, Points)
    return _of_points(e, new, old, until)


def _of_intervals(new: Intervals, old: Intervals, until: int) -> Intervals | None:
    both = union(new.unordered().frame, _negated(old.unordered().frame))
    if both is None:
        return None
    names = [quote(column) for column in new.columns]
    end = f"least({VE}, {big(until)}) AS {VE}"
    clipped = both.where(f"{VS} < {big(until)}").selectExpr(*names, VS, end, W)
    return Intervals(new.columns, consolidate(clipped, new.columns, VS, VE), None, True)


def _of_points(e: EpochContext, new: Points, old: Points, until: int) -> Points | None:
    both = union(new.unordered().frame, _negated(old.unordered().frame))
    if both is None:
        return None
    below = both.where(f"{T} < {big(until)}")
    changes = e.view(e.share(consolidate(below, new.columns, T)))
    names = listed(new.columns)
    rest = f"SELECT {names}, {big(until)} AS {T}, -SUM({W}) AS {W} FROM {changes} GROUP BY {names}"
    ends = f"SELECT * FROM ({rest}) WHERE {W} <> 0"
    closed = f"SELECT {names}, {T}, {W} FROM {changes} UNION ALL {ends}"
    return Points(new.columns, e.sql(closed))


def _negated(frame: DataFrame | None) -> DataFrame | None:
    return None if frame is None else frame.withColumn(W, F.expr(f"-{W}"))
