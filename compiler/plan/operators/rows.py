"""Operators that look at one row at a time."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from reflow.grammar.value import value

from ..schema import Column, Schema
from .base import Expr, Operator


@value
class Filter(Operator):
    """The rows for which the predicate is true."""

    input: Operator
    predicate: Expr

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    @property
    def schema(self) -> Schema:
        return self.input.schema


@value
class Project(Operator):
    """New columns from old: pairs of internal name and expression."""

    input: Operator
    columns: tuple[tuple[str, Expr], ...]

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    @property
    def schema(self) -> Schema:
        return tuple(Column(name, expression.type) for name, expression in self.columns)


Kept = Literal["left", "right", "full"]
"""The sides of an outer join whose rows are kept without a match."""


@value
class Union(Operator):
    """UNION ALL by position; names and types are the first branch's (branches are cast by
    projections).

    `outer`: the outer join whose pairs and whose rows without a match the branches are. It is for
    readers, and no part of the meaning.
    """

    branches: tuple[Operator, ...]
    outer: Kept | None = field(default=None, kw_only=True)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.branches

    @property
    def schema(self) -> Schema:
        return self.branches[0].schema
