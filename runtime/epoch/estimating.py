"""Corrections of answers that are complete, estimated from a sample (REVISE BY APPROXIMATE; DESIGN
section 5).

Below a group, the delta program is linear in the rows of each stream. So what a correction changes
of the group's input are the elements in which a corrected row is: alone, or with another row that
it meets in a join. Those others are drawn, each standing for as many as its weight says; the
corrected rows are all there. The program runs over both once, from nothing and keeping nothing, and
what arrives at each group is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ..connect.declarations import Replay
from ..connect.sources import struct_column
from ..elements.columns import ADDED, DRAWN, VE, VS, W, big
from ..elements.deltas import AnyDelta, Intervals, union
from .at_hand import rows_of
from .context import EpochContext
from .replaying import ReplayContext, run
from .slices import Slices


@dataclass
class SampleContext(ReplayContext):
    """A run over the corrected rows of the slices and a sample of the others."""

    def elements(
        self, name: str, ordered: bool = False, as_arrived: bool = False, net: bool = False
    ) -> Intervals:
        found = super().elements(name, ordered, as_arrived, net)
        return replace(found, drawn=not as_arrived)

    def _sliced(self, name: str, ordered: bool) -> DataFrame | None:
        """The elements with `_drawn` and `_added`."""
        rows = self._rows(name)
        if rows is None:
            return None
        index, stream = self.streams[name]
        sample = self.slices.sample
        assert sample is not None
        identity = f"CASE WHEN NOT {ADDED} THEN {sample.identity(stream, struct_column(index))} END"
        marked = rows.withColumn(DRAWN, F.expr(identity))
        elements = self._elements_of(name, marked, ordered, more=(DRAWN, ADDED))
        weight = f"CASE WHEN {ADDED} THEN {W} ELSE {W} * {big(sample.weight)} END"
        return self._together(elements.withColumn(W, F.expr(weight)))

    def _rows(self, name: str) -> DataFrame | None:
        """The rows as landed files have them, with `_added`."""
        if self.slices.at_hand is not None:
            return self.slices.at_hand.frames.get(name)
        place = self.streams[name]
        parts = (
            rows_of(self.spark, self.storage, *place, self.slices, added) for added in (False, True)
        )
        return union(*parts)


def estimates(
    context: EpochContext, evaluate: Callable[[EpochContext], None], replay: Replay, found: Slices
) -> dict[str, AnyDelta]:
    """Place -> what is wrong in the input of a group below `found.until`: elements that end there
    at the latest, with `_drawn`.
    """
    made = run(context, evaluate, found, SampleContext)
    return {place: _corrected(made[place], found.until) for place in replay.places}


def _corrected(delta: AnyDelta, until: int) -> AnyDelta:
    """The elements in which a corrected row is, below an instant."""
    assert isinstance(delta, Intervals), "windows by time announce their ends"
    if delta.frame is None:
        return delta
    end = f"least({VE}, {big(until)})"
    wrong = delta.frame.where(f"{ADDED} AND {VS} < {end}").withColumn(VE, F.expr(end))
    return replace(delta, frame=wrong, past=None)
