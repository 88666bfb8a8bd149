"""MEMORY: a temporary view named after the query. Its rows are kept in the checkpoint, so that a
restart has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession

from ...elements.columns import listed, quote
from ...ledger.storage import Storage

DIRECTORY: Final = "memory"
_VIEW: Final = "view.json"


def directory(query: str) -> str:
    return f"{DIRECTORY}/{query}"


def write(
    frame: DataFrame, folder: Storage, query: str, epoch: int, mode: str, key: Sequence[str]
) -> dict[str, Any]:
    """Keep one epoch's rows in the query's folder and refresh its view."""
    frame.write.mode("overwrite").parquet(folder.spark_path(f"epoch={epoch}"))
    if not folder.exists(_VIEW):
        folder.create(_VIEW, {"mode": mode, "key": list(key)})
    publish(frame.sparkSession, folder, query)
    return {"epoch": epoch}


def publish(spark: SparkSession, folder: Storage, query: str) -> None:
    """Make or refresh the view of what is there; AS UPSERT shows the current row of each key."""
    epochs = [name for name in folder.names(".") if name.startswith("epoch=")]
    if not epochs or not folder.exists(_VIEW):
        return
    view = folder.read_json(_VIEW)
    paths = [folder.spark_path(name) for name in epochs]
    rows = spark.read.option("basePath", folder.uri).parquet(*paths)
    if view["mode"] == "upsert":
        rows = _current(rows, view["key"])
    rows.createOrReplaceGlobalTempView(quote(query))
    rows.createOrReplaceTempView(quote(query))


def _current(upserts: DataFrame, key: list[str]) -> DataFrame:
    """The newest row of each key, without deleted ones."""
    newest = f"row_number() OVER (PARTITION BY {listed(key)} ORDER BY epoch DESC) AS _newest"
    alive = upserts.selectExpr("*", newest).where("_newest = 1 AND NOT deleted")
    return alive.drop("_newest", "deleted", "epoch")
