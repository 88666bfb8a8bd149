"""What nobody reads any more: files that the newest manifest does not name.

They are left by epochs that were killed, before their commit or before they had cleaned up behind
it; and every epoch's landing has some for what it did not archive. An epoch that was begun will be
begun anew and writes its files again, but not the versions of relations that its intent has pinned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ..connect.relations import version_directory
from ..ledger.manifest import Intent, Manifest, committed, read_intent, read_manifest
from ..ledger.storage import Storage

FOLDERS: Final = ("archive", "landing", "nrr", "state")
"""Folders of files that manifests name; sinks, dead letters and revisions are the user's."""


_EPOCH: Final = re.compile(r"(?:landing|archive/[^/]+|state/[^/]+)/(\d+)")


class LostManifests(Exception):
    """Files are there of epochs behind the newest manifest that were not only begun."""


@dataclass(frozen=True)
class Orphan:
    """A file that nobody reads; the path is relative to the folder of the manifests' epochs."""

    path: str
    bytes: int


def orphans(storage: Storage) -> list[Orphan]:
    """The files that can go, by path. Where nobody knows, raises what `read_manifest` does for a
    newest manifest that cannot be read, or LostManifests.
    """
    numbers = committed(storage)
    newest = numbers[-1] if numbers else 0
    head = read_manifest(storage, newest) if numbers else None
    begun = read_intent(storage, newest + 1)
    files, folders = _named(head), _pinned(head, begun)
    found = [
        Orphan(path, size)
        for folder in FOLDERS
        for path, size in storage.files(folder, "")
        if path not in files and _version_of(path) not in folders
    ]
    _refuse_lost(newest, begun, found)
    return found


def remove(storage: Storage, found: list[Orphan]) -> None:
    """Delete the files, and the folders that are left empty. Nobody else may be at work on the
    checkpoint (`lease`).
    """
    for orphan in found:
        storage.delete(orphan.path)
    folders = {folder for orphan in found for folder in _above(orphan.path)}
    for folder in sorted(folders, key=len, reverse=True):
        if not storage.names(folder):
            storage.delete(folder)


def _refuse_lost(newest: int, begun: Intent | None, found: list[Orphan]) -> None:
    """An epoch writes nothing before its intent, and its manifest before the next one begins."""
    written = max((_epoch_of(orphan.path) for orphan in found), default=0)
    if written > newest + (0 if begun is None else 1):
        raise LostManifests(
            f"there are files of epoch {written}, and the newest manifest is of epoch {newest}:"
            " manifests are lost"
        )


def _epoch_of(path: str) -> int:
    """By which epoch a file was written; 0: its folder does not say."""
    match = _EPOCH.match(path)
    return 0 if match is None else int(match[1])


def _named(head: Manifest | None) -> set[str]:
    """The head's files, each with the checksum that Spark writes beside it."""
    if head is None:
        return set()
    known = [*head.archive.values(), *head.state.values()]
    paths = [file.path for each in known for file in each.files]
    return {*paths, *(_checksum(path) for path in paths)}


def _checksum(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}.crc"


def _pinned(head: Manifest | None, begun: Intent | None) -> set[str]:
    """The folders of the versions that are read, or will be."""
    versions = [*(head.nrrs.items() if head else ()), *(begun.nrrs.items() if begun else ())]
    return {version_directory(name, version) for name, version in versions}


def _version_of(path: str) -> str | None:
    """The folder of a relation's version, of a file in one."""
    parts = path.split("/")
    return "/".join(parts[:3]) if parts[0] == "nrr" else None


def _above(path: str) -> Iterator[str]:
    """The folders that a file lies in, but for those of FOLDERS."""
    folder = path.rpartition("/")[0]
    while "/" in folder:
        yield folder
        folder = folder.rpartition("/")[0]
