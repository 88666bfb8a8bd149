"""Projections that only rename columns or put them in order."""

from __future__ import annotations

from collections.abc import Collection

from .expressions import quoted
from .operators import Operator, Project
from .operators.base import Expr
from .schema import Column, Schema, names


def restored(operator: Operator, schema: Schema) -> Operator:
    """The operator with just these of its columns, in this order."""
    if operator.schema == schema:
        return operator
    return Project(operator, tuple((c.name, Expr(quoted(c.name), c.type)) for c in schema))


def called(operator: Operator, schema: Schema) -> Operator:
    """The operator with its columns named like these, by position."""
    if names(operator.schema) == names(schema):
        return operator
    pairs = zip(schema, operator.schema, strict=True)
    return Project(
        operator, tuple((new.name, Expr(quoted(own.name), own.type)) for new, own in pairs)
    )


def apart(operator: Operator, other: Schema) -> tuple[Operator, dict[str, str]]:
    """The operator with names that the other schema does not have, and its columns' names then."""
    taken = {name.casefold() for name in names(other)}
    own = {name.casefold() for name in names(operator.schema)}
    new: dict[str, str] = {}
    for column in operator.schema:
        clash = column.name.casefold() in taken
        new[column.name] = free(column.name, taken | own) if clash else column.name
        taken.add(new[column.name].casefold())
    if all(old == name for old, name in new.items()):
        return operator, new
    schema = tuple(Column(new[c.name], c.type) for c in operator.schema)
    return called(operator, schema), new


def free(name: str, taken: Collection[str]) -> str:
    """The name if it is free without regard to case, else the first free one with a number.
    `taken` holds casefolded names."""
    if name.casefold() not in taken:
        return name
    number = 2
    while f"{name}_{number}".casefold() in taken:
        number += 1
    return f"{name}_{number}"
