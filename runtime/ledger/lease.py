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


@contextmanager
def lease(root: Storage) -> Iterator[bool]:
    """The checkpoint for oneself, for as long as the block lasts; False where there are no locks.
    Raises Taken.
    """
    if not root.is_local or fcntl is None:
        yield False
        return
    path = Path(root.full(LOCK))
    path.parent.mkdir(parents=True, exist_ok=True)
    # Whoever holds it may delete all else of the checkpoint, but never this file: a lock on a file
    # that is gone keeps nobody out.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        yield _locked(descriptor, root)
    finally:
        os.close(descriptor)


def is_taken(root: Storage) -> bool | None:
    """Whether somebody is at work on a checkpoint; None: nobody can tell."""
    if not root.is_local or fcntl is None:
        return None
    try:
        descriptor = os.open(root.full(LOCK), os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        # Shared: two who only ask do not keep each other out.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _locked(descriptor: int, root: Storage) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        raise Taken(f"another process is at work on {root.uri}") from None
    except OSError:
        # Some network file systems are local by their path, and have no locks.
        return False
