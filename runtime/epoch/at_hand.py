"""Slices of which only some rows are replayed, found before the epoch is planned: those with some
values, or a sample.

The replay of few rows is a small epoch, which to look through many is not: one pass with generated
code, on all cores, finds them, and their number tells how to go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from ..connect.declarations import Stream
from ..connect.sources import struct_column
from ..elements.columns import ADDED
from ..elements.deltas import union
from ..ledger.storage import Storage
from .landing import landed_frame
from .slices import AtHand, Slices
from .tuning import is_cut, kept, tune

FEW: Final = 10_000
"""Rows that are looked through where they are read."""


def at_hand(
    spark: SparkSession,
    storage: Storage,
    streams: Mapping[str, tuple[int, Stream]],
    found: Slices,
) -> Slices:
    """The slices, with their rows where that pays. Costs a Spark job for each stream."""
    master = spark.sparkContext.master or ""
    if not found.picks or found.looked_through <= FEW or not is_cut(0, master):
        return found
    tune(spark, small=False)
    frames, rows = {}, 0
    for name in found.new:
        place = streams[name]
        parts = (rows_of(spark, storage, *place, found, added) for added in (False, True))
        frame = union(*parts)
        if frame is not None:
            frames[name], count = _computed(frame)
            rows += count
    return replace(found, at_hand=AtHand(frames, rows))


def rows_of(
    spark: SparkSession,
    storage: Storage,
    index: int,
    stream: Stream,
    found: Slices,
    added: bool,
) -> DataFrame | None:
    """The rows of a stream that are replayed, as landed files have them, with `_added`: those that
    were there, or those that were added.
    """
    old = found.old.get(stream.name, ())
    files = found.new.get(stream.name, ())[len(old) :] if added else old
    if not files:
        return None
    rows = landed_frame(spark, storage, index, stream, files)
    within = rows.where(found.condition(stream.name, struct_column(index)))
    if found.sample is not None and not added:
        within = within.where(found.sample.condition(stream, struct_column(index)))
    return within.withColumn(ADDED, F.lit(added))


def _computed(frame: DataFrame) -> tuple[DataFrame, int]:
    """The rows, computed, and their number."""
    seen = Observation()
    counted = frame.observe(seen, F.count(F.lit(1)).alias("rows"))
    return kept(counted, cut=True, at_once=True), int(seen.get["rows"])
