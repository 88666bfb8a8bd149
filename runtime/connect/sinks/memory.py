"""MEMORY: a temporary view in the session of the run, named as INTO says or like the query. Its
rows are kept in the checkpoint, so that a restart has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession

from ...elements.columns import listed, quote
from ...ledger.storage import Storage

DIRECTORY: Final = "memory"
_VIEW: Final = "view.json"


def directory(query: str) -> str:
    return f"{DIRECTORY}/{query}"


def write(
    frame: DataFrame, folder: Storage, epoch: int, mode: str, key: Sequence[str]
) -> dict[str, Any]:
    """Keep one epoch's rows in the query's folder."""
    frame.write.mode("overwrite").parquet(folder.spark_path(f"epoch={epoch}"))
    if not folder.exists(_VIEW):
        folder.create(_VIEW, {"mode": mode, "key": list(key)})
    return {"epoch": epoch}


def publish(
    spark: SparkSession, storage: Storage, query: str, view_name: str, position: Mapping[str, Any]
) -> None:
    """Make or refresh the view in that session: the rows of the epochs up to the sink's committed
    position. AS UPSERT shows the current row of each key.
    """
    folder = Storage(storage.spark_path(directory(query)))
    epochs = [name for name in folder.names(".") if _is_committed(name, position)]
    if not epochs:
        return
    view = folder.read_json(_VIEW)
    paths = [folder.spark_path(name) for name in epochs]
    rows = spark.read.option("basePath", folder.uri).parquet(*paths)
    if view["mode"] == "upsert":
        rows = _current(rows, view["key"])
    rows.createOrReplaceTempView(quote(view_name))


def _is_committed(name: str, position: Mapping[str, Any]) -> bool:
    number = name.removeprefix("epoch=")
    return number.isdigit() and int(number) <= position.get("epoch", 0)


def _current(upserts: DataFrame, key: list[str]) -> DataFrame:
    """The newest row of each key, without deleted ones."""
    newest = f"row_number() OVER (PARTITION BY {listed(key)} ORDER BY epoch DESC) AS _newest"
    alive = upserts.selectExpr("*", newest).where("_newest = 1 AND NOT deleted")
    return alive.drop("_newest", "deleted", "epoch")
