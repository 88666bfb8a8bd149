"""Landing: the one pass over a batch. Every stream's elements become Parquet files of this epoch.

Files `landing/<epoch>/_stream=<index>/…` with columns `_vs`, the stream's struct of read columns,
and `_pos` where the stream's order of arrival is asked for; index -1 holds what cannot be an
element: `_origin`, `_reason`, `_raw`. What comes late to a stream that may be revised, or corrects
rows of it, has the index after those of all streams, with `_w`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from ..connect import dead_letters
from ..connect.declarations import Stream, movers
from ..connect.sources import CORRUPT, PLACE, STREAM, struct_column
from ..elements.columns import DAWN, POS, POSITION, VS, W, big, quote, string
from ..elements.validate import KINDS, TOO_FAR_AHEAD, Revisable, ahead_limit, rejection
from ..ledger.clock import Clock
from ..ledger.files import DataFile, writer, written_files
from ..ledger.storage import Storage

ORIGIN, REASON, RAW, _ROW = "_origin", "_reason", "_raw", "_row"
DEAD = -1
_TYPES = {"BIGINT": LongType(), "INT": IntegerType(), "STRING": StringType()}
_POSITION = StructType([StructField(part, _TYPES[kind]) for part, kind in POSITION.items()])


@dataclass(frozen=True)
class Landed:
    """The files of one epoch's elements, per stream; `dead`: rows for the dead-letter table, or
    None. `changes`: what corrects rows of a stream, which is yet to be looked up. `came`: rows of
    the batch, whatever became of them.
    """

    files: Mapping[str, tuple[DataFile, ...]] = field(default_factory=dict)
    dead: DataFrame | None = None
    dead_rows: int = 0
    changes: Mapping[str, tuple[DataFile, ...]] = field(default_factory=dict)
    came: int = 0

    @property
    def rows(self) -> int:
        return sum(file.rows for files in self.files.values() for file in files)

    @property
    def has_revisions(self) -> bool:
        """Whether rows came late or correct others."""
        return any(file.revised for files in self.files.values() for file in files)

    def revised_before(self, name: str, instant: int) -> tuple[DataFile, ...]:
        """The files of a stream that correct what lies before an instant."""
        files = self.files.get(name, ())
        return tuple(file for file in files if file.revised and file.low[VS] < instant)

    def counted(self, name: str) -> tuple[int, int]:
        """Of a stream's rows those that came in order, and those that revise; a change counts once,
        whatever it comes to.
        """
        files = self.files.get(name, ())
        changes = self.changes.get(name, ()) or [file for file in files if file.revised]
        in_order = sum(file.rows for file in files if not file.revised)
        return in_order, sum(file.rows for file in changes)

    def seen(self) -> dict[str, tuple[int, int]]:
        """Stream -> (least, largest) order value."""
        return {
            name: (min(f.low[VS] for f in files), max(f.high[VS] for f in files))
            for name, files in self.files.items()
            if files
        }


def landing_schema(index: int, stream: Stream) -> StructType:
    """What a landed or archived file of the stream holds."""
    schema = StructType().add(VS, LongType()).add(struct_column(index), stream.read_schema)
    schema = schema.add(POS, _POSITION) if stream.ordered else schema
    return schema.add(W, LongType()) if stream.revisable else schema


def kind(index: int, stream: Stream) -> str:
    """SQL for what a row of the stream does: 1 inserts, 0 replaces, -1 deletes; NULL: unknown."""
    if stream.operation is None:
        return "1"
    column = f"CAST({struct_column(index)}.{quote(stream.operation)} AS STRING)"
    cases = [f"WHEN {string(mark)} THEN {KINDS[does]}" for mark, does in stream.marks.items()]
    return f"CASE {column} {' '.join(cases)} END"


def land(
    spark: SparkSession,
    storage: Storage,
    streams: Sequence[Stream],
    batch: DataFrame,
    epoch: int,
    clock: Clock,
    stamp: int,
) -> Landed:
    """Write the batch once and learn its ranges from the footers; costs one Spark job.

    `clock`: that of the parent; `stamp`: the order value of streams ordered by arrival.
    """
    directory = f"landing/{epoch:08d}"
    frame = _elements(streams, batch, epoch, clock, stamp)
    path = storage.spark_path(directory)
    writer(frame).partitionBy(STREAM).parquet(path)
    landed = read_landed(spark, storage, streams, directory, epoch)
    return _without_far_ahead(spark, storage, streams, landed, epoch, clock)


def read_landed(
    spark: SparkSession, storage: Storage, streams: Sequence[Stream], directory: str, epoch: int
) -> Landed:
    """What has been written to a directory of landing."""
    files: dict[str, tuple[DataFile, ...]] = {}
    changes: dict[str, tuple[DataFile, ...]] = {}
    for index, stream in enumerate(streams):
        found = written_files(storage, f"{directory}/{STREAM}={index}", epoch)
        late = []
        if stream.revisable:
            late = written_files(storage, f"{directory}/{STREAM}={index + len(streams)}", epoch)
        if late and stream.looked_up:
            changes[stream.name], late = tuple(late), []
        files[stream.name] = (*found, *(replace(file, revised=True) for file in late))
    dead_files = written_files(storage, f"{directory}/{STREAM}={DEAD}", epoch)
    dead = _dead_letters(spark, storage, streams, dead_files)
    dead_rows = sum(file.rows for file in dead_files)
    elements = sum(file.rows for listed in (*files.values(), *changes.values()) for file in listed)
    return Landed(files, dead, dead_rows, changes, elements + dead_rows)


def _revisable(streams: Sequence[Stream], clock: Clock) -> list[Revisable]:
    return [
        Revisable(f"{STREAM} = {index}", stream.oldest(clock), kind(index, stream))
        for index, stream in enumerate(streams)
        if stream.revisable
    ]


def _elements(
    streams: Sequence[Stream], batch: DataFrame, epoch: int, clock: Clock, stamp: int
) -> DataFrame:
    order = VS
    moving = movers(streams)
    for index, stream in enumerate(streams):
        if stream.order is None:
            # A change at the epoch's `now`, which is known only when all have landed.
            value = stamp if stream in moving else clock.now
            order = f"CASE WHEN {STREAM} = {index} THEN {big(value)} ELSE {order} END"
    structs = [struct_column(index) for index in range(len(streams))]
    revisable = _revisable(streams, clock)
    reason = rejection(CORRUPT, order, clock.complete, revisable)
    judged = batch.selectExpr(
        STREAM,
        f"{order} AS {VS}",
        CORRUPT,
        # Taken before any exchange: it grows with the rows of a block.
        f"monotonically_increasing_id() AS {_ROW}",
        PLACE,
        *structs,
        f"{reason} AS {REASON}",
    )
    fine = f"{REASON} IS NULL"
    late = f"{VS} < {big(clock.complete)}" if clock.complete != DAWN else "FALSE"
    revises = " OR ".join(f"{each.of} AND ({late} OR {each.kind} <= 0)" for each in revisable)
    revises = revises or "FALSE"
    place = f"CASE WHEN {revises} THEN {STREAM} + {len(streams)} ELSE {STREAM} END"
    return judged.selectExpr(
        f"CASE WHEN {fine} THEN {place} ELSE {DEAD} END AS {STREAM}",
        VS,
        *([f"CASE WHEN {revises} THEN 1L END AS {W}"] if revisable else []),
        *_positions(streams, epoch),
        *[_read_columns(index, stream, fine) for index, stream in enumerate(streams)],
        f"CASE WHEN NOT {fine} THEN {STREAM} END AS {ORIGIN}",
        REASON,
        f"CASE WHEN NOT {fine} THEN coalesce({CORRUPT}, {_as_text(structs)}) END AS {RAW}",
    )


def _positions(streams: Sequence[Stream], epoch: int) -> list[str]:
    """`_pos`, where some stream is asked for it."""
    asked = [str(index) for index, stream in enumerate(streams) if stream.ordered]
    if not asked:
        return []
    place = ", ".join(f"'{part}', {PLACE}.{part}" for part in ("time", "file", "block"))
    position = (
        f"named_struct('vs', {VS}, 'epoch', {big(epoch)}, 'source', {STREAM}, {place},"
        f" 'row', {_ROW})"
    )
    return [f"CASE WHEN {STREAM} IN ({', '.join(asked)}) THEN {position} END AS {POS}"]


def _read_columns(index: int, stream: Stream, fine: str) -> str:
    struct = struct_column(index)
    parts = ", ".join(
        f"{struct}.{quote(name)} AS {quote(name)}" for name in stream.read_schema.names
    )
    # A struct without fields cannot be written to Parquet.
    read = f"struct({parts or 'TRUE AS _present'})"
    return f"CASE WHEN {fine} AND {struct} IS NOT NULL THEN {read} END AS {struct}"


def _as_text(structs: Sequence[str]) -> str:
    whole = [f"CASE WHEN {s} IS NOT NULL THEN {_json(s)} END" for s in structs]
    return f"coalesce({', '.join(whole)})"


def _json(struct: str) -> str:
    return f"to_json({struct}, map('ignoreNullFields', 'false'))"


def _dead_letters(
    spark: SparkSession, storage: Storage, streams: Sequence[Stream], files: list[DataFile]
) -> DataFrame | None:
    if not files:
        return None
    schema = f"{VS} BIGINT, {ORIGIN} INT, {REASON} STRING, {RAW} STRING"
    frame = spark.read.schema(schema).parquet(*[storage.spark_path(f.path) for f in files])
    names = F.array(*[F.lit(stream.name) for stream in streams])
    rest = [f"{REASON} AS reason", f"{VS} AS vs", f"{RAW} AS row", ORIGIN]
    letters = frame.selectExpr(*rest).withColumn("stream", names[F.col(ORIGIN)])
    return letters.select(*dead_letters.COLUMNS)


def _without_far_ahead(
    spark: SparkSession,
    storage: Storage,
    streams: Sequence[Stream],
    landed: Landed,
    epoch: int,
    clock: Clock,
) -> Landed:
    """Take rows absurdly far ahead out of the elements. Costs a job only if the epoch spans that
    much time.
    """
    for index, stream in enumerate(streams):
        files = tuple(file for file in landed.files[stream.name] if not file.revised)
        ahead = stream.max_ahead
        if ahead is None or stream.order is None or not files:
            continue
        top, bottom = max(f.high[VS] for f in files), min(f.low[VS] for f in files)
        # The default limit needs other rows to compare with; a written one holds for a lone row.
        alone = stream.max_ahead_written and clock.now != DAWN
        if top - (clock.now if alone else max(clock.now, bottom)) <= ahead:
            continue
        frame = landed_frame(spark, storage, index, stream, files)
        first = clock.first([stream.name])
        limit = ahead_limit(
            _stretches(frame, ahead), clock.now, first, ahead, stream.max_ahead_written
        )
        if limit is not None:
            landed = _cut(storage, index, stream, landed, frame, epoch, limit)
    return landed


def landed_frame(
    spark: SparkSession, storage: Storage, index: int, stream: Stream, files: Sequence[DataFile]
) -> DataFrame:
    """The rows of landed or archived files of a stream, as `landing_schema` says."""
    paths = [storage.spark_path(file.path) for file in files]
    return spark.read.schema(landing_schema(index, stream)).parquet(*paths)


def _stretches(frame: DataFrame, ahead: int) -> list[tuple[int, int, int]]:
    by_time = frame.groupBy(F.floor(F.col(VS) / max(ahead, 1)))
    counted = by_time.agg(
        F.min(VS).alias("least"), F.max(VS).alias("largest"), F.count("*").alias("n")
    )
    table = counted.toArrow().to_pylist()
    return sorted((row["least"], row["largest"], row["n"]) for row in table)


def _cut(
    storage: Storage,
    index: int,
    stream: Stream,
    landed: Landed,
    frame: DataFrame,
    epoch: int,
    limit: int,
) -> Landed:
    directory = f"landing/{epoch:08d}-near/{STREAM}={index}"
    near = frame.where(f"{VS} <= {big(limit)}")
    writer(near).parquet(storage.spark_path(directory))
    kept = tuple(written_files(storage, directory, epoch))
    row = f"{_json(struct_column(index))} AS row"
    far = frame.where(f"{VS} > {big(limit)}").selectExpr(f"{VS} AS vs", row)
    far = far.withColumns({"stream": F.lit(stream.name), "reason": F.lit(TOO_FAR_AHEAD)})
    far = far.select(*dead_letters.COLUMNS)
    revised = tuple(file for file in landed.files[stream.name] if file.revised)
    before = sum(file.rows for file in landed.files[stream.name] if not file.revised)
    moved = before - sum(file.rows for file in kept)
    dead = far if landed.dead is None else landed.dead.unionByName(far)
    files = {**landed.files, stream.name: (*kept, *revised)}
    return replace(landed, files=files, dead=dead, dead_rows=landed.dead_rows + moved)
