"""File sinks: a directory `epoch=<n>` an epoch, so that a repeat replaces it and readers see the
epoch as a column. On a local file system it has a hidden name until its epoch is committed: who
reads while we write never sees what an epoch leaves that is begun again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pyspark.sql import DataFrame

from ...ledger.files import UNMARKED
from ...ledger.storage import Storage
from ..declarations import Query

UNFILED: Final = frozenset({"memory", "console", "log"})
"""Sinks that are no folder of files."""


def prepare(path: str, epoch: int) -> Storage:
    """Clear what a crashed attempt at this epoch left."""
    storage = Storage(path)
    storage.delete(f"epoch={epoch}")
    storage.delete(_hidden(epoch))
    return storage


def write(
    frame: DataFrame, storage: Storage, epoch: int, format_: str, options: Mapping[str, str]
) -> dict[str, Any]:
    """Write one epoch, which `publish` shows to readers. One Spark job."""
    # Elsewhere a folder cannot be renamed at once, or not at all.
    target = storage.spark_path(_hidden(epoch) if storage.is_local else f"epoch={epoch}")
    frame.write.format(format_).options(**UNMARKED, **options).mode("overwrite").save(target)
    return {"epoch": epoch}


def publish(query: Query, position: Mapping[str, Any], epoch: int) -> None:
    """Show what a committed epoch has written, if it has not been shown yet."""
    if query.path is None or query.format in UNFILED or position.get("epoch") != epoch:
        return
    storage = Storage(query.path)
    if storage.is_local and storage.exists(_hidden(epoch)):
        storage.move(_hidden(epoch), f"epoch={epoch}")


def _hidden(epoch: int) -> str:
    return f".epoch={epoch}"
