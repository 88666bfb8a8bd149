"""Who is at work on a checkpoint: one run, or one who cleans up, at a time.

The lease is a lock of the operating system on a file of the checkpoint, which ends with the
process, however that ends. Only local file systems have it: elsewhere nobody can tell.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from .storage import Storage

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

LOCK: Final = "run.lock"


class Taken(Exception):
    """Another process is at work on the checkpoint."""


def can_be_leased(root: Storage) -> bool:
    """Whether a checkpoint can be known to be at rest."""
    return root.is_local and fcntl is not None


@contextmanager
def lease(root: Storage) -> Iterator[None]:
    """The checkpoint for oneself, for as long as the block lasts. Raises Taken; where there are no
    locks nothing happens.
    """
    if not can_be_leased(root):
        yield
        return
    path = Path(root.full(LOCK))
    path.parent.mkdir(parents=True, exist_ok=True)
    # Whoever holds it may delete all else of the checkpoint, but never this file: a lock on a file
    # that is gone keeps nobody out.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Taken(f"another process is at work on {root.uri}") from None
        yield
    finally:
        os.close(descriptor)
