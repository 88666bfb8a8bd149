"""The peers' queries as hand-written Structured Streaming, run as a process of its own.

In: the CSV files of `benchmarks.generators.network`. Out: Parquet files, and on stdout one JSON
object a batch with Spark's names (numInputRows, durationMs).

Written as one who knows Spark would: only the columns that are used, an explicit schema, as many
shuffle partitions as cores, watermarks on both sides of a join and no longer than the order of the
input asks for, a time bound in the join so that state is dropped, append mode.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

SCHEMA = "ts TIMESTAMP, link INT, src INT, dst INT, protocol STRING, nbytes INT"
STORES = {
    "memory": "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    "rocksdb": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}
# The input is in order; a delay of zero is refused by newer versions on joins.
DELAY = "1 second"


def read(spark: SparkSession, path: str) -> DataFrame:
    """One file of the input a batch."""
    reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    return reader.option("header", "true").csv(path)


def scan(spark: SparkSession, path: str) -> DataFrame:
    """Scan and filter."""
    return read(spark, path).where("protocol = 'telnet'").select("ts", "src", "nbytes")


def pairs(spark: SparkSession, path: str) -> DataFrame:
    """telnet flows of links 1 and 2 of one source, less than 20 seconds apart."""

    def side(link: int, prefix: str) -> DataFrame:
        return (
            read(spark, path)
            .where(f"protocol = 'telnet' AND link = {link}")
            .selectExpr(f"ts AS {prefix}_ts", f"src AS {prefix}_src", f"nbytes AS {prefix}_bytes")
            .withWatermark(f"{prefix}_ts", DELAY)
        )

    near = F.expr(
        "a_src = b_src AND a_ts > b_ts - INTERVAL 20 SECONDS AND a_ts < b_ts + INTERVAL 20 SECONDS"
    )
    joined = side(1, "a").join(side(2, "b"), near)
    return joined.selectExpr("a_ts", "b_ts", "a_src AS src", "a_bytes", "b_bytes")


def panes(spark: SparkSession, path: str) -> DataFrame:
    """The average of five minutes, every minute."""
    window = F.window("ts", "5 minutes", "1 minute")
    grouped = read(spark, path).select("ts", "src", "nbytes").withWatermark("ts", DELAY)
    return (
        grouped.groupBy(window, "src")
        .agg(F.avg("nbytes").alias("average"), F.count(F.lit(1)).alias("n"))
        .selectExpr("window.end AS at", "src", "average", "n")
    )


def recent(spark: SparkSession, path: str) -> DataFrame:
    """For every row the average of its source over the last 20 seconds.

    Streaming has no OVER with a range, so it is a self join and an aggregate by row above it.
    """
    rows = read(spark, path).selectExpr("ts AS r_ts", "src AS r_src").withWatermark("r_ts", DELAY)
    past = (
        read(spark, path)
        .selectExpr("ts AS p_ts", "src AS p_src", "nbytes")
        .withWatermark("p_ts", DELAY)
    )
    within = F.expr("r_src = p_src AND p_ts <= r_ts AND p_ts > r_ts - INTERVAL 20 SECONDS")
    return (
        rows.join(past, within)
        .groupBy("r_ts", "r_src")
        .agg(F.avg("nbytes").alias("average"))
        .selectExpr("r_ts AS ts", "r_src AS src", "average")
    )


QUERIES: dict[str, Callable[[SparkSession, str], DataFrame]] = {
    "scan": scan,
    "pairs": pairs,
    "panes": panes,
    "recent": recent,
}


def main() -> None:
    """`python -m benchmarks.support.native_spark QUERY --store memory`."""
    parser = argparse.ArgumentParser(description="One query as native Structured Streaming.")
    parser.add_argument("query", choices=QUERIES)
    parser.add_argument("--store", choices=STORES, default="memory")
    parser.add_argument("--data", default="data/flows/")
    parser.add_argument("--out", default="out-native")
    parser.add_argument("--memory", default="4g")
    given = parser.parse_args()
    spark = session(given.store, given.memory)
    query = (
        QUERIES[given.query](spark, given.data)
        .writeStream.format("parquet")
        .option("path", given.out)
        .option("checkpointLocation", f"{given.out}-checkpoint")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    for progress in query.recentProgress:
        print_progress(json.loads(progress.json))
    spark.stop()


def session(store: str, memory: str) -> SparkSession:
    """Spark on all cores of this machine."""
    cores = len(os.sched_getaffinity(0))
    spark = (
        SparkSession.builder.master(f"local[{cores}]")
        .config("spark.driver.memory", memory)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", cores)
        .config("spark.sql.streaming.stateStore.providerClass", STORES[store])
        .config("spark.sql.streaming.numRecentProgressUpdates", 100_000)
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def print_progress(progress: dict[str, Any]) -> None:
    """The batch under the names that `harness.run_json_lines` reads."""
    # A self join reads the files twice; the rows of the workload are those of one of its sources.
    rows = progress["sources"][0]["numInputRows"]
    line = {
        "event": "epoch",
        "batchId": progress["batchId"],
        "numInputRows": rows,
        "durationMs": progress["durationMs"],
    }
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
