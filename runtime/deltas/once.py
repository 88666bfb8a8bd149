"""Deltas that several steps of an epoch read."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame

from ..elements.context import Epoch
from ..elements.deltas import Intervals
from .linear import Delta


def shared(e: Epoch, delta: Delta, at_once: bool = False) -> Delta:
    """The same delta, computed once an epoch however many steps read it, or state and answer both;
    `at_once`: as `computed`.

    Without it every level of operators over points would compute those below it twice.
    """
    return delta if delta.frame is None else _of(delta, e.share(delta.frame, at_once))


def computed(e: Epoch, delta: Delta) -> Delta:
    """The same delta, computed now in small epochs whose plans are cut.

    A task brings along how its rows are made, back to a shuffle or to rows that are there: in deep
    programs that takes longer than the rows, and at last more stack than Java has.
    """
    return delta if delta.frame is None else _of(delta, e.compute(delta.frame))


def planned_once(e: Epoch, delta: Intervals) -> Intervals:
    """The same elements, whose frame several steps of this epoch read: shared if it is dear to plan
    and the epoch small.
    """
    if delta.frame is None or not delta.dear:
        return delta
    return _of(delta, e.plan_once(delta.frame))


def _of(delta: Delta, frame: DataFrame) -> Delta:
    """The delta with a frame that is kept."""
    if isinstance(delta, Intervals):
        return replace(delta, frame=frame, dear=False)
    return replace(delta, frame=frame)
