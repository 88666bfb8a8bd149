"""What leaves a plan: reports of an answer as a stream, and sinks."""

from __future__ import annotations

from typing import Literal

from reflow.grammar.value import value

from ..schema import Schema
from .base import Operator


@value
class Report(Operator):
    """ISTREAM: rows that enter the answer at an instant; DSTREAM: rows that leave it; RSTREAM: the
    answer at each instant it changes."""

    input: Operator
    kind: Literal["istream", "dstream", "rstream"]

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    @property
    def schema(self) -> Schema:
        return self.input.schema


@value
class Sink(Operator):
    """A query's name and where its answer goes.

    `columns` are the output names as the user wrote them, in the order of the schema; `key` are
    some of them. `every` is in microseconds. `timestamps` tells how instants are shown. `mode` is
    already resolved (never None). `revise` is the technique of REVISE BY; `percent`
    of the rows, if it is approximate.
    """

    input: Operator
    query: str
    columns: tuple[str, ...]
    format: str
    path: str | None
    mode: Literal["changelog", "upsert", "append", "elements"]
    key: tuple[str, ...]
    emit: Literal["changes", "final", "frozen"]
    every: int | None
    timestamps: bool
    options: tuple[tuple[str, str], ...] = ()
    revise: str = "auto"
    percent: int | None = None

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    @property
    def schema(self) -> Schema:
        return self.input.schema
