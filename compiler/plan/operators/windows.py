"""Windows: how long an element is valid."""

from __future__ import annotations

from typing import Literal

from reflow.grammar.value import value

from ..schema import Schema
from .base import Expr, Operator


@value
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


@value
class RowsWindow(Operator):
    """A count window: the last `rows` rows of each value of `by`, in order and by arrival (CQL).

    slide: it moves at every so-many-th row of its `by`; length (microseconds or ticks): rows also
    leave so long after they came. When a row leaves, later rows decide.
    """

    input: Operator
    rows: int
    by: tuple[Expr, ...] = ()
    slide: int | None = None
    length: int | None = None
    timestamps: bool = True

    def __post_init__(self) -> None:
        if self.rows < 1 or (self.slide is not None and self.slide < 1):
            raise ValueError("a count window holds at least a row, and moves by at least one")

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    @property
    def schema(self) -> Schema:
        return self.input.schema


@value
class SessionWindow(Operator):
    """Rows of one value of `by` stay until `gap` (microseconds or ticks) after the last row of
    their session; less than that lies between the rows of a session.
    """

    input: Operator
    gap: int
    by: tuple[Expr, ...]
    timestamps: bool = True

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    @property
    def schema(self) -> Schema:
        return self.input.schema
