"""Which slices of the archives an epoch's corrections replay (REPLAY 4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from ..archive.index import rows_within
from ..connect.declarations import Replay
from ..elements.columns import DAWN, VS, big
from ..ledger.files import DataFile
from ..ledger.manifest import Manifest
from ..ledger.storage import Storage
from .landing import Landed

MOST: Final = 64
"""Stretches of an epoch: more would make a condition that is long to plan."""


@dataclass(frozen=True, order=True)
class Stretch:
    """The instants `[low, high)`."""

    low: int
    high: int

    def meets(self, file: DataFile) -> bool:
        """Whether a file may have rows of the stretch."""
        return file.low[VS] < self.high and file.high[VS] >= self.low


@dataclass(frozen=True)
class Slices:
    """What is replayed: stretches in order that do not meet, all below `until`, and for each stream
    the files that may have rows of them, as they were and as they are now.
    """

    until: int
    stretches: tuple[Stretch, ...]
    old: Mapping[str, tuple[DataFile, ...]]
    new: Mapping[str, tuple[DataFile, ...]]

    @property
    def rows(self) -> int:
        """About how many rows the files have of them, each counted once."""
        files = [file for files in self.new.values() for file in files]
        return sum(rows_within(f, s.low, s.high) for f in files for s in self.stretches)

    @property
    def condition(self) -> str:
        """SQL over `_vs`: the row lies in a stretch."""
        each = (f"({VS} >= {big(s.low)} AND {VS} < {big(s.high)})" for s in self.stretches)
        return " OR ".join(each)


def slices(
    spark: SparkSession, storage: Storage, replay: Replay, parent: Manifest, landed: Landed
) -> Slices | None:
    """What the corrections that landed make replay; None if they are none of complete instants.

    ALL takes whatever is archived. MINIMAL takes what the lineage function says: a row reaches
    answers up to `reach` of its stream after it, which depend on rows up to `need` before them. It
    costs a Spark job where corrections lie further apart than that.
    """
    until = parent.clock.complete
    changed = {name: landed.revised_before(name, until) for name in replay.reach}
    found: list[Stretch] = []
    for name, files in changed.items():
        lineage = _Lineage(replay.need, replay.reach[name], until)
        found += lineage.stretches(spark, storage, files)
    if not found:
        return None
    if replay.slices == "all":
        found = [Stretch(DAWN, until)]
    stretches = at_most(merged(found), MOST)
    known = {name: parent.archive[name].files for name in replay.reach if name in parent.archive}
    old = {name: _meeting(files, stretches) for name, files in known.items()}
    new = {name: (*old.get(name, ()), *files) for name, files in changed.items()}
    return Slices(until, stretches, old, new)


def merged(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """The same instants as stretches in order that neither meet nor touch."""
    found: list[Stretch] = []
    for each in sorted(stretches):
        if found and each.low <= found[-1].high:
            found[-1] = Stretch(found[-1].low, max(found[-1].high, each.high))
        else:
            found.append(each)
    return tuple(found)


def at_most(stretches: tuple[Stretch, ...], number: int) -> tuple[Stretch, ...]:
    """So many stretches: those that lie nearest to each other become one."""
    if len(stretches) <= number:
        return stretches
    gaps = [(stretches[i + 1].low - stretches[i].high, i) for i in range(len(stretches) - 1)]
    cuts = sorted(i + 1 for _, i in sorted(gaps, reverse=True)[: number - 1])
    bounds = [0, *cuts, len(stretches)]
    parts = pairwise(bounds)
    return tuple(Stretch(stretches[i].low, stretches[j - 1].high) for i, j in parts)


@dataclass(frozen=True)
class _Lineage:
    """The lineage function of one stream."""

    need: int
    reach: int
    until: int

    def stretches(
        self, spark: SparkSession, storage: Storage, files: Sequence[DataFile]
    ) -> Iterator[Stretch]:
        """What is replayed for the corrections in some files."""
        if not files:
            return
        # Two rows nearer to each other than this have stretches that meet or touch.
        near = max(self.need + self.reach - 1, 1)
        least = min(file.low[VS] for file in files)
        largest = min(max(file.high[VS] for file in files), self.until - 1)
        if largest - least < near:
            yield self._of(least, largest)
            return
        paths = [storage.spark_path(file.path) for file in files]
        rows = spark.read.schema(f"{VS} BIGINT").parquet(*paths).where(f"{VS} < {big(self.until)}")
        together = rows.groupBy(F.expr(f"floor({VS} / {near})"))
        ends = together.agg(F.min(VS).alias("least"), F.max(VS).alias("largest"))
        for row in ends.toArrow().to_pylist():
            yield self._of(row["least"], row["largest"])

    def _of(self, least: int, largest: int) -> Stretch:
        return Stretch(least - self.need + 1, min(largest + self.reach, self.until))


def _meeting(files: Sequence[DataFile], stretches: Sequence[Stretch]) -> tuple[DataFile, ...]:
    return tuple(file for file in files if any(each.meets(file) for each in stretches))
