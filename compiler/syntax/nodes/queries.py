"""Queries and what stands in FROM."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sqlglot import exp

from reflow.grammar.source import Span
from reflow.grammar.value import value

from .basic import Name
from .windows import BeginEnd, Reduction, Window


@value
class SelectItem:
    """`expression [AS alias]`; `*` is an `exp.Star`, `a.*` an `exp.Column` whose `this` is one."""

    expression: exp.Expression
    alias: Name | None
    span: Span


@value
class TableName:
    name: Name
    window: Window | None
    reduction: Reduction | None
    alias: Name | None
    span: Span


@value
class DerivedTable:
    query: Query
    window: Window | None
    reduction: Reduction | None
    alias: Name | None
    span: Span


@value
class Join:
    """`kind` is "inner", "left", "right" or "full"; exactly one of `on` and `using` is set."""

    kind: Literal["inner", "left", "right", "full"]
    left: FromItem
    right: FromItem
    on: exp.Expression | None
    using: tuple[Name, ...]
    span: Span


FromItem: TypeAlias = "TableName | DerivedTable | Join"


Report: TypeAlias = Literal["istream", "dstream", "rstream"]


@value
class Select:
    report: Report | None
    distinct: bool
    items: tuple[SelectItem, ...]
    from_items: tuple[FromItem, ...]
    where: exp.Expression | None
    group_by: tuple[exp.Expression, ...]
    having: exp.Expression | None
    span: Span


@value
class SetOperation:
    operator: Literal["union", "except", "intersect"]
    all: bool
    by: tuple[exp.Expression, ...]
    left: Query
    right: Query
    span: Span


@value
class ReportQuery:
    """`ISTREAM (query)` and the like, standing alone."""

    report: Report
    query: Query
    span: Span


@value
class NamedQuery:
    """A bare name as an operand: `a UNION b`."""

    name: Name
    span: Span


@value
class Bounded:
    """`query BEGIN t END t`."""

    query: Query
    bounds: BeginEnd
    span: Span


Query: TypeAlias = "Select | SetOperation | ReportQuery | NamedQuery | Bounded"
