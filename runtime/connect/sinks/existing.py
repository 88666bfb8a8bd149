"""What lies at a sink's path before its first epoch: the output of another run.

Mixed with it, a new run's output would be wrong: epochs have the same numbers, a log's lines would
be added up, and Spark's file sink skips the batches that its log beside the files already names.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ...ledger.storage import Storage
from ..declarations import Query
from ..sink_log import SINK_LOG

_ELSEWHERE: Final = frozenset({"memory", "console"})
_EPOCH: Final = "epoch="

_SPARK_FILE: Final = "part-"


class OutputExists(Exception):
    """The sink's path holds the output of another run."""


def refuse(queries: Iterable[Query]) -> None:
    """Raise OutputExists if one of the sinks, all of which have yet to write, finds output."""
    for query in queries:
        if _is_there(query):
            raise OutputExists(
                f"{query.path} holds the output of another run, and this checkpoint is new: remove"
                " it, write to another place, go on with the old checkpoint, or start over with"
                " --rebuild, which removes it"
            )


def remove(queries: Iterable[Query]) -> None:
    """Remove what runs wrote to these sinks, and nothing else that lies there."""
    for query in queries:
        if query.path is None or query.format in _ELSEWHERE:
            continue
        if query.format == "log":
            Path(query.path).unlink(missing_ok=True)
            continue
        storage = Storage(query.path)
        begun = [name for name in storage.names(".") if name.startswith(f".{_EPOCH}")]
        for name in (*begun, *_written(storage)):
            storage.delete(name)


def _is_there(query: Query) -> bool:
    if query.path is None or query.format in _ELSEWHERE:
        return False
    if query.format == "log":
        target = Path(query.path)
        return target.exists() and target.stat().st_size > 0
    return bool(_written(Storage(query.path)))


def _written(storage: Storage) -> list[str]:
    """Folders of epochs, and what Spark's file sink wrote: its log last, for it tells of them."""
    names = storage.names(".")
    found = [name for name in names if name.startswith(_EPOCH)]
    if SINK_LOG in names:
        found += [name for name in names if name.startswith(_SPARK_FILE)]
        found.append(SINK_LOG)
    return found
