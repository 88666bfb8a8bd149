"""Joins of windows, and joins with non-retroactive relations."""

from __future__ import annotations

from reflow.grammar.value import value

from ..schema import Column, Schema
from .base import Expr, Operator
from .sources import NrrDeclaration


@value
class Join(Operator):
    """An inner join: pairs that are valid at the same time and meet the condition.

    `equal` holds the column pairs (left, right) that must be equal; `condition` the rest, over both
    schemas' names, which are disjoint.
    """

    left: Operator
    right: Operator
    equal: tuple[tuple[str, str], ...]
    condition: Expr | None

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.left, self.right)

    @property
    def schema(self) -> Schema:
        return self.left.schema + self.right.schema


@value
class SemiJoin(Operator):
    """The rows of the left for which some row of the right is valid and meets the condition; with
    `anti`, those for which none does (UPA's negation). Their multiplicity is kept.

    `equal` and `condition` are as those of a Join; the schemas' names are disjoint.
    """

    left: Operator
    right: Operator
    equal: tuple[tuple[str, str], ...]
    condition: Expr | None
    anti: bool

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.left, self.right)

    @property
    def schema(self) -> Schema:
        return self.left.schema


@value
class NrrJoin(Operator):
    """A stream row joined with the version of a non-retroactive relation that it met (UPA 4.1).

    A row that is withdrawn takes the pairs along that it made; what replaces it meets the version
    that is there when the replacement arrives.

    `columns` maps the relation's columns that are used to internal names: (internal name, relation
    column). `equal` pairs a column of the input with an internal name of the relation; `condition`
    is over both. `at` gives the order value that picks the version where the relation has VERSION
    BY (None: the row's vs). `outer`: a row that meets no version has NULLs in its place.
    """

    input: Operator
    relation: NrrDeclaration
    columns: tuple[tuple[str, str], ...]
    equal: tuple[tuple[str, str], ...]
    condition: Expr | None
    at: Expr | None = None
    outer: bool = False

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    @property
    def schema(self) -> Schema:
        types = {column.name: column.type for column in self.relation.columns}
        return self.input.schema + tuple(Column(name, types[of]) for name, of in self.columns)
