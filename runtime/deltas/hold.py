"""Holding back what lies at or after a frontier until the frontier passes it."""

from __future__ import annotations

from typing import Literal, TypeVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ..elements.columns import T, TICK, VS, W
from ..elements.deltas import Intervals, Points, cols, union
from ..epoch.context import Epoch
from ..ledger.clock import Clock
from ..ledger.files import DataFile

Delta = TypeVar("Delta", Intervals, Points)
Frontier = Literal["now", "complete", "frozen"]


def hold(e: Epoch, name: str, delta: Delta, until: Frontier) -> Delta:
    """What lies before a frontier: of this epoch, and of earlier epochs what the frontier has now passed.

    now: instants up to `now`; complete: EMIT FINAL; frozen: EMIT FROZEN. A correction behind the frontier goes
    straight through.
    """
    instant = VS if isinstance(delta, Intervals) else T
    before, after = _frontier(e.parent.clock, until), _frontier(e.clock, until)
    earlier = e.state.read(name)
    released = None
    if earlier is not None and after > before:
        released = earlier.where((F.col(instant) >= before) & (F.col(instant) < after))
    waiting = None if delta.frame is None else delta.frame.where(F.col(instant) >= after)

    def still_waiting(frame: DataFrame) -> DataFrame:
        return _summed(frame.where(F.col(instant) >= after), delta)

    def dead(file: DataFile) -> bool:
        return instant in file.high and file.high[instant] < after

    e.state.add(name, waiting, still_waiting, dead)
    through = None if delta.frame is None else delta.frame.where(F.col(instant) < after)
    passed = union(through, released)
    if isinstance(delta, Intervals):
        return Intervals(delta.columns, passed)
    return Points(delta.columns, None if passed is None else _summed(passed, delta))


def _summed(frame: DataFrame, delta: Intervals | Points) -> DataFrame:
    if isinstance(delta, Intervals):
        return frame
    keys = [*cols(delta.columns), F.col(T)]
    return frame.groupBy(*keys).agg(F.sum(W).alias(W)).where(F.col(W) != 0)


def _frontier(clock: Clock, until: Frontier) -> int:
    """The instant before which everything passes."""
    if until == "now":
        return clock.now + TICK
    return clock.closed if until == "complete" else clock.frozen
