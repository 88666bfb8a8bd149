"""The same average by hand, in Structured Streaming as it is: what lands is a late row.

A watermark has to let go of a window some time; rows behind it are dropped without a word. And it
has no notion of a correction: the landing of a flight is one more row of the window, beside the
one of its departure. Out: `out/by_hand`, Parquet (begin, origin, flights, delay).
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

HERE = Path(__file__).resolve().parent
SCHEMA = "ts TIMESTAMP, id BIGINT, origin STRING, delay INT, op STRING"


def main() -> None:
    """Runs until all files are read, and tells how many rows were dropped."""
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    quiet |= {"spark.sql.shuffle.partitions": "2"}
    builder = SparkSession.builder.master("local[2]").appName("by hand")
    spark = builder.config(map=quiet).config("spark.sql.session.timeZone", "UTC").getOrCreate()
    rows = spark.readStream.schema(SCHEMA).option("header", "true").option("maxFilesPerTrigger", 1)
    hours = (
        rows.csv(str(HERE / "data"))
        .withWatermark("ts", "1 hour")
        .groupBy(F.window("ts", "1 hour").alias("hour"), "origin")
        .agg(F.count("*").alias("flights"), F.avg("delay").alias("delay"))
        .select(F.col("hour.start").alias("begin"), "origin", "flights", "delay")
    )
    writer = hours.writeStream.format("parquet").outputMode("append")
    writer = writer.option("checkpointLocation", str(HERE / "state-by-hand"))
    query = writer.trigger(availableNow=True).start(str(HERE / "out" / "by_hand"))
    query.awaitTermination()
    dropped = sum(
        operator["numRowsDroppedByWatermark"]
        for progress in query.recentProgress
        for operator in progress["stateOperators"]
    )
    print(f"{dropped:,} rows were dropped behind the watermark")
    spark.stop()


if __name__ == "__main__":
    main()
