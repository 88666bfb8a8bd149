"""File sinks: a directory `epoch=<n>` an epoch, so that a repeat replaces it and readers see the
epoch as a column.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

from ...ledger.storage import Storage


class OutputExists(Exception):
    """The sink's path holds the output of another run."""


def prepare(path: str, epoch: int, first: bool) -> Storage:
    """Clear what a crashed attempt at this epoch left.

    `first`: the checkpoint is new. Raises OutputExists if the path holds epochs all the same: mixed
    with them, the output would be wrong.
    """
    storage = Storage(path)
    if first and any(name.startswith("epoch=") for name in storage.names(".")):
        raise OutputExists(
            f"{path} holds the output of another run, and this checkpoint is new: remove that"
            " directory, write to another one, or go on with the old checkpoint"
        )
    storage.delete(f"epoch={epoch}")
    return storage


def write(
    frame: DataFrame, storage: Storage, epoch: int, format_: str, options: Mapping[str, str]
) -> dict[str, Any]:
    """Write one epoch. One Spark job."""
    target = storage.spark_path(f"epoch={epoch}")
    quiet = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}
    frame.write.format(format_).options(**quiet, **options).mode("overwrite").save(target)
    return {"epoch": epoch}
