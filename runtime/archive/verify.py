"""Whether the files of a checkpoint are what its manifests say: the bucket index table recomputed.

The newest manifest must find all its files. Those before it name files, too, that a later epoch has
merged or let go, and that are gone; what is still there must be what they say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal

import pyarrow as pa

from ..connect.relations import version_directory
from ..ledger.files import DataFile, what_changed
from ..ledger.manifest import Manifest, committed, read_manifest
from ..ledger.storage import Storage
from .recount import counted_rows, recounted
from .vacuum import LostManifests, orphans

Wrong = Literal["missing", "unreadable", "rows", "bytes", "range", "revised", "chain", "changed"]

_FAILURES: Final = (OSError, ValueError, KeyError, TypeError, AttributeError, pa.ArrowException)


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with a file; `epochs` are those whose manifests say otherwise."""

    path: str
    wrong: Wrong
    epochs: tuple[int, ...]
    text: str


@dataclass(frozen=True)
class Verdict:
    """What was looked at, and what is wrong. `gone`: files of older manifests that a later epoch
    has given up.
    """

    manifests: tuple[int, ...]
    files: int
    rows: int
    gone: int
    faults: tuple[Fault, ...]


@dataclass
class _Said:
    """What some manifests say of a file; `archived`: it is a bucket of a stream, else state."""

    file: DataFile
    archived: bool
    epochs: list[int] = field(default_factory=list)


def verify(storage: Storage, footers_only: bool = False) -> Verdict:
    """Look at every manifest that is kept, and once at each file that one names: with
    `footers_only` at what Parquet says of it, else at all its pages.
    """
    faults: list[Fault] = []
    manifests: dict[int, Manifest] = {}
    numbers = committed(storage)
    for number in numbers:
        try:
            manifests[number] = read_manifest(storage, number)
        except _FAILURES as error:
            text = f"the manifest cannot be read: {_first_line(error)}"
            faults.append(Fault(_path(number), "unreadable", (number,), text))
    faults += _chain(numbers, manifests)
    head = manifests.get(numbers[-1]) if numbers else None
    faults += [] if head is None else _versions(storage, head)
    faults += _lost(storage, numbers)
    files = _Files(storage, footers_only, head)
    for path, said in sorted(_entries(manifests).items()):
        faults += files.faults(path, said)
    return Verdict(tuple(manifests), files.looked_at, files.rows, files.gone, tuple(faults))


class _Files:
    """The files on disk, held against what is said of them."""

    def __init__(self, storage: Storage, footers_only: bool, head: Manifest | None) -> None:
        self._storage = storage
        self._footers_only = footers_only
        self._needed = {file.path for file, _ in _files(head)} if head else set()
        self._sizes = {
            path: size
            for folder in ("archive", "landing", "state")
            for path, size in storage.files(folder, "")
        }
        self.looked_at = self.rows = self.gone = 0

    def faults(self, path: str, said: list[_Said]) -> Iterator[Fault]:
        """What is wrong with a file that manifests name."""
        epochs = tuple(sorted(epoch for each in said for epoch in each.epochs))
        if said[0].file.in_place:
            yield from self._of_source(path, said, epochs)
            return
        if path not in self._sizes:
            if path in self._needed:
                yield Fault(path, "missing", epochs, "the file is not there")
            else:
                self.gone += 1
            return
        self.looked_at += 1
        try:
            truth = recounted(self._storage, path, self._sizes[path], self._footers_only)
        except _FAILURES as error:
            yield Fault(path, "unreadable", epochs, f"cannot be read: {_first_line(error)}")
            return
        self.rows += truth.rows
        for each in said:
            yield from _differences(each, truth)

    def _of_source(self, path: str, said: list[_Said], epochs: tuple[int, ...]) -> Iterator[Fault]:
        """What is wrong with a source's file, which no older manifest needs any more. The range of
        its order values is the source's, in a column that the index does not know.
        """
        if path not in self._needed:
            self.gone += 1
            return
        named = said[-1].file
        try:
            changed = what_changed(self._storage, named)
            if changed is not None:
                missing = self._storage.looked_at(path) is None
                yield Fault(
                    path, "missing" if missing else "changed", epochs, f"the file {changed}"
                )
                return
            self.looked_at += 1
            rows = counted_rows(self._storage, path, self._footers_only)
        except _FAILURES as error:
            yield Fault(path, "unreadable", epochs, f"cannot be read: {_first_line(error)}")
            return
        self.rows += rows
        if rows != named.rows:
            text = f"{named.rows:,} rows by the index, {rows:,} in the file"
            yield Fault(path, "rows", epochs, text)


def _differences(said: _Said, truth: DataFile) -> Iterator[Fault]:
    file, epochs = said.file, tuple(said.epochs)
    if file.rows != truth.rows:
        text = f"{file.rows:,} rows by the index, {truth.rows:,} in the file"
        yield Fault(file.path, "rows", epochs, text)
    if file.bytes != truth.bytes:
        text = f"{file.bytes:,} bytes by the index, {truth.bytes:,} in the file"
        yield Fault(file.path, "bytes", epochs, text)
    for word, ours, theirs in (("least", file.low, truth.low), ("largest", file.high, truth.high)):
        for column in sorted({*ours, *theirs}):
            named, there = ours.get(column), theirs.get(column)
            if named != there:
                text = f"{word} {column} {named} by the index, {there} in the file"
                yield Fault(file.path, "range", epochs, text)
    if said.archived and file.revised != truth.revised:
        text = "is said to hold revisions, and does not" if file.revised else "holds revisions"
        yield Fault(file.path, "revised", epochs, text)


def _chain(numbers: list[int], manifests: Mapping[int, Manifest]) -> Iterator[Fault]:
    """Every manifest is that of its number, and none is missing between two."""
    for before, number in pairwise(numbers):
        if before != number - 1:
            yield Fault(_path(number - 1), "missing", (number,), "the manifest is not there")
    for number, manifest in manifests.items():
        if (manifest.epoch, manifest.parent) != (number, number - 1):
            text = f"is the manifest of epoch {manifest.epoch}, which follows {manifest.parent}"
            yield Fault(_path(number), "chain", (number,), text)


def _lost(storage: Storage, numbers: list[int]) -> Iterator[Fault]:
    """Files of epochs of which there is no manifest, though they were not only begun."""
    try:
        orphans(storage)
    except LostManifests as lost:
        yield Fault("epochs", "missing", tuple(numbers[-1:]), str(lost))
    except _FAILURES:
        # The newest manifest or intent cannot be read, which has been said, or will be by a run.
        return


def _versions(storage: Storage, head: Manifest) -> Iterator[Fault]:
    """The versions of relations that the newest epoch has pinned."""
    for name, version in sorted(head.nrrs.items()):
        folder = version_directory(name, version)
        if not storage.files(folder, ".parquet"):
            yield Fault(folder, "missing", (head.epoch,), f"the version of {name} is not there")


def _entries(manifests: Mapping[int, Manifest]) -> dict[str, list[_Said]]:
    """By path what is said of a file: the same in all manifests, as a rule."""
    listed: dict[str, list[_Said]] = {}
    for number, manifest in manifests.items():
        for file, archived in _files(manifest):
            known = listed.setdefault(file.path, [])
            same = next((s for s in known if (s.file, s.archived) == (file, archived)), None)
            if same is None:
                same = _Said(file, archived)
                known.append(same)
            same.epochs.append(number)
    return listed


def _files(manifest: Manifest) -> Iterator[tuple[DataFile, bool]]:
    for archived, known in ((True, manifest.archive), (False, manifest.state)):
        for each in known.values():
            yield from ((file, archived) for file in each.files)


def _path(number: int) -> str:
    return f"epochs/{number:08d}.json"


def _first_line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]
