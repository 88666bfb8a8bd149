"""Runs that die in this process: an exception at a step of the epoch protocol that nothing catches.

It costs far less than a process that is killed. What it does not show: what other threads, and the
JVM, would not have done any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from reflow.runtime.epoch import protocol

if TYPE_CHECKING:
    import pytest


class Died(Exception):
    """A run ends here, whatever it had to do."""


@contextmanager
def dying(
    monkeypatch: pytest.MonkeyPatch, strikes: Callable[[str, int], bool]
) -> Iterator[list[tuple[str, int]]]:
    """Runs within die at the first step and epoch that `strikes`; gives those at which one did."""
    died: list[tuple[str, int]] = []

    def reached(step: str, epoch: int) -> None:
        if strikes(step, epoch):
            died.append((step, epoch))
            raise Died(step)

    with monkeypatch.context() as patched:
        patched.setattr(protocol, "reached", reached)
        yield died
