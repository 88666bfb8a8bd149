"""Deltas that several steps of an epoch read."""

from __future__ import annotations

from dataclasses import replace

from ..elements.context import Epoch
from .linear import Delta


def shared(e: Epoch, delta: Delta) -> Delta:
    """The same delta, computed once an epoch however many steps read it, or state and answer both.

    Without it every level of operators over points would compute those below it twice.
    """
    return delta if delta.frame is None else replace(delta, frame=e.share(delta.frame))
