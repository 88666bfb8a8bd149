"""MEMORY: a temporary view named after the query. Its rows are kept in the checkpoint, so that a restart has them."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

from ...elements.columns import quote
from ...ledger.storage import Storage


def directory(query: str) -> str:
    return f"memory/{query}"


def write(frame: DataFrame, storage: Storage, query: str, epoch: int) -> dict[str, Any]:
    """Keep one epoch's rows."""
    target = storage.spark_path(f"{directory(query)}/epoch={epoch}")
    frame.write.mode("overwrite").parquet(target)
    return {"epoch": epoch}


def publish(
    spark: SparkSession, storage: Storage, query: str, mode: str, key: list[str]
) -> None:
    """Make or refresh the view; AS UPSERT shows the current row of each key."""
    described = f"{directory(query)}/view.json"
    if not storage.exists(described):
        storage.create(described, {"mode": mode, "key": key})
    epochs = [name for name in storage.names(directory(query)) if name.startswith("epoch=")]
    if not epochs:
        return
    base = storage.spark_path(directory(query))
    rows = spark.read.option("basePath", base).parquet(*[f"{base}/{name}" for name in epochs])
    if mode == "upsert":
        rows = current(rows, key)
    rows.createOrReplaceTempView(quote(query))


def publish_committed(spark: SparkSession, storage: Storage, query: str) -> None:
    """Make the view of what earlier runs put out, if there is any."""
    described = f"{directory(query)}/view.json"
    if storage.exists(described):
        view = storage.read_json(described)
        publish(spark, storage, query, view["mode"], view["key"])


def current(upserts: DataFrame, key: list[str]) -> DataFrame:
    """The newest row of each key in the output of an UPSERT sink, without deleted ones."""
    newest = Window.partitionBy(*[F.col(quote(k)) for k in key]).orderBy(F.col("epoch").desc())
    ranked = upserts.withColumn("_newest", F.row_number().over(newest))
    alive = ranked.where((F.col("_newest") == 1) & ~F.col("deleted"))
    return alive.drop("_newest", "deleted", "epoch")
