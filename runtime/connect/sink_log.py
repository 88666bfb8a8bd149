"""The log of a streaming file sink: which files of its directory are whole."""

from __future__ import annotations

import json
from typing import Final

from ..ledger.storage import Storage

SINK_LOG: Final = "_spark_metadata"


def committed_files(storage: Storage, directory: str) -> list[str]:
    """Paths of the files that Spark has committed; others are being written, or are left over."""
    log = f"{directory}/{SINK_LOG}"
    names = [name for name in storage.names(log) if not name.startswith(".")]
    lines = [line for name in names for line in storage.read_text(f"{log}/{name}").splitlines()[1:]]
    found = {json.loads(line)["path"].rpartition("/")[2] for line in lines}
    return [f"{directory}/{name}" for name in sorted(found)]
