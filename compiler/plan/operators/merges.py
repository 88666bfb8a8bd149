"""Merges of physical copies of one logical stream (LMERGE)."""

from __future__ import annotations

from typing import Literal

from reflow.grammar.value import value

from ..schema import Schema
from .base import Operator

Policy = Literal["eager", "chatty", "half frozen", "conservative", "follow leader", "fraction"]


@value
class Merge(Operator):
    """One stream of several that present the same logical stream, by position, under the names of
    the first (LMERGE IV, V). Each branch runs under a clock of its own.

    `names` are those of the branches, in the order in which they are written; `cleansed` those of
    which order is enforced. `share` belongs to FRACTION. `lag`: how far the merged stable stays
    behind the furthest branch, in microseconds or ticks, as `timestamps` says. `rows`: all branches
    are streams of rows, which stay for ever, and so is this; else it tells events with lifetimes.
    `feedback`: branches need not work on what the merged frontier has passed.
    """

    name: str
    branches: tuple[Operator, ...]
    names: tuple[str, ...]
    cleansed: frozenset[str] = frozenset()
    policy: Policy = "eager"
    share: float | None = None
    lag: int = 0
    timestamps: bool = True
    rows: bool = False
    feedback: bool = False

    def __post_init__(self) -> None:
        if not self.branches or len(self.names) != len(self.branches):
            raise ValueError("a merge has branches, each with a name")
        if len(set(self.names)) < len(self.names) or not self.cleansed <= set(self.names):
            raise ValueError("branches of a merge are told apart by their names")
        if (self.policy == "fraction") != (self.share is not None):
            raise ValueError("FRACTION has a share, and no other policy")
        if self.feedback and not self.rows:
            raise ValueError("FEEDBACK is for streams of rows")

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.branches

    @property
    def schema(self) -> Schema:
        return self.branches[0].schema


__all__ = ["Merge", "Policy"]
