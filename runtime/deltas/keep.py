"""Elements that must be had again in later epochs, and cannot be read from an archive."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ..elements.columns import FOREVER, VE, VS
from ..elements.deltas import Intervals, Slice
from ..epoch.context import Epoch
from ..ledger.files import DataFile
from ..state.store import Dead, Fold


def kept(e: Epoch, name: str, intervals: Intervals, until: int | None = None) -> Intervals:
    """The same elements with a past: the archive's where they have one, else state of their own.

    The state is partitioned by epoch of arrival and pruned by the files' `_ve` ranges (UPA 5.3.2: WK with announced
    ends); what ended before `complete` is dropped with whole files. With `until`, only elements that still begin or end
    after that instant are kept.
    """
    if intervals.past is not None:
        return intervals
    alive = intervals.frame
    if alive is not None:
        alive = alive.where(F.col(VE) > e.complete)
        if until is not None:
            ends_later = (F.col(VE) > until) & (F.col(VE) < FOREVER)
            alive = alive.where(ends_later | (F.col(VS) > until))
    e.state.add(name, alive, _live(e.complete), _ended(e.complete))
    return replace(intervals, past=lambda wanted: _earlier(e, name, wanted))


def _earlier(e: Epoch, name: str, wanted: Slice) -> DataFrame | None:
    return e.state.read(name, wanted)


def _live(complete: int) -> Fold:
    return lambda frame: frame.where(F.col(VE) > complete)


def _ended(complete: int) -> Dead:
    def dead(file: DataFile) -> bool:
        return VE in file.high and file.high[VE] <= complete

    return dead
