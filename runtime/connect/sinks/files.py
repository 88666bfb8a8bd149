"""File sinks: a directory `epoch=<n>` an epoch, so that a repeat replaces it and readers see the
epoch as a column.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

from ...ledger.files import UNMARKED
from ...ledger.storage import Storage


def prepare(path: str, epoch: int) -> Storage:
    """Clear what a crashed attempt at this epoch left."""
    storage = Storage(path)
    storage.delete(f"epoch={epoch}")
    return storage


def write(
    frame: DataFrame, storage: Storage, epoch: int, format_: str, options: Mapping[str, str]
) -> dict[str, Any]:
    """Write one epoch. One Spark job."""
    target = storage.spark_path(f"epoch={epoch}")
    frame.write.format(format_).options(**UNMARKED, **options).mode("overwrite").save(target)
    return {"epoch": epoch}
