"""Elements that must be had again in later epochs, and cannot be read from an archive."""

from __future__ import annotations

from dataclasses import replace

from ..elements.columns import FOREVER, VE, VS, big
from ..elements.context import Dead, Epoch
from ..elements.deltas import Intervals
from .once import planned_once


def keep_rows(e: Epoch, name: str, intervals: Intervals) -> Intervals:
    """The same elements, kept here: few of the archive's rows pass the filter below."""
    return kept(e, name, replace(intervals, past=None), ordered=intervals.ordered)


def kept(
    e: Epoch,
    name: str,
    intervals: Intervals,
    until: int | None = None,
    ordered: bool = False,
) -> Intervals:
    """The same elements with a past: the archive's where they have one, else state of their own.

    The state is partitioned by epoch of arrival and pruned by the files' `_ve` ranges (UPA 5.3.2:
    WK with announced ends); what ended before `complete` is dropped with whole files, as often as
    the program's settings say. With `until`, only elements that still begin or end after that
    instant are kept: their ends are reported, so they are let go eagerly.
    Their place in the order of arrival is left out, unless `ordered`.
    """
    if not ordered:
        intervals = intervals.unordered()
    if intervals.past is not None:
        return intervals
    intervals = planned_once(e, intervals)
    condition = f"{VE} > {big(e.complete)}"
    if until is not None:
        later = f"({VE} > {big(until)} AND {VE} < {big(FOREVER)}) OR {VS} > {big(until)}"
        condition = f"{condition} AND ({later})"
    alive = None if intervals.frame is None else intervals.frame.where(condition)
    live = f"{VE} > {big(e.complete)}"
    gone = ended(e.state.let_go(e.complete, lazily=until is None))
    e.state.add(name, alive, lambda frame: frame.where(live), gone)
    return replace(intervals, past=lambda wanted: e.state.read(name, wanted))


def ended(complete: int) -> Dead:
    """Files of which every element ended by `complete`."""
    return lambda file: VE in file.high and file.high[VE] <= complete
