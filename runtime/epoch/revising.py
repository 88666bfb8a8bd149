"""Revisions become elements: what replaces or deletes a row withdraws it (REPLAY 3).

A change finds its row by the stream's key, among the rows that are kept and those of this epoch,
in the order of arrival. The row that stands in the end takes the place of the one that stood before
the epoch: with its order value and its place among equal ones (DESIGN section 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from ..archive import index as bucket_index
from ..connect.declarations import Stream
from ..connect.sources import STREAM, struct_column
from ..elements.columns import DAWN, FOREVER, POS, VS, W, big, quote, same, string
from ..elements.deltas import Slice, union
from ..elements.physical import ANOMALIES
from ..ledger.files import DataFile, writer
from ..ledger.manifest import Manifest
from ..ledger.storage import Storage
from . import protocol
from .deferring import deferred
from .landing import DEAD, ORIGIN, RAW, REASON, Landed, kind, landed_frame, read_landed
from .tuning import is_cut, is_small, kept, tune

KIND: Final = "_kind"
"""What a row does: 1 stands or is inserted, 0 replaces, -1 deletes; NULL: is too old to matter."""
SOURCE: Final = "_source"
"""Where a row is from, in the order in which it counts."""
TOO_EARLY, GONE, STANDS, NEW, CHANGE = range(5)
FINE: Final = "_fine"
REPEAT: Final = "repeat"
DELETED: Final = "a deleted key"
OLD: Final = "a key that is no longer kept"
UNKNOWN: Final = "an unknown key"


def revise(
    spark: SparkSession,
    storage: Storage,
    streams: Sequence[Stream],
    landed: Landed,
    parent: Manifest,
    epoch: int,
) -> Landed:
    """The landed files with the elements that changes come to; costs a Spark job for each stream
    that has changes, and nothing where there are none.
    """
    for index, stream in enumerate(streams):
        changes = landed.changes.get(stream.name, ())
        if not changes:
            continue
        made = _Revising(spark, storage, index, stream, landed, parent)
        tune(spark, made.is_small)
        directory = f"landing/{epoch:08d}-revised/{index}"
        judged = made.kept(made.judged(changes))
        outcome = made.outcome(judged)
        writer(made.together(outcome)).partitionBy(STREAM).parquet(storage.spark_path(directory))
        judged.unpersist()
        protocol.reached("revised", epoch)
        found = read_landed(spark, storage, streams, directory, epoch)
        revised = (replace(file, revised=True) for file in found.files[stream.name])
        landed = replace(
            landed,
            files={**landed.files, stream.name: (*landed.files[stream.name], *revised)},
            dead=union(landed.dead, found.dead),
            dead_rows=landed.dead_rows + found.dead_rows,
        )
    return landed


class Anomaly(Exception):
    """A row corrects one that is not there, and the program is not to go on then."""


def refuse_anomalies(letters: DataFrame | None, of_elements: Sequence[str] = ()) -> None:
    """Raises Anomaly where dead letters are corrections that cannot be made; repeats and late rows
    are none. `of_elements`: streams of which every element must be one.
    """
    if letters is None:
        return
    reason = F.col("reason")
    corrects = reason.rlike("^(replace|delete) of|^older|^unknown")
    element = F.col("stream").isin(*of_elements) & reason.isin(*ANOMALIES)
    wrong = letters.where(corrects | element)
    for row in wrong.limit(1).toArrow().to_pylist():
        raise Anomaly(
            f"{row['stream']}: {row['reason']} ({row['row']}); without SET on_anomaly = 'fail' such"
            " rows go to the dead letters"
        )


@dataclass(frozen=True)
class _Revising:
    """The revisions of one stream in one epoch."""

    spark: SparkSession
    storage: Storage
    index: int
    stream: Stream
    landed: Landed
    parent: Manifest

    @property
    def is_small(self) -> bool:
        """Whether it reads so few rows that all are one partition."""
        return is_small(self._rows)

    @cached_property
    def _rows(self) -> int:
        """Rows that may be read."""
        name, bounds = self.stream.name, self._bounds
        files = (*self.landed.files[name], *self.landed.changes[name])
        rows = sum(file.rows for file in files)
        if bounds is not None:
            low, high = bounds
            rows += sum(bucket_index.rows_within(file, low, high + 1) for file in self._buckets)
        return rows

    def kept(self, judged: DataFrame) -> DataFrame:
        """What is read several times: its plan is cut off, where that may be."""
        return kept(judged, is_cut(self._rows, self.spark.sparkContext.master or ""))

    def together(self, frame: DataFrame) -> DataFrame:
        """One partition where all is small; Spark would not see that of a union."""
        return frame.coalesce(1) if self.is_small else frame

    @property
    def _struct(self) -> str:
        return struct_column(self.index)

    @property
    def _keys(self) -> list[str]:
        return [f"_key{number}" for number in range(len(self.stream.key))]

    def _read(self, files: Sequence[DataFile], does: str, source: str) -> DataFrame | None:
        """(struct, _vs, _pos, _w, _kind, _source, _key…) of files."""
        if not files:
            return None
        rows = landed_frame(self.spark, self.storage, self.index, self.stream, files)
        keys = [
            f"{self._struct}.{quote(column)} AS {key}"
            for column, key in zip(self.stream.key, self._keys, strict=True)
        ]
        weight = f"coalesce({W}, 1L) AS {W}"
        return self.together(rows).selectExpr(
            self._struct, VS, POS, weight, f"{does} AS {KIND}", f"{source} AS {SOURCE}", *keys
        )

    def judged(self, changes: tuple[DataFile, ...]) -> DataFrame:
        """All rows of the keys that changes are about, each with what comes of it."""
        new = self._read(changes, kind(self.index, self.stream), str(CHANGE))
        assert new is not None
        new.createOrReplaceTempView("_reflow_changes")
        own = tuple(f for f in self.landed.files[self.stream.name] if not f.revised)
        arrived = self._touched(self._read(own, "1", str(NEW)))
        every = union(self._kept(), arrived, new)
        assert every is not None
        self.together(every).createOrReplaceTempView("_reflow_rows")
        return self.spark.sql(self._judged("_reflow_rows"))

    def outcome(self, judged: DataFrame) -> DataFrame:
        """The elements to add, and the changes that cannot be made, as landing writes them."""
        judged.createOrReplaceTempView("_reflow_judged")
        return self.spark.sql(self._elements()).unionByName(
            self.spark.sql(self._letters()), allowMissingColumns=True
        )

    def _touched(self, rows: DataFrame | None) -> DataFrame | None:
        """The rows of the keys that changes are about."""
        if rows is None:
            return None
        view = "_reflow_read"
        rows.createOrReplaceTempView(view)
        keys = same((f"{view}.{key}", f"_reflow_changes.{key}") for key in self._keys)
        touched = f"SELECT {view}.* FROM {view} LEFT SEMI JOIN _reflow_changes ON {keys}"
        return self.spark.sql(touched)

    @cached_property
    def _bounds(self) -> tuple[int, int] | None:
        """The least and the largest order value of what is looked up; None: nothing is. That is
        known where the key has the order value; what has none has no whole key.
        """
        if self.stream.order not in self.stream.key:
            return DAWN, FOREVER - 1
        dated = [file for file in self.landed.changes[self.stream.name] if VS in file.low]
        if not dated:
            return None
        return min(file.low[VS] for file in dated), max(file.high[VS] for file in dated)

    @cached_property
    def _buckets(self) -> tuple[DataFile, ...]:
        """The files of the archive that may have rows that are looked up, and of what waits to be
        archived.
        """
        if self._bounds is None:
            return ()
        low, high = self._bounds
        known = self.parent.archive.get(self.stream.name)
        files = (*(known.files if known else ()), *deferred(self.parent, self.stream.name))
        return tuple(bucket_index.matching(files, Slice(vs_after=low - 1, vs_upto=high)))

    def _archived(self) -> DataFrame | None:
        """The rows of the archive, or where the key says when they are from, those of that time."""
        rows = self._read(self._buckets, "1", "0")
        if rows is None or self._bounds is None or self._bounds[0] == DAWN:
            return rows
        low, high = self._bounds
        return rows.where(f"{VS} BETWEEN {big(low)} AND {big(high)}")

    def _kept(self) -> DataFrame | None:
        """What is known of the keys: rows that stand, that are gone, or are too old."""
        rows = self._touched(self._archived())
        if rows is None:
            return None
        rows.createOrReplaceTempView("_reflow_known")
        names = ", ".join([self._struct, VS, POS, *self._keys])
        oldest = big(self.stream.oldest(self.parent.clock))
        source = (
            f"CASE WHEN {VS} < {oldest} THEN {TOO_EARLY} WHEN SUM({W}) > 0 THEN {STANDS}"
            f" ELSE {GONE} END"
        )
        does = f"CASE {SOURCE} WHEN {STANDS} THEN 1 WHEN {GONE} THEN -1 END AS {KIND}"
        summed = (
            f"SELECT {names}, SUM({W}) AS {W}, {source} AS {SOURCE} FROM _reflow_known"
            f" GROUP BY {names}"
        )
        return self.spark.sql(
            f"SELECT {self._struct}, {VS}, {POS}, {W}, {does}, {SOURCE}, {', '.join(self._keys)}"
            f" FROM ({summed}) WHERE {SOURCE} <> {TOO_EARLY} OR {W} > 0"
        )

    @property
    def _by(self) -> str:
        return f"PARTITION BY {', '.join(self._keys)}"

    @property
    def _arrival(self) -> str:
        parts = ", ".join(f"{POS}.{part}" for part in ("time", "file", "block", "row"))
        arrived = f"CASE WHEN {SOURCE} >= {NEW} THEN struct({parts}) END"
        return f"struct(least({SOURCE}, {NEW}), {arrived})"

    def _judged(self, view: str) -> str:
        """SQL: each row with `_fine`, whether it can do what it says; with what stood before it,
        and how many deletions of its key came up to it.
        """
        order = f"OVER ({self._by} ORDER BY _at ROWS BETWEEN UNBOUNDED PRECEDING AND"
        last = f"last_value(CASE WHEN {KIND} <> 0 THEN {KIND} END, TRUE) {order} 1 PRECEDING)"
        placed = f"SELECT *, {self._arrival} AS _at FROM {view}"
        stood = f"SELECT *, coalesce({last}, -1) = 1 AS _stood FROM ({placed})"
        fine = f"{KIND} = 1 OR ({KIND} <= 0 AND _stood)"
        judged = f"SELECT *, {SOURCE} < {CHANGE} OR ({fine}) AS {FINE} FROM ({stood})"
        row = f"CASE WHEN {FINE} AND {KIND} >= 0 THEN {self._value} END"
        return (
            f"SELECT *, count_if({FINE} AND {KIND} = -1) {order} CURRENT ROW) AS _life,"
            f" last_value({row}, TRUE) {order} 1 PRECEDING) AS _before,"
            f" max({SOURCE} = {TOO_EARLY}) {order} 1 PRECEDING) AS _older,"
            f" max({KIND} = -1 AND {FINE}) {order} 1 PRECEDING) AS _deleted"
            f" FROM ({judged})"
        )

    @property
    def _value(self) -> str:
        """SQL: what makes a row of the stream another one."""
        hidden = {self.stream.operation, self.stream.order}
        columns = [c for c in self.stream.read_schema.names if c not in hidden]
        return f"struct({', '.join(f'{self._struct}.{quote(c)}' for c in columns) or 'TRUE'})"

    def _is_repeat(self) -> str:
        return f"({SOURCE} = {CHANGE} AND {KIND} = 1 AND _stood AND {self._value} <=> _before)"

    def _elements(self) -> str:
        """SQL: what stood is withdrawn, what stands now is put in its place; equal ones cancel."""
        keys = ", ".join(self._keys)
        latest = f"max(_life) OVER ({self._by}) AS _latest"
        alive = f"SELECT *, {latest} FROM _reflow_judged WHERE {FINE}"
        standing = (
            f"SELECT min_by(struct({VS}, {POS}, {self._struct}), _at) AS _first,"
            f" max_by({self._struct}, _at) AS _last FROM ({alive})"
            f" WHERE {KIND} >= 0 AND _life = _latest GROUP BY {keys}"
        )
        put = (
            f"SELECT {self._placed()} AS {self._struct}, _first.{VS} AS {VS},"
            f" _first.{POS} AS {POS}, 1L AS {W} FROM ({standing})"
        )
        withdrawn = (
            f"SELECT {self._struct}, {VS}, {POS}, -{W} AS {W} FROM _reflow_judged"
            f" WHERE {SOURCE} IN ({STANDS}, {NEW})"
        )
        names = f"{self._struct}, {VS}, {POS}"
        return (
            f"SELECT {self.index} AS {STREAM}, {names}, SUM({W}) AS {W}"
            f" FROM ({put} UNION ALL {withdrawn}) GROUP BY {names} HAVING SUM({W}) <> 0"
        )

    def _placed(self) -> str:
        """SQL: the last row, with the order value of the first."""
        fields = []
        for column in self.stream.read_schema.names:
            of = f"_first.{self._struct}" if column == self.stream.order else "_last"
            fields += [string(column), f"{of}.{quote(column)}"]
        return f"named_struct({', '.join(fields)})"

    def _letters(self) -> str:
        """SQL: the changes that could not be made, with the reason, and repeats."""
        what = f"CASE {KIND} WHEN 0 THEN 'replace' ELSE 'delete' END"
        why = f"CASE WHEN _deleted THEN '{DELETED}' WHEN _older THEN '{OLD}' ELSE '{UNKNOWN}' END"
        reason = f"CASE WHEN {FINE} THEN '{REPEAT}' ELSE concat({what}, ' of ', {why}) END"
        raw = f"to_json({self._struct}, map('ignoreNullFields', 'false'))"
        return (
            f"SELECT {DEAD} AS {STREAM}, {VS}, {self.index} AS {ORIGIN}, {reason} AS {REASON},"
            f" {raw} AS {RAW} FROM _reflow_judged"
            f" WHERE {SOURCE} = {CHANGE} AND (NOT {FINE} OR {self._is_repeat()})"
        )
