"""FEEDBACK between programs (LMERGE V-D, decision 24): who merges what another program writes says
beside it how far it is, and the writer passes over what nobody needs any more.

`PATH/_feedback/<reader>.json`: `{"frontier": an order value, "order": the column that has it,
"timestamps": whether it is in microseconds}`. There is one for each stream that is read there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import pyarrow as pa

from ..ledger.storage import Storage
from .declarations import Nrr, Query, Stream

FOLDER: Final = "_feedback"
"""Spark reads nothing from folders whose names begin so."""
START: Final = "vs"
"""The column of elements that has their start."""
_FILES: Final = frozenset({"parquet", "json", "csv"})
_FAILURES: Final = (OSError, ValueError, KeyError, TypeError, pa.ArrowException)


def publish(
    checkpoint: Storage,
    streams: Sequence[Stream],
    nrrs: Sequence[Nrr],
    decided: Mapping[str, int],
) -> None:
    """Say of streams, beside their files, before which order value their rows are not needed; take
    it back of those of which there is nothing to say. What cannot be written costs time, no answer.
    """
    if not any(map(_skips, streams)):
        return
    sources: list[Stream | Nrr] = [*streams, *nrrs]
    others = {_place(each.path) for each in sources if each.path and not _skips(each)}
    for stream in streams:
        if not _skips(stream) or stream.path is None or _place(stream.path) in others:
            continue
        try:
            _say(checkpoint, stream, Storage(stream.path), decided.get(stream.name))
        except _FAILURES:
            continue


def _skips(source: Stream | Nrr) -> bool:
    return isinstance(source, Stream) and bool(source.skips) and source.format in _FILES


def _place(path: str) -> str:
    try:
        return Storage(path).uri
    except _FAILURES:
        return path


def _say(checkpoint: Storage, stream: Stream, folder: Storage, frontier: int | None) -> None:
    # Of one program there may be several runs, each with a checkpoint of its own.
    who = hashlib.sha256(f"{checkpoint.uri}\0{stream.name}".encode()).hexdigest()[:16]
    path = f"{FOLDER}/{who}.json"
    if frontier is None:
        folder.delete(path)
        return
    if folder.exists("."):
        said = {"frontier": frontier, "order": stream.order, "timestamps": stream.timestamps}
        folder.replace(path, said)


def heard(streams: Iterable[Stream], queries: Mapping[str, Query]) -> dict[str, int]:
    """Query -> the order value before which no reader of its elements needs any; without those
    whose readers have said nothing, or something that is not about elements.
    """
    asked = {query: stream.timestamps for stream in streams for query in stream.heeds}
    found = {query: _least(queries[query], timestamps) for query, timestamps in asked.items()}
    return {query: frontier for query, frontier in found.items() if frontier is not None}


def _least(query: Query, timestamps: bool) -> int | None:
    assert query.path is not None
    try:
        folder = Storage(query.path)
        names = [name for name in folder.names(FOLDER) if name.endswith(".json")]
        said = [folder.read_json(f"{FOLDER}/{name}") for name in names]
        if any((each["order"], each["timestamps"]) != (START, timestamps) for each in said):
            return None
        return min((int(each["frontier"]) for each in said), default=None)
    except _FAILURES:
        return None
