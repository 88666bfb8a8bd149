"""Landing: the one pass over a batch. Every stream's elements become Parquet files of this epoch.

Files `landing/<epoch>/_stream=<index>/…` with columns `_vs`, the stream's struct of read columns,
and `_pos` where the stream's order of arrival is asked for; index -1 holds what cannot be an
element: `_origin`, `_reason`, `_raw`; -2 the names of files that stay in place (`naming`), as
`_raw`. What comes late to a stream that may be revised, or corrects
rows of it, has the index after those of all streams, with `_w`; what nobody needs any more
(`judges.skips`) the index after those, with `_vs` alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from ..connect import dead_letters
from ..connect.declarations import Stream
from ..connect.sources import CORRUPT, PLACE, STREAM, struct_column
from ..elements.columns import DAWN, POS, POSITION, VS, W, big, quote, string
from ..elements.physical import ADJUST, INSERT, instant_of, kind_of, rejection_alone
from ..elements.validate import KINDS, Revisable, rejection
from ..ledger.clock import Clock
from ..ledger.files import DataFile, writer, written_files
from ..ledger.storage import Storage
from .in_place import rows_in_place
from .timing import Judges

ORIGIN, REASON, RAW, _ROW = "_origin", "_reason", "_raw", "_row"
_REVISES, _IS_NAME, _SKIPPED = "_revises", "_is_name", "_skipped"
DEAD = -1
NAMES = -2
_TYPES = {"BIGINT": LongType(), "INT": IntegerType(), "STRING": StringType()}
_POSITION = StructType([StructField(part, _TYPES[kind]) for part, kind in POSITION.items()])


@dataclass(frozen=True)
class Landed:
    """The files of one epoch's elements, per stream; `dead`: rows for the dead-letter table, or
    None. `changes`: what corrects rows of a stream, which is yet to be looked up. `came`: rows of
    the batch, whatever became of them. `told`: of streams of elements, the adjusts and stables;
    their inserts are in `files`. `firsts`: the least start that counts (None: none does), where it
    is not that of the files. `skipped`: rows that nobody needs, which show their instants
    only.
    """

    files: Mapping[str, tuple[DataFile, ...]] = field(default_factory=dict)
    dead: DataFrame | None = None
    dead_rows: int = 0
    changes: Mapping[str, tuple[DataFile, ...]] = field(default_factory=dict)
    came: int = 0
    told: Mapping[str, tuple[DataFile, ...]] = field(default_factory=dict)
    firsts: Mapping[str, int | None] = field(default_factory=dict)
    skipped: Mapping[str, DataFile] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        every = (*self.files.values(), *self.told.values())
        return sum(file.rows for files in every for file in files)

    def stable(self, name: str) -> int:
        """The largest stable of a stream of elements; DAWN: there is none."""
        return max((f.high[VS] for f in self.told.get(name, ()) if VS in f.high), default=DAWN)

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
        found = {}
        for name, files in self.files.items():
            least = self.firsts.get(name, min((f.low[VS] for f in files), default=None))
            if least is not None:
                found[name] = (least, max(f.high[VS] for f in files))
        for name, file in self.skipped.items():
            least, most = found.get(name, (file.low[VS], file.high[VS]))
            found[name] = (min(least, file.low[VS]), max(most, file.high[VS]))
        return found


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


def written(
    spark: SparkSession,
    storage: Storage,
    streams: Sequence[Stream],
    rows: DataFrame,
    directory: str,
    epoch: int,
    judges: Judges,
    stamp: int,
) -> Landed:
    """Write rows, as `connect.sources.program_frame` has them, and learn their ranges from the
    footers; costs one Spark job.
    """
    frame = _elements(streams, rows, epoch, judges, stamp)
    writer(frame).partitionBy(STREAM).parquet(storage.spark_path(directory))
    return read_landed(spark, storage, streams, directory, epoch)


def read_landed(
    spark: SparkSession, storage: Storage, streams: Sequence[Stream], directory: str, epoch: int
) -> Landed:
    """What has been written to a directory of landing."""
    files: dict[str, tuple[DataFile, ...]] = {}
    changes: dict[str, tuple[DataFile, ...]] = {}
    told: dict[str, tuple[DataFile, ...]] = {}
    for index, stream in enumerate(streams):
        found = written_files(storage, f"{directory}/{STREAM}={index}", epoch)
        late = []
        if stream.revisable or stream.elements:
            late = written_files(storage, f"{directory}/{STREAM}={index + len(streams)}", epoch)
        if late and stream.elements:
            told[stream.name], late = tuple(late), []
        if late and stream.looked_up:
            changes[stream.name], late = tuple(late), []
        files[stream.name] = (*found, *(replace(file, revised=True) for file in late))
    dead_files = written_files(storage, f"{directory}/{STREAM}={DEAD}", epoch)
    dead = _dead_letters(spark, storage, streams, dead_files)
    dead_rows = sum(file.rows for file in dead_files)
    skipped = _skipped(storage, streams, directory, epoch)
    every = (*files.values(), *changes.values(), *told.values())
    elements = sum(file.rows for listed in every for file in listed)
    came = elements + dead_rows + sum(file.rows for file in skipped.values())
    return Landed(files, dead, dead_rows, changes, came, told, skipped=skipped)


def _skipped(
    storage: Storage, streams: Sequence[Stream], directory: str, epoch: int
) -> dict[str, DataFile]:
    """What was passed over, of each stream as one file."""
    found = {}
    for index, stream in enumerate(streams):
        if stream.skips or stream.heeds:
            at = f"{directory}/{STREAM}={index + 2 * len(streams)}"
            files = written_files(storage, at, epoch)
            if files:
                low, high = min(f.low[VS] for f in files), max(f.high[VS] for f in files)
                rows = sum(f.rows for f in files)
                found[stream.name] = replace(files[0], rows=rows, low={VS: low}, high={VS: high})
    return found


def _revisable(streams: Sequence[Stream], judges: Judges) -> list[Revisable]:
    return [
        Revisable(f"{STREAM} = {index}", stream.oldest(judges.of[stream.name]), kind(index, stream))
        for index, stream in enumerate(streams)
        if stream.revisable
    ]


@dataclass(frozen=True)
class Judgement:
    """SQL about the rows of a batch: their order value, why one is no element (or NULL), and
    whether it revises others or comes late where that may be, whether nobody needs it.
    """

    order: str
    reason: str
    revises: str
    weighs: bool
    skipped: str = "FALSE"


def judgement(streams: Sequence[Stream], judges: Judges, stamp: int) -> Judgement:
    """How rows that come after the judges' clocks are judged; `stamp`: the order value of streams
    ordered by arrival.
    """
    order = VS
    told: list[str] = []
    for index, stream in enumerate(streams):
        if stream.order is None:
            # A change at the epoch's `now`, which is known only when all have landed.
            value = stamp if stream.name in judges.moving else judges.now
            order = f"CASE WHEN {STREAM} = {index} THEN {big(value)} ELSE {order} END"
    rejected = []
    for index, stream in enumerate(streams):
        if stream.elements:
            kind, reason = _of_elements(index, stream, judges.of[stream.name])
            rejected.append((f"{STREAM} = {index}", reason))
            # Nothing but inserts and stables shows an instant.
            adjusts = f"{STREAM} = {index} AND {kind} = {ADJUST}"
            order = f"CASE WHEN {adjusts} THEN NULL ELSE {order} END"
            told.append(f"{STREAM} = {index} AND {kind} <> {INSERT}")
    revisable = _revisable(streams, judges)
    complete = {index: judges.of[s.name].complete for index, s in enumerate(streams)}
    late = _late(order, complete)
    told += [f"{each.of} AND ({late} OR {each.kind} <= 0)" for each in revisable]
    revises = " OR ".join(told)
    furthest = max(complete.values())
    reason = rejection(CORRUPT, order, furthest, revisable, rejected, late)
    skipped = " OR ".join(
        f"{STREAM} = {index} AND {order} < {big(judges.skips[stream.name])}"
        for index, stream in enumerate(streams)
        if stream.name in judges.skips
    )
    return Judgement(order, reason, revises or "FALSE", bool(revisable), skipped or "FALSE")


def _late(order: str, complete: Mapping[int, int]) -> str:
    """SQL: a row lies before what is complete, as the clock says that judges its stream."""
    if len(set(complete.values())) == 1:
        one = next(iter(complete.values()))
        return f"{order} < {big(one)}" if one != DAWN else "FALSE"
    cases = (f"WHEN {index} THEN {big(each)}" for index, each in complete.items())
    return f"{order} < CASE {STREAM} {' '.join(cases)} END"


def _of_elements(index: int, stream: Stream, clock: Clock) -> tuple[str, str]:
    """SQL: what a row of a stream of elements does, and why it may not, as far as it tells."""
    kind, _, end, _ = (f"{struct_column(index)}.{quote(name)}" for name in stream.elements)
    does, ends = kind_of(kind), instant_of(end, stream.timestamps)
    return does, rejection_alone(does, VS, ends, clock.settled(stream.name))


def _elements(
    streams: Sequence[Stream], batch: DataFrame, epoch: int, judges: Judges, stamp: int
) -> DataFrame:
    structs = [struct_column(index) for index in range(len(streams))]
    by = judgement(streams, judges, stamp)
    judged = batch.selectExpr(
        STREAM,
        f"{by.order} AS {VS}",
        CORRUPT,
        # Taken before any exchange: it grows with the rows of a block.
        f"monotonically_increasing_id() AS {_ROW}",
        PLACE,
        *structs,
        f"{by.reason} AS {REASON}",
        f"{by.revises} AS {_REVISES}",
        f"{_is_name(streams)} AS {_IS_NAME}",
        f"coalesce({by.skipped}, FALSE) AS {_SKIPPED}",
    )
    fine = f"{REASON} IS NULL AND NOT {_SKIPPED}" if judges.skips else f"{REASON} IS NULL"
    place = f"CASE WHEN {_REVISES} THEN {STREAM} + {len(streams)} ELSE {STREAM} END"
    if judges.skips:
        passed = f"{_SKIPPED} AND {REASON} IS NULL"
        place = f"CASE WHEN {passed} THEN {STREAM} + {2 * len(streams)} ELSE {place} END"
    apart = f"{REASON} IS NOT NULL OR {_IS_NAME}"
    row = f"coalesce({CORRUPT}, {_as_text(structs)})"
    raw = f"CASE WHEN {_IS_NAME} THEN {PLACE}.file ELSE {row} END"
    return judged.selectExpr(
        f"CASE WHEN {_IS_NAME} THEN {NAMES} WHEN {REASON} IS NULL THEN {place} ELSE {DEAD} END"
        f" AS {STREAM}",
        VS,
        *([f"CASE WHEN {_REVISES} THEN 1L END AS {W}"] if by.weighs else []),
        *_positions(streams, epoch),
        *[_read_columns(index, stream, fine) for index, stream in enumerate(streams)],
        f"CASE WHEN {apart} THEN {STREAM} END AS {ORIGIN}",
        REASON,
        f"CASE WHEN {apart} THEN {raw} END AS {RAW}",
    )


def _is_name(streams: Sequence[Stream]) -> str:
    """SQL: the row is no row of a stream but the name of a file of it."""
    names = (
        f"{STREAM} = {index} AND {struct_column(index)} IS NULL AND {PLACE}.file IS NOT NULL"
        for index, stream in enumerate(streams)
        if stream.in_place
    )
    return " OR ".join(names) or "FALSE"


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
    whole = [f"CASE WHEN {s} IS NOT NULL THEN {as_json(s)} END" for s in structs]
    return f"coalesce({', '.join(whole)})"


def as_json(struct: str) -> str:
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


def landed_frame(
    spark: SparkSession, storage: Storage, index: int, stream: Stream, files: Sequence[DataFile]
) -> DataFrame:
    """The rows of landed or archived files of a stream, as `landing_schema` says. Raises
    SourceChanged where a file of a source, which is read in place, is not as it was.
    """
    own = [storage.spark_path(file.path) for file in files if not file.in_place]
    in_place = [file for file in files if file.in_place]
    frames = []
    if own:
        frames.append(spark.read.schema(landing_schema(index, stream)).parquet(*own))
    if in_place:
        frames.append(rows_in_place(spark, storage, index, stream, in_place))
    return reduce(DataFrame.union, frames)
