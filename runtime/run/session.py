"""The Spark session of a run, and the settings that the engine counts on."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final

from pyspark.sql import SparkSession

ENGINE_SETTINGS: Final = {
    # An epoch's plans are small and known: re-planning between stages only adds latency.
    "spark.sql.adaptive.enabled": "false",
    # INT96 has no statistics, so that no bucket could be skipped by a timestamp.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Landing writes one directory a stream: writers side by side, not a sort of the batch.
    "spark.sql.maxConcurrentOutputFileWriters": "64",
    # State and archive are named file by file: no listing job.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
    # Where a column was made in Python is of no use here, and costs a call to the JVM a column.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    # Sources can be added and removed on an old checkpoint, since each is named.
    "spark.sql.streaming.queryEvolution.enableSourceEvolution": "true",
    # Files of an epoch that no manifest names are garbage: no need for the slower committer.
    "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "2",
    # Spark's notes on local disks without checksum files: each costs two processes (chmod).
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "org.apache.hadoop.fs.local.RawLocalFs",
}

FORGOTTEN: Final = {
    # Spark keeps its last 1,000 executions for the pages of its UI, each with its plan. Without the
    # pages nobody looks at them. (Measured: 20 queries over four epochs left 80 MB; 27 MB so.)
    "spark.sql.ui.retainedExecutions": "10",
    "spark.ui.retainedJobs": "10",
    "spark.ui.retainedStages": "10",
}
"""Settings of a session without Spark's UI."""


def open_session(
    name: str, master: str | None, settings: Mapping[str, str], timezone: str
) -> SparkSession:
    """The active session, or a new one, with the engine's settings where the user gave none."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(name)
    if master is not None:
        builder = builder.master(master)
    elif not _submitted():
        builder = builder.master("local[*]")
    wanted = {
        **ENGINE_SETTINGS,
        "spark.sql.session.timeZone": timezone,
        "spark.sql.shuffle.partitions": str(os.cpu_count() or 2),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **settings,
    }
    if wanted["spark.ui.enabled"] == "false":
        wanted = {**FORGOTTEN, **wanted}
    for key, value in wanted.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel(log_level(spark))
    return spark


def log_level(spark: SparkSession) -> str:
    """What Spark may write to stderr: errors, unless the user asks for more."""
    return spark.conf.get("spark.log.level", "ERROR") or "ERROR"


def _submitted() -> bool:
    """Whether spark-submit has chosen a master already."""
    return "SPARK_ENV_LOADED" in os.environ or "spark.master" in os.environ.get(
        "PYSPARK_SUBMIT_ARGS", ""
    )
