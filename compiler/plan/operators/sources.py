"""Base streams and non-retroactive relations."""

from __future__ import annotations

from reflow.grammar.value import value

from ..schema import Column, Schema
from .base import Operator


@value
class StreamDeclaration:
    """A base stream as declared. Lengths are microseconds for TIMESTAMP order fields, ticks for
    BIGINT.

    `order` is None for ORDER BY ARRIVAL or when there is no ORDER BY (then arrival time is the
    order). `options` and `statistics` are sorted pairs, so that equal declarations are equal
    values.
    """

    name: str
    columns: Schema
    format: str
    path: str | None
    options: tuple[tuple[str, str], ...]
    order: str | None
    timestamps: bool
    within: int
    strict: bool
    key: tuple[str, ...]
    idle_after: int | None
    max_ahead: int | None
    guarantees: frozenset[str] = frozenset()
    statistics: tuple[tuple[str, float], ...] = ()


@value
class NrrDeclaration:
    """A non-retroactive relation (UPA 4.1) as declared; `version_by` names its event-time
    column."""

    name: str
    columns: Schema
    format: str
    path: str | None
    options: tuple[tuple[str, str], ...]
    key: tuple[str, ...]
    version_by: str | None
    statistics: tuple[tuple[str, float], ...] = ()


@value
class Scan(Operator):
    """The elements of a base stream: each row valid from its order value on, for ever."""

    stream: StreamDeclaration

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return ()

    @property
    def schema(self) -> Schema:
        return self.stream.columns


__all__ = ["Column", "NrrDeclaration", "Scan", "StreamDeclaration"]
