"""Operators whose answer for a key changes over time: DISTINCT and GROUP BY."""

from __future__ import annotations

from reflow.grammar.value import value

from ..aggregates import Function
from ..schema import Column, Schema
from .base import Expr, Operator


@value
class Distinct(Operator):
    """Each row once while at least one copy is valid."""

    input: Operator

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    @property
    def schema(self) -> Schema:
        return self.input.schema


@value
class Aggregate:
    """One aggregate of a Group; `argument` is None for COUNT(*); `type` is the type of the result.

    `parameter`: what the function is told besides; `distinct`: equal values count once. FILTER
    stands in the argument.
    """

    name: str
    function: Function
    argument: Expr | None
    type: str
    parameter: str | None = None
    distinct: bool = False


@value
class Group(Operator):
    """GROUP BY: one row per key while the group has rows; without keys, one row from the first
    element on.

    `streams`: whose first element that is, where it is not any stream below the plan's queries:
    queries that begin at different elements cannot share the row over nothing.
    """

    input: Operator
    keys: tuple[tuple[str, Expr], ...]
    aggregates: tuple[Aggregate, ...]
    streams: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    @property
    def schema(self) -> Schema:
        keys = tuple(Column(name, expression.type) for name, expression in self.keys)
        return keys + tuple(Column(a.name, a.type) for a in self.aggregates)
