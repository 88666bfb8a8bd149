"""How often ended rows are let go, and how rows with announced ends lie in files (UPA 5.3.1,
5.3.2).

None of this changes an answer: what ended rows would add is cut off wherever state is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pyspark.sql import DataFrame

from ..elements.columns import VE


@dataclass(frozen=True)
class Expiration:
    """Intervals in microseconds or ticks, `max_delay` in microseconds; None: what suits as a rule.

    `eager_interval` is for state whose ends are reported, `lazy_interval` for state of joins and
    contents of groups. `max_delay`: an epoch is made after so much time without arrivals. Rows with
    an end are written into `partitions` files an epoch, by ranges of their ends, and lie in each by
    `expiry` or as they were inserted. `scans`: files are read whole and kept until they are folded,
    whatever is known about the ends in them.
    """

    eager_interval: int | None = None
    lazy_interval: int | None = None
    max_delay: int | None = None
    partitions: int | None = None
    order: Literal["expiry", "insertion"] | None = None
    scans: bool = False

    def frontier(self, complete: int, lazily: bool) -> int:
        """What ended by then may go: `complete`, or the last multiple of the interval before."""
        interval = self.lazy_interval if lazily else self.eager_interval
        return complete if interval is None else complete - complete % interval

    def laid_out(self, frame: DataFrame) -> DataFrame:
        """A frame of state as it is to be written; one without announced ends stays as it is."""
        if VE not in frame.columns:
            return frame
        if self.partitions is not None:
            frame = frame.repartitionByRange(self.partitions, VE)
        return frame.sortWithinPartitions(VE) if self.order == "expiry" else frame
