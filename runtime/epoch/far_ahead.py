"""Rows absurdly far ahead of the others of their epoch, which would move the clock: they are taken
out of what has landed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from ..connect import dead_letters
from ..connect.declarations import Stream
from ..connect.sources import STREAM, struct_column
from ..elements.columns import DAWN, VS, big
from ..elements.validate import TOO_FAR_AHEAD, ahead_limit
from ..ledger.files import DataFile, writer, written_files
from ..ledger.storage import Storage
from .landing import Landed, as_json, landed_frame
from .timing import Judges


def without_far_ahead(
    spark: SparkSession,
    storage: Storage,
    streams: Sequence[Stream],
    landed: Landed,
    epoch: int,
    judges: Judges,
) -> Landed:
    """Take rows absurdly far ahead out of the elements. Costs a job only if the epoch spans that
    much time.
    """
    for index, stream in enumerate(streams):
        clock = judges.of[stream.name]
        files = tuple(file for file in landed.files[stream.name] if not file.revised)
        ahead = stream.max_ahead
        if ahead is None or stream.order is None or not files:
            continue
        top, bottom = max(f.high[VS] for f in files), min(f.low[VS] for f in files)
        # Those that are passed over are other rows of the epoch, too.
        skipped = landed.skipped.get(stream.name)
        bottom = bottom if skipped is None else min(bottom, skipped.low[VS])
        # The default limit needs other rows to compare with; a written one holds for a lone row.
        alone = stream.max_ahead_written and clock.now != DAWN
        if top - (clock.now if alone else max(clock.now, bottom)) <= ahead:
            continue
        frame = landed_frame(spark, storage, index, stream, files)
        first = clock.first([stream.name])
        limit = ahead_limit(
            _stretches(frame, ahead, skipped), clock.now, first, ahead, stream.max_ahead_written
        )
        if limit is not None:
            landed = _cut(spark, storage, index, stream, landed, epoch, limit)
    return landed


def _stretches(
    frame: DataFrame, ahead: int, skipped: DataFile | None = None
) -> list[tuple[int, int, int]]:
    by_time = frame.groupBy(F.floor(F.col(VS) / max(ahead, 1)))
    counted = by_time.agg(
        F.min(VS).alias("least"), F.max(VS).alias("largest"), F.count("*").alias("n")
    )
    table = counted.toArrow().to_pylist()
    found = [(row["least"], row["largest"], row["n"]) for row in table]
    found += [] if skipped is None else [(skipped.low[VS], skipped.high[VS], skipped.rows)]
    return sorted(found)


def _cut(
    spark: SparkSession,
    storage: Storage,
    index: int,
    stream: Stream,
    landed: Landed,
    epoch: int,
    limit: int,
) -> Landed:
    """The files that have rows beyond the limit are written without them."""
    every = landed.files[stream.name]
    cut = tuple(file for file in every if not file.revised and file.high[VS] > limit)
    frame = landed_frame(spark, storage, index, stream, cut)
    directory = f"landing/{epoch:08d}-near/{STREAM}={index}"
    near = frame.where(f"{VS} <= {big(limit)}")
    writer(near).parquet(storage.spark_path(directory))
    kept = tuple(written_files(storage, directory, epoch))
    row = f"{as_json(struct_column(index))} AS row"
    far = frame.where(f"{VS} > {big(limit)}").selectExpr(f"{VS} AS vs", row)
    far = far.withColumns({"stream": F.lit(stream.name), "reason": F.lit(TOO_FAR_AHEAD)})
    far = far.select(*dead_letters.COLUMNS)
    others = [file for file in every if file not in cut]
    moved = sum(file.rows for file in cut) - sum(file.rows for file in kept)
    dead = far if landed.dead is None else landed.dead.unionByName(far)
    files = {**landed.files, stream.name: (*kept, *others)}
    return replace(landed, files=files, dead=dead, dead_rows=landed.dead_rows + moved)
