"""CLEANSE: order by buffering (LMERGE IV-G). It comes with the operators of MERGE OF."""

from __future__ import annotations

from collections.abc import Sequence

from ...elements.context import Epoch
from .inputs import Input


def cleanse(
    e: Epoch, state: str, columns: Sequence[str], given: Input, adjusts: bool = True
) -> Input:
    """What an input tells, in order, inserts only; held back until its stable."""
    raise NotImplementedError
