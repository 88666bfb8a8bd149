"""The dead-letter table: rows that could not be elements, with the reason, kept and counted.

A Parquet table `dead_letters/epoch=<n>` in the checkpoint with columns stream, reason, vs (order
value, BIGINT or NULL), row (the row as JSON, or the text that could not be parsed).
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame

DIRECTORY: Final = "dead_letters"
COLUMNS: Final = ("stream", "reason", "vs", "row")


def directory(epoch: int) -> str:
    return f"{DIRECTORY}/epoch={epoch}"


def write(frame: DataFrame, path: str, more: bool = False) -> None:
    """Write one epoch's dead letters; a repeated epoch replaces them. `more`: there are some."""
    mode = "append" if more else "overwrite"
    frame.select(*COLUMNS).coalesce(1).write.mode(mode).parquet(path)
