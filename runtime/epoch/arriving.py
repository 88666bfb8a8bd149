"""What becomes of a batch: its rows land, or the files that they lie in are named."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from ..connect.declarations import Stream
from ..ledger.storage import Storage
from .far_ahead import without_far_ahead
from .landing import Landed, written
from .naming import Naming
from .timing import Judges


def land(
    spark: SparkSession,
    storage: Storage,
    streams: Sequence[Stream],
    batch: DataFrame,
    epoch: int,
    judges: Judges,
    stamp: int,
) -> Landed:
    """Pass once over a batch, write its rows and name the files that stay in place; costs one Spark
    job, and more where rows are not as they should be.

    `judges`: by the clocks of the parent; `stamp`: the order value of streams ordered by arrival.
    """
    directory = f"landing/{epoch:08d}"
    landed = written(spark, storage, streams, batch, directory, epoch, judges, stamp)
    if any(stream.in_place for stream in streams):
        landed = Naming(spark, storage, streams, epoch, judges, stamp).added(landed, directory)
    return without_far_ahead(spark, storage, streams, landed, epoch, judges)
