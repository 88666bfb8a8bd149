"""Sources as frames: every stream of a program in one frame, so that an epoch reads its batch once.

The frame of a program: `_stream` (index), `_vs` (order value or NULL), `_corrupt` (text of a row
that could not be parsed), `_place` (where the source has the row, for streams whose order of
arrival is asked for), and one struct column `s_<index>` a stream with all its declared columns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import reduce
from pathlib import Path
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructType

from ..elements.columns import VS, quote
from ..ledger.storage import Storage
from .declarations import Stream

ENVELOPE: Final = ("before", "after", "op", "payload")
STREAM: Final = "_stream"
CORRUPT: Final = "_corrupt"
PLACE: Final = "_place"

_NOWHERE: Final = "STRUCT<time: BIGINT, file: STRING, block: BIGINT>"

_GLOB: Final = re.compile(r"[\\*?\[\]{}]")
_TEXT_FORMATS = frozenset({"csv", "json", "xml"})
_FIXED_SCHEMA = frozenset({"rate", "rate-micro-batch", "socket", "kafka"})
_FILES = frozenset({"csv", "json", "parquet", "orc", "text", "avro", "xml"})


def struct_column(index: int) -> str:
    return f"s_{index}"


def streaming_frame(
    spark: SparkSession,
    streams: Sequence[Stream],
    read: Collection[str] | None = None,
    lost: Collection[str] = (),
) -> DataFrame:
    """The streaming union of the sources, or of those that are `read`. Each is named, so that they
    can come and go; of the others there are no rows. Of those that are `lost` what is not there, or
    cannot be read, is passed over.
    """
    frames = [
        read_stream(spark, index, stream, stream.name in lost)
        if read is None or stream.name in read
        else None
        for index, stream in enumerate(streams)
    ]
    return program_frame(streams, frames, of_files=True)


def program_frame(
    streams: Sequence[Stream], frames: Sequence[DataFrame | None], of_files: bool = False
) -> DataFrame:
    """The union of the streams' raw frames (declared columns, and `_corrupt` where the format can
    fail); None: the stream is not read. `of_files`: of streams whose files stay in place it has a
    row a file, with its name as `_place.file` and no columns.
    """
    tagged = [
        _named(index, stream, frame)
        if stream.in_place and of_files
        else _tagged(index, stream, frame)
        for index, (stream, frame) in enumerate(zip(streams, frames, strict=True))
        if frame is not None
    ]
    whole = reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), tagged)
    absent = [i for i, frame in enumerate(frames) if frame is None]
    none = [F.lit(None).cast(streams[i].declared).alias(struct_column(i)) for i in absent]
    return whole.select("*", *none) if none else whole


def frame_of_files(
    spark: SparkSession, index: int, stream: Stream, paths: Sequence[str]
) -> DataFrame:
    """Some files of a source, as `program_frame` has the rows of a stream; `_place` tells the
    file and the number of a row in it.
    """
    reader = spark.read.options(**dict(stream.options)).schema(readable_schema(stream))
    if stream.path is not None and any("=" in path for path in paths):
        # Columns of folders' names, which Spark reads below this folder alone.
        reader = reader.option("basePath", stream.path)
    return _tagged(index, stream, reader.format(stream.format).load(list(paths)), in_place=True)


def readable_schema(stream: Stream) -> StructType:
    """What to ask the reader for: the declared columns, and the text of rows that do not parse."""
    schema = _enveloped(stream) if stream.envelopes else stream.declared
    return schema.add(CORRUPT, StringType()) if stream.format in _TEXT_FORMATS else schema


def reader_options(stream_format: str, options: dict[str, str]) -> dict[str, str]:
    if stream_format not in _TEXT_FORMATS:
        return options
    return {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT, **options}


def read_stream(spark: SparkSession, index: int, stream: Stream, lost: bool = False) -> DataFrame:
    """A source as a streaming frame; `lost`: what is missing of its files is passed over."""
    reader = spark.readStream.name(f"s{index}_{_ascii(stream.name)}").format(stream.format)
    reader = reader.options(**reader_options(stream.format, dict(stream.options)))
    if _lies_in_epochs(stream):
        reader = reader.option("recursiveFileLookup", "true")
    if stream.format not in _FIXED_SCHEMA:
        reader = reader.schema(readable_schema(stream))
    if stream.path is None:
        return reader.load()
    if not lost:
        return reader.load(stream.path)
    reader = reader.options(ignoreMissingFiles="true", ignoreCorruptFiles="true")
    # Spark asks whether a folder is there, but not whether a pattern fits any.
    path = stream.path.rstrip("/")
    return reader.load(f"{path[:-1]}[{path[-1]}]" if is_lost(stream) else stream.path)


def is_lost(stream: Stream) -> bool:
    """Whether the local folder of a stream is not there. Nothing is said of other places."""
    path = (stream.path or "").removeprefix("file://")
    return bool(path) and "://" not in path and not _GLOB.search(path) and not Path(path).exists()


def _lies_in_epochs(stream: Stream) -> bool:
    """Whether a stream of elements is read in folders of any name, as `AS ELEMENTS` writes them
    (`epoch=<n>`). Spark takes such names for a column; if the first comes while it reads, the
    columns change, and it ends. Folders of a declared column's name are left to it.
    """
    if not stream.elements or stream.format not in _FILES or stream.path is None:
        return False
    if _GLOB.search(stream.path):
        return False
    folders = {name.partition("=")[0] for name in Storage(stream.path).names(".") if "=" in name}
    return folders.isdisjoint(stream.declared.names)


def _ascii(name: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "_" for char in name)


def _named(index: int, stream: Stream, frame: DataFrame) -> DataFrame:
    """A row for each file that has any. Nothing is read of it but how many they are."""
    hidden = frame.metadataColumn("_metadata")
    files = frame.select(hidden["file_path"].alias("file"), hidden["row_index"].alias("row"))
    none = F.lit(None)
    place = F.struct(none.alias("time"), F.col("file").alias("file"), none.alias("block"))
    return files.where("row = 0").select(
        F.lit(index).alias(STREAM),
        none.cast("long").alias(VS),
        none.cast("string").alias(CORRUPT),
        place.cast(_NOWHERE).alias(PLACE),
        none.cast(stream.declared).alias(struct_column(index)),
    )


def _tagged(index: int, stream: Stream, frame: DataFrame, in_place: bool = False) -> DataFrame:
    names = [field.name for field in stream.declared]
    declared = [F.col(quote(name)) for name in names]
    order = None if stream.order is None else F.col(quote(stream.order))
    if stream.envelopes and set(ENVELOPE) <= set(frame.columns):
        declared = _unwrapped(names)
        order = None if stream.order is None else declared[names.index(stream.order)]
    corrupt = F.col(CORRUPT) if CORRUPT in frame.columns else F.lit(None).cast("string")
    return frame.select(
        F.lit(index).alias(STREAM),
        order_value(stream, order).alias(VS),
        corrupt.alias(CORRUPT),
        _place(stream, frame, in_place).alias(PLACE),
        F.struct(*declared).alias(struct_column(index)),
    )


def _enveloped(stream: Stream) -> StructType:
    """An envelope as it stands, or below `payload` beside its schema."""
    *fields, _ = stream.declared.fields
    row = StructType(fields)
    envelope = StructType().add("before", row).add("after", row).add("op", StringType())
    return StructType([*envelope.fields]).add("payload", envelope)


def _unwrapped(names: Sequence[str]) -> list[Column]:
    """The row that a change inserts or deletes, and its operation last."""
    *columns, operation = names
    op = F.coalesce("payload.op", "op")
    parts = {side: F.coalesce(f"payload.{side}", side) for side in ("before", "after")}
    row = F.when(op == "d", parts["before"]).otherwise(parts["after"])
    return [*(row[name].alias(name) for name in columns), op.alias(operation)]


def order_value(stream: Stream, column: Column | None) -> Column:
    """The order value of a row as BIGINT; 0 where arrival stamps it (the epoch does)."""
    if column is None:
        return F.lit(0).cast("long")
    return F.unix_micros(column.cast("timestamp")) if stream.timestamps else column.cast("long")


def _place(stream: Stream, frame: DataFrame, in_place: bool) -> Column:
    """Where the source has a row, the same however its files and blocks are dealt out to tasks.

    Within a block (or where nothing is known of the place) rows are numbered as they are read.
    """
    time, file, block = (F.lit(None) for _ in range(3))
    if in_place:
        hidden = frame.metadataColumn("_metadata")
        time, file = F.unix_micros(hidden["file_modification_time"]), hidden["file_path"]
        block = hidden["row_index"]
    elif stream.ordered and stream.format in _FILES and frame.isStreaming:
        hidden = frame.metadataColumn("_metadata")
        time, file = F.unix_micros(hidden["file_modification_time"]), hidden["file_path"]
        block = hidden["file_block_start"]
    elif stream.ordered and stream.format == "kafka":
        time, file, block = F.col("partition"), F.col("topic"), F.col("offset")
    elif stream.ordered and stream.format in ("rate", "rate-micro-batch"):
        block = F.col("value")
    place = F.struct(time.alias("time"), file.alias("file"), block.alias("block"))
    return place.cast(_NOWHERE)
