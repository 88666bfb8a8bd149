"""The first instant that a stream of elements shows: that of an insert which may be heeded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import SparkSession

from ..connect.declarations import Stream
from ..connect.sources import struct_column
from ..elements.columns import VS, quote
from ..elements.physical import ARRIVAL, INSERT, KIND, after_stables, kind_of
from ..ledger.clock import Clock
from ..ledger.storage import Storage
from .landing import Landed, landed_frame
from .tuning import is_small


def with_firsts(
    spark: SparkSession,
    storage: Storage,
    streams: Sequence[Stream],
    landed: Landed,
    clock: Clock,
) -> Landed:
    """What has landed, with the first starts of its streams of elements that count. Costs a job
    where an insert before all others, which come after a stable, may come after it too.
    """
    firsts: dict[str, int | None] = {}
    for index, stream in enumerate(streams):
        files = landed.files.get(stream.name, ())
        if not stream.elements or not files:
            continue
        least, first = min(file.low[VS] for file in files), clock.first([stream.name])
        if landed.stable(stream.name) <= least or (first is not None and first <= least):
            continue
        rows = landed_frame(
            spark, storage, index, stream, (*files, *landed.told.get(stream.name, ()))
        )
        single = is_small(sum(file.rows for file in files))
        kind = kind_of(f"{struct_column(index)}.{quote(stream.elements[0])}")
        told = (rows.coalesce(1) if single else rows).selectExpr(VS, ARRIVAL, f"{kind} AS {KIND}")
        told.createOrReplaceTempView("_reflow_told")
        stable = clock.settled(stream.name)
        guarded = after_stables("_reflow_told", [VS, KIND], VS, stable, single)
        counts = f"{KIND} = {INSERT} AND {VS} >= _stable"
        found = spark.sql(f"SELECT min({VS}) AS first FROM ({guarded}) WHERE {counts}")
        firsts[stream.name] = found.toArrow().column(0)[0].as_py()
    return replace(landed, firsts=firsts) if firsts else landed
