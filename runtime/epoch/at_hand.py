"""Slices of which only the rows with some values are replayed, found before the epoch is planned.

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
from ..elements.deltas import union
from ..ledger.files import DataFile
from ..ledger.storage import Storage
from .landing import landed_frame
from .slices import ADDED, AtHand, Slices
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
    if not found.some_values or found.rows <= FEW or not is_cut(0, master):
        return found
    tune(spark, small=False)
    frames, rows = {}, 0
    for name, files in found.new.items():
        old = len(found.old.get(name, ()))
        index, stream = streams[name]
        parts = (
            _read(spark, storage, index, stream, found, part, added)
            for part, added in ((files[:old], False), (files[old:], True))
        )
        frame = union(*parts)
        if frame is not None:
            frames[name], count = _computed(frame)
            rows += count
    return replace(found, at_hand=AtHand(frames, rows))


def _read(
    spark: SparkSession,
    storage: Storage,
    index: int,
    stream: Stream,
    found: Slices,
    files: tuple[DataFile, ...],
    added: bool,
) -> DataFrame | None:
    if not files:
        return None
    rows = landed_frame(spark, storage, index, stream, files)
    within = rows.where(found.condition(stream.name, struct_column(index)))
    return within.withColumn(ADDED, F.lit(added))


def _computed(frame: DataFrame) -> tuple[DataFrame, int]:
    """The rows, computed, and their number."""
    seen = Observation()
    counted = frame.observe(seen, F.count(F.lit(1)).alias("rows"))
    return kept(counted, cut=True, at_once=True), int(seen.get["rows"])
