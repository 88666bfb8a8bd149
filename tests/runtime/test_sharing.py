"""What an epoch keeps, computes at once and lays together, by its size and its master."""

from __future__ import annotations

from typing import Any

import pytest

from reflow.runtime.deltas.once import computed, planned_once, shared
from reflow.runtime.elements.deltas import Intervals, Points
from reflow.runtime.epoch.context import EpochContext


class Frame:
    """Says what it was made by."""

    def __init__(self, made_by: str = "") -> None:
        self.made_by = made_by

    def localCheckpoint(self, eager: bool) -> Frame:
        return Frame("computed" if eager else "cut")

    def persist(self) -> Frame:
        return Frame("persisted")

    def coalesce(self, partitions: int) -> Frame:
        return Frame(f"in {partitions}")


def epoch(one: bool, cut: bool) -> EpochContext:
    """An epoch in one partition, or not; whose plans are cut, or not."""
    no: Any = None
    return EpochContext(
        *(no, no, 1, 0, no, no, no, {}, {}, {}, {}, no), in_one_partition=one, cut=cut
    )


def made_by(delta: Any) -> str:
    frame: Frame = delta.frame
    return frame.made_by


def points(frame: Any) -> Points:
    return Points(("a",), frame)


def made_where_both(name: str) -> list[tuple[tuple[bool, bool], str]]:
    """In one partition whose plans are cut, and nowhere else."""
    return [((True, True), name), ((True, False), ""), ((False, True), ""), ((False, False), "")]


@pytest.mark.parametrize(
    ("way", "lazily", "at_once"),
    [
        ((True, True), "cut", "computed"),
        ((False, True), "cut", "cut"),
        ((True, False), "persisted", "persisted"),
        ((False, False), "persisted", "persisted"),
    ],
)
def test_what_several_read_is_kept(way: tuple[bool, bool], lazily: str, at_once: str) -> None:
    e = epoch(*way)
    delta = points(Frame())
    assert made_by(shared(e, delta)) == lazily
    assert shared(e, delta).frame is shared(e, shared(e, delta)).frame
    assert made_by(shared(epoch(*way), delta, at_once=True)) == at_once


@pytest.mark.parametrize(("way", "made"), made_where_both("computed"))
def test_rows_are_computed_where_no_shuffle_ends_their_history(
    way: tuple[bool, bool], made: str
) -> None:
    assert made_by(computed(epoch(*way), points(Frame()))) == made
    assert computed(epoch(*way), points(None)).frame is None


@pytest.mark.parametrize(("way", "made"), made_where_both("cut"))
def test_dear_elements_are_planned_once_in_small_epochs(way: tuple[bool, bool], made: str) -> None:
    frame: Any = Frame()
    once = planned_once(epoch(*way), Intervals(("a",), frame, dear=True))
    assert made_by(once) == made
    assert not (made and once.dear)
    cheap = Intervals(("a",), frame)
    assert planned_once(epoch(*way), cheap) is cheap


@pytest.mark.parametrize(("way", "made"), made_where_both("in 1"))
def test_joins_are_laid_together_where_all_is_one_partition(
    way: tuple[bool, bool], made: str
) -> None:
    frame: Any = Frame()
    laid: Any = epoch(*way).together(frame)
    assert laid.made_by == made
