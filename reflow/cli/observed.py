"""What an earlier run's archives tell the cost model: rows and range of order values per stream,
read from the newest manifest of a checkpoint without a JVM.

A checkpoint keeps the figures that its program was planned with (`statistics.json`): a plan that
changed with every new row would no longer fit the state. `run` plans by those, `run --rebuild` by
the archives that it replaces, `explain` and `compile` by the archives as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .failure import UsageError

Figures = dict[str, dict[str, int]]

_EPOCHS = "reflow/epochs"
_PLANNED = "statistics.json"


def of_archives(checkpoint: str) -> Figures:
    """The figures of a checkpoint's archives. One that no run has written is a UsageError."""
    found = _newest(checkpoint)
    if found is None:
        raise UsageError(f"--checkpoint {checkpoint}: no epoch of a delta program is there")
    return found


def for_run(checkpoint: str, rebuild: bool) -> Figures:
    """The figures to plan a run by; a run that starts over keeps them for those that go on."""
    storage = _storage(checkpoint)
    if not rebuild:
        return _figures(storage.read_json(_PLANNED)) if storage.exists(_PLANNED) else {}
    figures = _newest(checkpoint)
    if figures is None:
        # Nothing to learn from: the plan of a new checkpoint.
        figures = {}
    storage.delete(_PLANNED)
    if figures:
        storage.create(_PLANNED, figures)
    return figures


def _newest(checkpoint: str) -> Figures | None:
    storage = _storage(checkpoint)
    names = storage.names(_EPOCHS)
    numbers = [name for name in names if name.removesuffix(".json").isdigit()]
    if not numbers:
        return None
    manifest: Mapping[str, Any] = storage.read_json(f"{_EPOCHS}/{max(numbers)}")
    return _figures({stream: _bit(known) for stream, known in manifest["archive"].items()})


def _bit(archive: Mapping[str, Any]) -> dict[str, int]:
    """One line for a whole bucket index table (REPLAY 4.1.1)."""
    files = [file for file in archive["files"] if file["rows"]]
    if not files:
        return {}
    return {
        "rows": sum(file["rows"] for file in files),
        "first": min(file["low"]["_vs"] for file in files),
        "last": max(file["high"]["_vs"] for file in files),
    }


def _figures(found: Mapping[str, Any]) -> Figures:
    return {stream: dict(figures) for stream, figures in found.items() if figures}


def _storage(checkpoint: str) -> Any:
    # Here and not above: pyarrow takes a tenth of a second.
    from reflow.runtime.ledger.storage import Storage

    return Storage(checkpoint)
