"""Manifests and intents: the chain of committed epochs (DESIGN section 2, epoch protocol)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .clock import Clock
from .files import DataFile
from .storage import Storage

_DIRECTORY = "epochs"


@dataclass(frozen=True)
class StateFiles:
    """The live files of one piece of state, oldest first, and their schema as Spark JSON."""

    schema: str
    files: tuple[DataFile, ...]

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)


@dataclass(frozen=True)
class Intent:
    """What an epoch decided before it wrote anything; a repeated epoch reads it and decides nothing
    anew.

    `source`: `{"kind": "batch", "query_id", "batch_id"}` or `{"kind": "heartbeat" | "idle" |
    "drain" | "until" | "attach" | "detach", …}`. `nrrs`: the pinned version of each non-retroactive
    relation. `stamp`: the epoch's current time in microseconds. `heard`: query -> what the readers
    of its elements say that they have merged, as an order value.
    """

    epoch: int
    source: dict[str, Any]
    nrrs: dict[str, str]
    idle: tuple[str, ...]
    stamp: int
    heard: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Manifest:
    """A committed epoch: all that the next one needs. `observed`: of each archived stream, the rows
    that came in order, and that revise, of late. `sections`: the clocks of the inputs of merges;
    `merges`: where merges stand, beside their state; `away`: their inputs that are detached, since
    when (microseconds) and why; `owners`: state that belongs to one of them, and to which;
    `requests`: how many requests for that have been taken.
    """

    epoch: int
    parent: int | None
    source: dict[str, Any]
    fingerprint: str
    clock: Clock = field(default_factory=Clock)
    archive: Mapping[str, StateFiles] = field(default_factory=dict)
    state: Mapping[str, StateFiles] = field(default_factory=dict)
    nrrs: Mapping[str, str] = field(default_factory=dict)
    sinks: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    batches: Mapping[str, int] = field(default_factory=dict)
    rows: int = 0
    dead_letters: int = 0
    last_rows: Mapping[str, int] = field(default_factory=dict)
    observed: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    sections: Mapping[str, Clock] = field(default_factory=dict)
    merges: Mapping[str, Any] = field(default_factory=dict)
    away: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)
    requests: int = 0

    @property
    def held_rows(self) -> int:
        """Rows of state and archive."""
        return sum(known.rows for known in [*self.archive.values(), *self.state.values()])

    def has_batch(self, query_id: str, batch_id: int) -> bool:
        """Whether this epoch or an ancestor committed that batch."""
        return self.batches.get(query_id, -1) >= batch_id


class Ledger:
    """The manifests and intents of one checkpoint. Only the newest manifest is kept in memory."""

    def __init__(self, storage: Storage, fingerprint: str) -> None:
        self._storage = storage
        self._fingerprint = fingerprint
        self.head = self._load_head()

    def _load_head(self) -> Manifest:
        numbers = committed(self._storage)
        if not numbers:
            return Manifest(0, None, {"kind": "start"}, self._fingerprint)
        return read_manifest(self._storage, numbers[-1])

    def intend(self, intent: Intent) -> Intent:
        """Record what the epoch is about to do, or learn what a first attempt had decided."""
        path = f"{_DIRECTORY}/{intent.epoch:08d}.intent.json"
        try:
            self._storage.create(path, _intent_to_json(intent))
            return intent
        except FileExistsError:
            return _intent_from_json(self._storage.read_json(path))

    def pending_intent(self) -> Intent | None:
        """The intent of an epoch that was begun and not committed."""
        return read_intent(self._storage, self.head.epoch + 1)

    def commit(self, manifest: Manifest) -> None:
        """Commit an epoch. Raises FileExistsError if another process committed it first."""
        self._storage.create(_manifest_path(manifest.epoch), _manifest_to_json(manifest))
        self.head = manifest

    def forget(self, epoch: int) -> None:
        """Drop the manifest and intent of an old epoch: the head names all that is needed."""
        self._storage.delete(_manifest_path(epoch))
        self._storage.delete(f"{_DIRECTORY}/{epoch:08d}.intent.json")

    def withdraw_intent(self) -> None:
        """Forget the intent of a control epoch that was begun and not committed: nothing else
        depends on it.
        """
        self._storage.delete(f"{_DIRECTORY}/{self.head.epoch + 1:08d}.intent.json")


def committed(storage: Storage) -> list[int]:
    """The epochs whose manifests are kept, ascending: the newest is the head."""
    return sorted(
        int(name.removesuffix(".json"))
        for name in storage.names(_DIRECTORY)
        if name.endswith(".json") and not name.endswith(".intent.json")
    )


def read_manifest(storage: Storage, epoch: int) -> Manifest:
    """The manifest of a committed epoch. Raises what reading and JSON raise, KeyError and TypeError
    where it is not one.
    """
    return _manifest_from_json(storage.read_json(_manifest_path(epoch)))


def read_intent(storage: Storage, epoch: int) -> Intent | None:
    """What an epoch decided, if it was begun."""
    path = f"{_DIRECTORY}/{epoch:08d}.intent.json"
    return _intent_from_json(storage.read_json(path)) if storage.exists(path) else None


def _manifest_path(epoch: int) -> str:
    return f"{_DIRECTORY}/{epoch:08d}.json"


def _intent_to_json(intent: Intent) -> dict[str, Any]:
    return {
        "epoch": intent.epoch,
        "source": intent.source,
        "nrrs": intent.nrrs,
        "idle": list(intent.idle),
        "stamp": intent.stamp,
        "heard": dict(intent.heard),
    }


def _intent_from_json(data: dict[str, Any]) -> Intent:
    return Intent(**{"heard": {}, **data, "idle": tuple(data["idle"])})


def _manifest_to_json(manifest: Manifest) -> dict[str, Any]:
    plain = {
        name: getattr(manifest, name)
        for name in (
            "epoch",
            "parent",
            "source",
            "fingerprint",
            "rows",
            "dead_letters",
            "requests",
        )
    }
    return plain | {
        "clock": manifest.clock.to_json(),
        "archive": {name: _state_to_json(files) for name, files in manifest.archive.items()},
        "state": {name: _state_to_json(files) for name, files in manifest.state.items()},
        "nrrs": dict(manifest.nrrs),
        "sinks": dict(manifest.sinks),
        "batches": dict(manifest.batches),
        "last_rows": dict(manifest.last_rows),
        "observed": {name: list(counts) for name, counts in manifest.observed.items()},
        "sections": {name: clock.to_json() for name, clock in manifest.sections.items()},
        "merges": dict(manifest.merges),
        "away": dict(manifest.away),
        "owners": dict(manifest.owners),
    }


def _manifest_from_json(data: dict[str, Any]) -> Manifest:
    changed = {
        "clock": Clock.from_json(data["clock"]),
        "archive": {name: _state_from_json(files) for name, files in data["archive"].items()},
        "state": {name: _state_from_json(files) for name, files in data["state"].items()},
        "observed": {name: tuple(counts) for name, counts in data.get("observed", {}).items()},
        "sections": {name: Clock.from_json(c) for name, c in data.get("sections", {}).items()},
    }
    return Manifest(**{**data, **changed})


def _state_to_json(state: StateFiles) -> dict[str, Any]:
    return {"schema": state.schema, "files": [file.to_json() for file in state.files]}


def _state_from_json(data: dict[str, Any]) -> StateFiles:
    return StateFiles(data["schema"], tuple(DataFile.from_json(file) for file in data["files"]))
