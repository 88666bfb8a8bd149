"""What an input of a merge has told, as the entries of R3 and R4 remember it (LMERGE IV-D, IV-E):
so no input needs a memory of its own, and state does not grow with their number.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from ...elements.columns import VE, VS, W, quote
from ...elements.context import Epoch
from ...elements.deltas import consolidate
from ..touched import is_large, with_keys
from .inputs import Standing


@dataclass(frozen=True)
class Remembered:
    """The memory of one input of a merge (`reconstitute.Memory`): of `who`, whose columns are
    `own`. `state` and `columns`: those of the merge, `was`: where it stood; `multiset`: by R4.

    An entry is kept until all is said about it; the merge forgets entries that begin before its
    frontier, and an input that is behind may still tell of those.
    """

    e: Epoch
    state: str
    columns: tuple[str, ...]
    was: Standing
    multiset: bool
    who: str
    own: tuple[str, ...]

    @property
    def forgotten(self) -> int:
        return self.was.frontier

    def known(self, adjusts: DataFrame) -> DataFrame | None:
        stored = self.e.state.read(self.state)
        if stored is None or self.who not in self.was.names:
            return None
        pairs = zip(self.columns, self.own, strict=True)
        names = [f"{quote(column)} AS {quote(own)}" for column, own in pairs]
        said = f"get(_ends, {self.was.names.index(self.who)})"
        if self.multiset:
            ends = stored.selectExpr(*names, VS, f"inline({said})", W)
            events = ends.selectExpr(*map(quote, self.own), VS, f"ve AS {VE}", f"n * {W} AS {W}")
        else:
            events = stored.selectExpr(*names, VS, f"{said} AS {VE}", W).where(f"{VE} IS NOT NULL")
        if is_large(self.e, self.state):
            events = with_keys(self.e, events, (*self.own, VS), adjusts)
        return consolidate(events, self.own, VS, VE)

    def remember(self, delta: DataFrame) -> None:
        """The merge takes it in."""


def remembers(variant: str) -> bool:
    """Whether an algorithm has entries, which say what each input has told."""
    return variant in ("R3", "R4")
