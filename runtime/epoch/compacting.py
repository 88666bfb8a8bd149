"""Compaction at work: one Spark job writes the buckets that are due anew, with the revisions that
are of them (DESIGN section 4). What it has written counts from the epoch's manifest on.

Files `archive/s<index>/<epoch>/_piece=<n>/…`: piece n is bucket n; what stays a revision goes to
the pieces behind those, one for each gap between buckets, so that its range keeps off what is
clean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ..archive.compaction import Compaction, bounds
from ..archive.index import live_rows
from ..connect.declarations import Stream
from ..connect.sources import struct_column
from ..elements.columns import POS, VS, W, big
from ..ledger.files import DataFile, writer, written_files
from .context import EpochContext
from .landing import landed_frame

PIECE: Final = "_piece"


@dataclass(frozen=True)
class Compacting:
    """One stream's compaction in one epoch."""

    epoch: EpochContext
    name: str
    due: Compaction

    @property
    def _index(self) -> int:
        return self.epoch.streams[self.name][0]

    @property
    def _stream(self) -> Stream:
        return self.epoch.streams[self.name][1]

    def written(self) -> tuple[DataFile, ...]:
        """Write what is due, and give the files: buckets in their order, then revisions."""
        directory = f"archive/s{self._index}/{self.epoch.number:08d}"
        net = self._net().persist() if self.due.revisions else None
        pieces = self._pieces(net).coalesce(1).sortWithinPartitions(PIECE, VS)
        writer(pieces).partitionBy(PIECE).parquet(self.epoch.storage.spark_path(directory))
        if net is not None:
            net.unpersist()
        return tuple(self._listed(directory))

    def _listed(self, directory: str) -> list[DataFile]:
        found: list[DataFile] = []
        buckets = len(self.due.buckets)
        for piece in range(2 * buckets + 1):
            path = f"{directory}/{PIECE}={piece}"
            files = written_files(self.epoch.storage, path, self.epoch.number)
            found += [replace(file, revised=piece >= buckets) for file in files]
        return found

    def _read(self, files: Sequence[DataFile]) -> DataFrame:
        """The rows of files that somebody may still read."""
        stream = self._stream
        assert stream.keep is not None
        epoch = self.epoch
        frame = landed_frame(epoch.spark, epoch.storage, self._index, stream, files)
        return frame.where(live_rows(stream.keep, epoch.archived_from(stream.name)))

    def _net(self) -> DataFrame:
        """What the revisions come to; rows without KEY are not withdrawn, and may be equal."""
        frame = self._read(self.due.revisions)
        if not self._stream.looked_up:
            return frame
        summed = frame.groupBy(*self._identity).agg(F.sum(W).alias(W)).where(f"{W} <> 0")
        return summed.select(frame.columns)

    @property
    def _identity(self) -> list[str]:
        """What makes an element the same one: the place of a row is its own until it is replaced,
        by one in the same place.
        """
        return [VS, POS, struct_column(self._index)]

    def _pieces(self, net: DataFrame | None) -> DataFrame:
        """All rows, each with its piece."""
        buckets = [
            self._read(files).withColumn(PIECE, F.lit(piece))
            for piece, files in enumerate(self.due.buckets)
        ]
        if net is None:
            return reduce(DataFrame.union, buckets)
        if not buckets:
            return net.withColumn(PIECE, F.lit(0))
        return self._folded(reduce(DataFrame.union, buckets), net)

    def _folded(self, rows: DataFrame, net: DataFrame) -> DataFrame:
        """The rows of buckets with the revisions that are of them, which weigh nothing special any
        more; those that are not, in their gaps.
        """
        bucket = F.expr(self._bucket())
        added = net.where(f"{W} > 0").withColumn(PIECE, F.coalesce(bucket, F.expr(self._gap())))
        found = [self._unweighed(added)]
        if not self._stream.looked_up:
            return reduce(DataFrame.union, [rows, *found])
        withdrawn = F.broadcast(net.where(f"{W} < 0"))
        same = [rows[column].eqNullSafe(withdrawn[column]) for column in self._identity]
        standing = rows.join(withdrawn, same, "left_anti")
        elsewhere = self._elsewhere(withdrawn, rows)
        return reduce(DataFrame.union, [standing, *found, elsewhere])

    def _elsewhere(self, withdrawn: DataFrame, rows: DataFrame) -> DataFrame:
        """What withdraws rows of other buckets, whose times overlap with those of these."""
        same = [withdrawn[column].eqNullSafe(rows[column]) for column in self._identity]
        rest = withdrawn.join(rows, same, "left_anti")
        return rest.withColumn(PIECE, F.expr(self._gap()))

    def _unweighed(self, added: DataFrame) -> DataFrame:
        weight = F.when(F.col(PIECE) >= len(self.due.buckets), F.col(W))
        return added.withColumn(W, weight)

    def _bucket(self) -> str:
        """SQL: the first bucket of a row's time, or NULL."""
        cases = [
            f"WHEN {VS} BETWEEN {big(low)} AND {big(high)} THEN {piece}"
            for piece, (low, high) in enumerate(map(bounds, self.due.buckets))
        ]
        return f"CASE {' '.join(cases)} END"

    def _gap(self) -> str:
        """SQL: behind how many buckets a row lies."""
        passed = [f"CAST({VS} > {big(bounds(each)[1])} AS INT)" for each in self.due.buckets]
        return f"{len(self.due.buckets)} + {' + '.join(passed)}"
