"""Windows: how long an element is valid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..schema import Schema
from .base import Operator


@dataclass(frozen=True)
class Window(Operator):
    """A time window over a stream (CQL; DESIGN section 1).

    range: `[vs, vs + length)`, both ends rounded up to multiples of `slide` where there is one;
    now: `[vs, vs + 1)`; unbounded: `[vs, for ever)`, `written` when the user wrote it.
    TUMBLE t is range t slide t. Units are microseconds or ticks, as `timestamps` says. `zone`
    aligns slides of whole days; None for shorter ones.
    """

    input: Operator
    kind: Literal["range", "now", "unbounded"]
    length: int | None = None
    slide: int | None = None
    zone: str | None = None
    written: bool = True
    timestamps: bool = True

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    @property
    def schema(self) -> Schema:
        return self.input.schema
