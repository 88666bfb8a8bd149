"""The epoch protocol, step by step (DESIGN section 2): exactly once, whatever dies where.

Each step is a function; after each, `reached` is called. If the process dies anywhere, the same
batch comes again, finds the intent, and the epoch starts over from its parent: everything written
before is replaced or never named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from pyspark.sql import DataFrame

from ..archive import compaction
from ..archive import index as bucket_index
from ..connect import dead_letters, revisions
from ..connect.sources import struct_column
from ..elements.deltas import union
from ..ledger.files import DataFile, written_files
from ..ledger.manifest import StateFiles
from ..ledger.storage import Storage
from .compacting import Compacting
from .context import EpochContext
from .landing import Landed, landed_frame

STEPS: Final = (
    *("pinned", "intended", "landed", "revised", "buried"),
    *("sink", "state", "merged", "folded", "recorded", "committed"),
)
"""The steps after which `reached` is called, in order: `revised` for each stream that has been
corrected, `sink` and `state` for each write, `merged` where buckets were laid together and `folded`
where revisions were folded into some, `recorded` where something was corrected.
"""

_WRITERS: Final = 3


def reached(step: str, epoch: int) -> None:
    """Called after each step. Does nothing: a place for tests to strike."""


def bury(storage: Storage, landed: Landed, epoch: int) -> None:
    """Keep what could not be an element in the dead-letter table."""
    directory = dead_letters.directory(epoch)
    storage.delete(directory)
    if landed.dead is not None:
        dead_letters.write(landed.dead, storage.spark_path(directory))
    reached("buried", epoch)


def write_ahead(epoch: EpochContext, names: frozenset[str]) -> None:
    """Write the state of these names before all else."""
    _run([_state_job(epoch, each) for each in epoch.state.additions if each.name in names])


def write(epoch: EpochContext) -> tuple[dict[str, dict[str, Any]], dict[str, StateFiles]]:
    """Write sinks, state and buckets anew, side by side, but for what is written; gives sink
    positions and the archive's files.
    """
    compactions = [_compaction_job(epoch, name) for name in epoch.parent.archive]
    jobs: list[Callable[[], tuple[str, str, Any]]] = []
    jobs += [_sink_job(epoch, output.query, output.write) for output in epoch.outputs]
    additions = [each for each in epoch.state.additions if each.name not in epoch.state.written]
    jobs += [_state_job(epoch, addition) for addition in additions]
    jobs += [job for job in compactions if job is not None]
    jobs += [_letters_job(epoch)] if epoch.rejected else []
    results = _run(jobs)
    epoch.rejected_rows = sum(value for kind, _, value in results if kind == "letters")
    positions = {name: value for kind, name, value in results if kind == "sink"}
    compacted = {name: value for kind, name, value in results if kind == "compaction"}
    return positions, _archive(epoch, compacted)


def record(epoch: EpochContext, cost: revisions.Cost) -> None:
    """Keep what was corrected in the table of revisions."""
    rows = union(*_revisions(epoch, cost))
    if rows is not None:
        revisions.write(rows, epoch.storage.spark_path(revisions.directory(epoch.number)))
        reached("recorded", epoch.number)


def _revisions(epoch: EpochContext, cost: revisions.Cost) -> Iterator[DataFrame]:
    for name, (index, stream) in epoch.streams.items():
        files = [file for file in epoch.landed.files.get(name, ()) if file.revised]
        if files:
            elements = landed_frame(epoch.spark, epoch.storage, index, stream, files)
            elements = elements.coalesce(1) if epoch.in_one_partition else elements
            yield revisions.table(elements, stream, struct_column(index), cost)


def _run(jobs: list[Callable[[], tuple[str, str, Any]]]) -> list[tuple[str, str, Any]]:
    if len(jobs) < 2:
        return [job() for job in jobs]
    with ThreadPoolExecutor(_WRITERS) as pool:
        return list(pool.map(lambda job: job(), jobs))


def _sink_job(
    epoch: EpochContext, query: str, write_output: Callable[[], dict[str, Any]]
) -> Callable[[], tuple[str, str, Any]]:
    def job() -> tuple[str, str, Any]:
        position = write_output()
        reached("sink", epoch.number)
        return "sink", query, position

    return job


def _state_job(epoch: EpochContext, addition: Any) -> Callable[[], tuple[str, str, Any]]:
    def job() -> tuple[str, str, Any]:
        epoch.state.write(addition)
        reached("state", epoch.number)
        return "state", addition.name, None

    return job


def _letters_job(epoch: EpochContext) -> Callable[[], tuple[str, str, Any]]:
    """What operators rejected joins what could not land; gives how many rows it is."""

    def job() -> tuple[str, str, Any]:
        directory = dead_letters.directory(epoch.number)
        before = {path for path, _ in epoch.storage.files(directory, ".parquet")}
        letters = union(*epoch.rejected)
        assert letters is not None
        dead_letters.write(letters, epoch.storage.spark_path(directory), more=True)
        found = written_files(epoch.storage, directory, epoch.number)
        if not found:
            # Most epochs reject nothing, which is known only now: they leave no file.
            epoch.storage.delete(directory)
        return "letters", "", sum(file.rows for file in found if file.path not in before)

    return job


def _compaction_job(epoch: EpochContext, name: str) -> Callable[[], tuple[str, str, Any]] | None:
    files, stream = epoch.parent.archive[name].files, epoch.streams[name][1]
    folds = stream.revisable and not stream.read_as_arrived
    size = stream.bucket or compaction.bucket_rows(*epoch.parent.observed.get(name, (0, 0)))
    due = compaction.compaction(files, size, folds)
    if due is None:
        return None

    def job() -> tuple[str, str, Any]:
        made = Compacting(epoch, name, due).written()
        reached("folded" if due.buckets and due.revisions else "merged", epoch.number)
        return "compaction", name, (due.files, made)

    return job


def _archive(
    epoch: EpochContext, compacted: dict[str, tuple[tuple[DataFile, ...], tuple[DataFile, ...]]]
) -> dict[str, StateFiles]:
    """The buckets that the next epoch will find: with what was written anew in place of what it was
    made of, with this epoch's, without the expired.
    """
    archive: dict[str, StateFiles] = {}
    for name, (_, stream) in epoch.streams.items():
        if stream.keep is None:
            continue
        known = epoch.parent.archive.get(name, StateFiles("", ())).files
        if name in compacted:
            known = compaction.replaced(known, *compacted[name])
        files = (*known, *epoch.landed.files.get(name, ()))
        alive = bucket_index.live(files, stream.keep, epoch.archived_from(name))
        if alive:
            archive[name] = StateFiles("", alive)
    return archive


def clean(storage: Storage, before: set[str], after: set[str], landed: str | None) -> None:
    """Delete directories that the parent named and the new manifest does not; what dies here is
    only garbage.
    """
    for directory in before - after:
        storage.delete(directory)
    if landed is not None and landed not in after:
        storage.delete(landed)
    for part in ("near", "revised", "copied"):
        if landed is not None and f"{landed}-{part}" not in after:
            storage.delete(f"{landed}-{part}")


def directories(archive: dict[str, StateFiles], state: dict[str, StateFiles]) -> set[str]:
    """The directories that a manifest's files live in, each the output of one epoch. Those of
    sources are none of ours.
    """
    files = [f for known in [*archive.values(), *state.values()] for f in known.files]
    return {_owner(file.path) for file in files if not file.in_place}


def _owner(path: str) -> str:
    parts = path.split("/")
    depth = {"landing": 2, "archive": 4}.get(parts[0], 3)
    return "/".join(parts[:depth])
