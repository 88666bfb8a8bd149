"""The files of a batch that stay where they are (DESIGN section 4, LAYOUT SOURCE).

A file of which every row is an element that came in order is named by the index. Its footer tells
that as a rule, else one pass over its order values does. Of any other the rows are landed as those
of other sources are: there is one judgement of rows, and a reader of files in place needs none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, TimestampType

from ..connect.declarations import Stream
from ..connect.sources import PLACE, STREAM, frame_of_files, struct_column
from ..elements.columns import DAWN, VS
from ..elements.deltas import union
from ..ledger.files import DataFile, footer_of, written_files
from ..ledger.footers import constant, extent
from ..ledger.storage import Storage
from .landing import NAMES, ORIGIN, RAW, Landed, judgement, written
from .timing import Judges

_FILE: Final = "_file"


@dataclass(frozen=True)
class Naming:
    """The naming of one epoch's files."""

    spark: SparkSession
    storage: Storage
    streams: Sequence[Stream]
    epoch: int
    judges: Judges
    stamp: int

    def added(self, landed: Landed, directory: str) -> Landed:
        """What has landed, with the files that the batch named; a Spark job for the rows of those
        that cannot stay in place, if there are any, and one for those whose footers do not tell.
        """
        named = self._named(directory)
        copied: dict[int, list[str]] = {}
        for index, files in named.items():
            stays = dict(self._staying(index, files))
            name = self.streams[index].name
            every = {**landed.files, name: (*landed.files[name], *stays.values())}
            rows = sum(file.rows for file in stays.values())
            landed = replace(landed, files=every, came=landed.came + rows)
            copied[index] = [f.path for f in files if f.rows and f.path not in stays]
        rest = {index: paths for index, paths in copied.items() if paths}
        return _together(landed, self._copied(rest)) if rest else landed

    def _named(self, directory: str) -> dict[int, list[DataFile]]:
        """Stream -> the files of the batch, by path. Spark reads a file twice whose name has
        brackets or braces: it is one file all the same.
        """
        found: dict[int, dict[str, DataFile]] = {}
        for file in written_files(self.storage, f"{directory}/{STREAM}={NAMES}", self.epoch):
            filesystem, path = self.storage.located(file.path)
            table = pq.read_table(path, columns=[ORIGIN, RAW], filesystem=filesystem)
            for row in table.to_pylist():
                found.setdefault(row[ORIGIN], {})[row[RAW]] = self._entry(row[RAW])
        return {index: [files[path] for path in sorted(files)] for index, files in found.items()}

    def _entry(self, path: str) -> DataFile:
        looked_at = self.storage.looked_at(path)
        if looked_at is None:
            raise FileNotFoundError(f"{path} is not there any more")
        size, modified = looked_at
        rows = footer_of(self.storage, path).num_rows
        return DataFile(path, rows, size, self.epoch, modified=modified)

    def _staying(self, index: int, files: Sequence[DataFile]) -> Iterator[tuple[str, DataFile]]:
        """The files all of whose rows are elements in order, with their ranges."""
        unknown = []
        for file in files:
            told = self._told(self.streams[index], file)
            if told is None:
                unknown.append(file)
            elif self._is_fine(index, told):
                yield file.path, _ranged(file, *told[:2])
        counted = self._counted(index, unknown) if unknown else {}
        for file in unknown:
            told = counted.get(file.path)
            if told is not None and told[2] == 0:
                yield file.path, _ranged(file, *told[:2])

    def _is_fine(self, index: int, told: tuple[int, int, int]) -> bool:
        low, _, without = told
        complete = self.judges.of[self.streams[index].name].complete
        return without == 0 and (complete == DAWN or low >= complete)

    def _told(self, stream: Stream, file: DataFile) -> tuple[int, int, int] | None:
        """By the footer: least and largest order value, and how many rows have none, or do
        something else than to be inserted; None: it does not tell.
        """
        if stream.envelopes:
            return None
        footer = footer_of(self.storage, file.path)
        if stream.order is None:
            moves = stream.name in self.judges.moving
            value = self.stamp if moves else self.judges.now
            told: tuple[int, int, int] | None = (value, value, 0)
        else:
            kind = stream.declared[stream.order].dataType
            if not isinstance(kind, TimestampType if stream.timestamps else LongType):
                return None
            told = extent(footer, stream.order, stream.timestamps)
        if told is None or stream.operation is None:
            return told
        operation = constant(footer, stream.operation)
        return told if operation is not None and stream.marks.get(operation) == "insert" else None

    def _counted(self, index: int, files: Sequence[DataFile]) -> Mapping[str, tuple[int, int, int]]:
        """The same by reading order values and operations of files."""
        by = judgement(self.streams, self.judges, self.stamp)
        frame = self._frame(index, [file.path for file in files])
        wrong = f"({by.reason}) IS NOT NULL OR coalesce({by.revises}, TRUE)"
        judged = frame.selectExpr(
            f"{PLACE}.file AS {_FILE}", f"{by.order} AS {VS}", f"{wrong} AS wrong"
        )
        told = judged.groupBy(_FILE).agg(
            F.min(VS).alias("low"), F.max(VS).alias("high"), F.count_if("wrong").alias("wrong")
        )
        rows = told.toArrow().to_pylist()
        return {row[_FILE]: (row["low"], row["high"], row["wrong"]) for row in rows}

    def _copied(self, files: Mapping[int, Sequence[str]]) -> Landed:
        """The rows of files that cannot stay in place, landed."""
        frames = [self._frame(index, paths) for index, paths in files.items()]
        rows = reduce(DataFrame.unionByName, frames)
        directory = f"landing/{self.epoch:08d}-copied"
        return written(
            *(self.spark, self.storage, self.streams, rows),
            *(directory, self.epoch, self.judges, self.stamp),
        )

    def _frame(self, index: int, paths: Sequence[str]) -> DataFrame:
        """The rows of files, as a batch has them: without a row of another stream."""
        located = [self.storage.spark_path(path) for path in paths]
        frame = frame_of_files(self.spark, index, self.streams[index], located)
        others = {
            struct_column(number): F.lit(None).cast(stream.declared)
            for number, stream in enumerate(self.streams)
            if number != index
        }
        return frame.withColumns(others) if others else frame


def _ranged(file: DataFile, low: int, high: int) -> DataFile:
    return replace(file, low={VS: low}, high={VS: high})


def _together(one: Landed, other: Landed) -> Landed:
    """What has landed in two places."""
    names = [*one.files]
    return Landed(
        files={name: (*one.files[name], *other.files.get(name, ())) for name in names},
        dead=union(one.dead, other.dead),
        dead_rows=one.dead_rows + other.dead_rows,
        changes={
            name: (*one.changes.get(name, ()), *other.changes.get(name, ()))
            for name in names
            if name in one.changes or name in other.changes
        },
        came=one.came + other.came,
    )
