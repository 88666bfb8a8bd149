"""Spark settings that depend on the size of an epoch."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame, SparkSession

SMALL_EPOCH: Final = 100_000
"""Rows that an epoch may read, new ones, state and archive together, to count as small."""

ROWS_AS_THEY_ARE: Final = 1_000_000
"""Rows that an epoch may read so that what it keeps is kept as rows, its plan cut off. More rows
are laid out by columns, which takes longer and far less memory.
"""

BY_EPOCH_SIZE: Final = {
    # Every epoch's code holds other instants: compiling it takes longer than running it spares.
    "spark.sql.codegen.wholeStage": ("false", "true"),
    "spark.sql.codegen.factoryMode": ("NO_CODEGEN", "FALLBACK"),
    # A broadcast is a job of its own: rows that are one partition are joined where they are.
    "spark.sql.autoBroadcastJoinThreshold": ("-1", "10485760"),
}
"""Settings that suit (small, large) epochs."""


def is_small(rows: int) -> bool:
    """Whether an epoch that may read so many rows is a small one."""
    return rows <= SMALL_EPOCH


def is_cut(rows: int, master: str) -> bool:
    """Whether an epoch that may read so many rows cuts the plan of what it keeps. Not where an
    executor can be lost, and the rows with it.
    """
    return rows <= ROWS_AS_THEY_ARE and master.partition("[")[0] == "local"


def kept(frame: DataFrame, cut: bool, at_once: bool = False) -> DataFrame:
    """A frame that is read several times, to be let go by whoever asked; `cut`: its plan is cut
    off, `at_once`: by computing it now.
    """
    return frame.localCheckpoint(eager=at_once) if cut else frame.persist()


def tune(spark: SparkSession, small: bool) -> None:
    """Set what suits an epoch, where the user has set nothing."""
    given = spark.sparkContext.getConf()
    for name, values in BY_EPOCH_SIZE.items():
        if not given.contains(name):
            spark.conf.set(name, values[0 if small else 1])
