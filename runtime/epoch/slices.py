"""Which slices of the archives an epoch's corrections replay (REPLAY 4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from ..archive.index import rows_within
from ..connect.declarations import Replay
from ..connect.sources import struct_column
from ..elements.columns import DAWN, FOREVER, VS, big, quote, string
from ..ledger.files import DataFile
from ..ledger.manifest import Manifest
from ..ledger.storage import Storage
from .corrected import ANY, FEW, Value, corrected_rows, is_one_of, text_of, text_of_column
from .landing import Landed
from .sample import Sample

MOST: Final = 64
"""Stretches of an epoch: more would make a condition that is long to plan."""

MOST_OF_VALUES: Final = 256
"""Stretches of all values together, where only some values are replayed."""

CELLS: Final = 500
"""About so many cells of time have all stretches of all values together."""


@dataclass(frozen=True, order=True)
class Stretch:
    """The instants `[low, high)`."""

    low: int
    high: int

    def meets(self, file: DataFile) -> bool:
        """Whether a file may have rows of the stretch."""
        return file.low[VS] < self.high and file.high[VS] >= self.low


Parts = Mapping[Value, tuple[Stretch, ...]]
"""Value of the column by which the answers fall apart -> its stretches, in order."""


@dataclass(frozen=True)
class AtHand:
    """The rows of the slices as landed files have them, with `_added`, by stream; how many."""

    frames: Mapping[str, DataFrame]
    rows: int


@dataclass(frozen=True)
class Slices:
    """What is replayed: stretches in order that do not meet, all below `until`; the files of each
    stream that may have rows of them, as they were and as they are now. `parts`: which stretches of
    which values of the column `by`; with ANY, of all rows. `sample`: only so many of the rows as
    they were are read; None: all.
    """

    until: int
    stretches: tuple[Stretch, ...]
    old: Mapping[str, tuple[DataFile, ...]]
    new: Mapping[str, tuple[DataFile, ...]]
    parts: Parts = field(default_factory=dict)
    by: Mapping[str, str] = field(default_factory=dict)
    at_hand: AtHand | None = None
    sample: Sample | None = None

    @property
    def some_values(self) -> bool:
        """Whether only the rows with some values are replayed."""
        return bool(self.parts) and ANY not in self.parts

    @property
    def picks(self) -> bool:
        """Whether not all rows of the stretches are replayed."""
        return self.some_values or self.sample is not None

    @property
    def read(self) -> int:
        """How many rows a run reads, as far as is known."""
        return self.looked_through if self.at_hand is None else self.at_hand.rows

    @property
    def looked_through(self) -> int:
        """About how many rows the files have of the stretches, each counted once."""
        return self._within(file for files in self.new.values() for file in files)

    @property
    def rows(self) -> int:
        """The same; of a sample, as many as are drawn."""
        if self.sample is None:
            return self.looked_through
        old = self._within(file for files in self.old.values() for file in files)
        return self.looked_through - old + self.sample.of(old)

    def _within(self, files: Iterable[DataFile]) -> int:
        return sum(rows_within(f, s.low, s.high) for f in files for s in self.stretches)

    @property
    def low(self) -> int:
        """The least instant at which there may be rows."""
        files = (file.low[VS] for files in self.new.values() for file in files)
        return max(self.stretches[0].low, min(files, default=DAWN))

    def condition(self, stream: str, struct: str | None = None) -> str:
        """SQL over the columns of a stream, or of a struct that has them, and `_vs`: the row lies
        in a stretch.
        """
        if not self.some_values:
            return _within(self.stretches)
        column = quote(self.by[stream])
        column = column if struct is None else f"{struct}.{column}"
        if len(set(self.parts.values())) == 1:
            return f"{is_one_of(column, self.parts)} AND ({_within(self.stretches)})"
        # What one look at a row tells comes first.
        some = f"{VS} >= {big(self.stretches[0].low)} AND {VS} < {big(self.stretches[-1].high)}"
        return f"{some} AND {is_one_of(column, self.parts)} AND {_in_cells(column, self.parts)}"


def _in_cells(column: str, parts: Parts) -> str:
    """SQL: the row lies in a part, or so near that it makes no difference: an answer is wrong in
    one run as in the other then. Parts are cut into cells of a value and a length of time, which
    are looked up at once: a comparison with each part would take longer than to read the row.
    """
    whole = sum(each.high - each.low for stretches in parts.values() for each in stretches)
    length = max(whole // CELLS, 1)
    cells = (
        (value, number)
        for value, stretches in parts.items()
        for each in stretches
        for number in range(each.low // length, (each.high - 1) // length + 1)
    )
    texts = ", ".join(
        string(f"{number}|{text_of(value)}") for value, number in dict.fromkeys(cells)
    )
    number = f"({VS} - pmod({VS}, {big(length)})) div {big(length)}"
    return f"concat(CAST({number} AS STRING), '|', {text_of_column(column)}) IN ({texts})"


def _within(stretches: Sequence[Stretch]) -> str:
    each = (f"({VS} >= {big(s.low)} AND {VS} < {big(s.high)})" for s in stretches)
    return " OR ".join(each)


def slices(
    spark: SparkSession,
    storage: Storage,
    replay: Replay,
    parent: Manifest,
    landed: Landed,
    indexes: Mapping[str, int],
) -> Slices | None:
    """What the corrections that landed make replay; None if they are none of complete instants.

    ALL takes whatever is archived. MINIMAL takes what the lineage function says: a row reaches
    answers up to `reach` of its stream after it, which depend on rows up to `need` before them. Of
    answers that fall apart, both take the parts of the values that corrected rows have.
    `indexes`: the place of each stream among the program's.
    """
    until = parent.clock.complete
    changed = {name: landed.revised_before(name, until) for name in replay.reach}
    found: dict[Value, list[Stretch]] = {}
    for name, files in changed.items():
        struct = struct_column(indexes[name])
        lineage = _Lineage(replay.need, replay.reach[name], until, struct, replay.by.get(name))
        for value, stretch in lineage.parts(spark, storage, files):
            found.setdefault(value, []).append(stretch)
    if not found:
        return None
    if replay.slices == "all":
        # What is recorded of windows reaches as far back as corrections do.
        least = parent.clock.frozen - replay.need + 1 if replay.recorded else DAWN
        found = {value: [Stretch(least, until)] for value in found}
    if replay.recorded:
        found = _alike(found)
    parts = _not_too_many({value: merged(each) for value, each in found.items()})
    stretches = at_most(merged(s for each in parts.values() for s in each), MOST)
    read = [name for name in replay.reach if name in parent.archive]
    if replay.percent is not None:
        # What corrected rows do not meet is the same before and after.
        read = [
            name for name in read if any(changed[other] for other in replay.drawn.get(name, ()))
        ]
    known = {name: parent.archive[name].files for name in read}
    old = {name: _meeting(files, stretches) for name, files in known.items()}
    new = {name: (*old.get(name, ()), *files) for name, files in changed.items()}
    sample = None if replay.percent is None else Sample(replay.percent)
    return Slices(until, stretches, old, new, parts, replay.by, sample=sample)


def _alike(found: Mapping[Value, list[Stretch]]) -> dict[Value, list[Stretch]]:
    """The same stretches for all values: what a window has recorded from before a stretch is found
    without knowing of which value a row is.
    """
    every = list(at_most(merged(each for some in found.values() for each in some), MOST))
    alike = len(found) <= MOST_OF_VALUES and ANY not in found
    return dict.fromkeys(found, every) if alike else {ANY: every}


def _not_too_many(parts: Parts) -> Parts:
    """The parts, or where their condition would be long to plan, all values."""
    many = len(set(parts.values())) > 1 and sum(map(len, parts.values())) > MOST_OF_VALUES
    if ANY not in parts and not many:
        return parts
    return {ANY: at_most(merged(s for each in parts.values() for s in each), MOST)}


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
    """The lineage function of one stream, whose rows lie in a struct; `by`: the column by which the
    answers fall apart.
    """

    need: int
    reach: int | None
    until: int
    struct: str
    by: str | None

    def parts(
        self, spark: SparkSession, storage: Storage, files: Sequence[DataFile]
    ) -> Iterator[tuple[Value, Stretch]]:
        """What is replayed for the corrections in some files, by value."""
        if not files:
            return
        least = min(file.low[VS] for file in files)
        largest = min(max(file.high[VS] for file in files), self.until - 1)
        if self.by is None and largest - least < self._near:
            yield ANY, self._of(least, largest)
        elif sum(file.rows for file in files) <= FEW:
            column = None if self.by is None else (self.struct, self.by)
            for value, at in corrected_rows(storage, files, column):
                if at < self.until:
                    yield value, self._of(at, at)
        else:
            yield from ((ANY, stretch) for stretch in self._together(spark, storage, files))

    @property
    def _near(self) -> int:
        """Two rows nearer to each other than this have stretches that meet or touch."""
        return FOREVER if self.reach is None else max(self.need + self.reach - 1, 1)

    def _together(
        self, spark: SparkSession, storage: Storage, files: Sequence[DataFile]
    ) -> Iterator[Stretch]:
        """The stretches of rows that are near to each other; a Spark job."""
        paths = [storage.spark_path(file.path) for file in files]
        if self.reach is None:
            yield self._of(min(file.low[VS] for file in files), self.until)
            return
        rows = spark.read.schema(f"{VS} BIGINT").parquet(*paths).where(f"{VS} < {big(self.until)}")
        together = rows.groupBy(F.expr(f"floor({VS} / {self._near})"))
        ends = together.agg(F.min(VS).alias("least"), F.max(VS).alias("largest"))
        for row in ends.toArrow().to_pylist():
            yield self._of(row["least"], row["largest"])

    def _of(self, least: int, largest: int) -> Stretch:
        until = self.until if self.reach is None else min(largest + self.reach, self.until)
        return Stretch(least - self.need + 1, until)


def _meeting(files: Sequence[DataFile], stretches: Sequence[Stretch]) -> tuple[DataFile, ...]:
    return tuple(file for file in files if any(each.meets(file) for each in stretches))
