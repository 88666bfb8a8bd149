"""Holding back what lies at or after a frontier until the frontier passes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeVar

from pyspark.sql import DataFrame

from ..elements.columns import FOREVER, TICK, VE, VS, T, W, big, quote
from ..elements.context import Epoch, Frontiers, Ranged
from ..elements.deltas import Intervals, Points, consolidate, union
from .once import shared

Delta = TypeVar("Delta", Intervals, Points)
Frontier = Literal["now", "complete", "frozen"]


def hold(e: Epoch, name: str, delta: Delta, until: Frontier) -> Delta:
    """What lies before a frontier: of this epoch, and of earlier epochs what the frontier has now
    passed.

    now: instants up to `now`; complete: EMIT FINAL; frozen: EMIT FROZEN. A correction behind the
    frontier goes straight through.
    """
    if until != "now":
        delta = _corrected(e, name, delta, _frontier(e.frontiers[1], until))
    # What a replay says has no place in the order of arrival.
    delta = delta.unordered()
    if isinstance(delta, Points):
        # What waits and what passes are two writes.
        delta = shared(e, delta)
    instant = VS if isinstance(delta, Intervals) else T
    parent, clock = e.frontiers
    before, after = _frontier(parent, until), _frontier(clock, until)
    later, passed = f"{instant} >= {big(after)}", f"{instant} < {big(after)}"
    earlier = e.state.read(name)
    released = None
    if earlier is not None and after > before:
        released = earlier.where(f"{instant} >= {big(before)} AND {passed}")

    def dead(file: Ranged) -> bool:
        return instant in file.high and file.high[instant] < after

    waiting = None if delta.frame is None else delta.frame.where(later)
    e.state.add(name, waiting, lambda frame: _summed(frame.where(later), delta), dead)
    through = None if delta.frame is None else delta.frame.where(passed)
    frame = union(through, released)
    if isinstance(delta, Intervals):
        return Intervals(delta.columns, frame, None, delta.ends)
    summed = None if frame is None else _summed(frame, delta)
    return Points(delta.columns, summed, reported=delta.reported)


def _corrected(e: Epoch, name: str, delta: Delta, after: int) -> Delta:
    """The delta with what a replay corrects: what it says of instants from the frontier on waits
    with the rest.
    """
    known = e.corrections(f"hold {name}", delta)
    if known is None or known.frame is None:
        return delta
    frame = e.closed(known).frame
    assert frame is not None
    if isinstance(known, Intervals) and e.since >= after:
        columns = [quote(column) for column in known.columns]
        frame = frame.selectExpr(*columns, _open_until(e.since))
    return replace(delta, frame=union(delta.unordered().frame, frame), ordered=False)


def _open_until(since: int) -> str:
    """SQL: an element that ends at an instant as one without an end, less what is too much."""
    for_ever, at = big(FOREVER), big(since)
    whole = f"named_struct('{VS}', {VS}, '{VE}', {VE}, '{W}', {W})"
    open_ = f"named_struct('{VS}', {VS}, '{VE}', {for_ever}, '{W}', {W})"
    rest = f"named_struct('{VS}', {at}, '{VE}', {for_ever}, '{W}', -{W})"
    return f"inline(CASE WHEN {VE} = {at} THEN array({open_}, {rest}) ELSE array({whole}) END)"


def _summed(frame: DataFrame, delta: Intervals | Points) -> DataFrame:
    return frame if isinstance(delta, Intervals) else consolidate(frame, delta.columns, T)


def _frontier(clock: Frontiers, until: Frontier) -> int:
    """The instant before which everything passes."""
    if until == "now":
        return clock.now + TICK
    return clock.closed if until == "complete" else clock.frozen
