"""What a run tells while it goes on. Names are Spark's StreamingQueryProgress's where they fit."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Progress:
    """One epoch. Instants are shown values (ISO timestamps or integers); rates: rows a second.
    `skipped`: of streams, the rows of this epoch that were passed over (FEEDBACK).
    """

    epoch: int
    batchId: int | None
    kind: str
    numInputRows: int
    inputRowsPerSecond: float
    processedRowsPerSecond: float
    now: str | int | None
    complete: str | int | None
    heldBackBy: str | None
    frozen: str | int | None
    stateRows: int
    stateBytes: int
    archiveRows: int
    deadLetters: int
    durationMs: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    merges: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class Summary:
    """A whole run."""

    epochs: int
    numInputRows: int
    processedRowsPerSecond: float
    now: str | int | None
    complete: str | int | None
    frozen: str | int | None
    stateRows: int
    deadLetters: int
    seconds: float

    def to_json(self) -> str:
        return json.dumps(asdict(self))
