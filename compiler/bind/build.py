"""Small makers of plan operators, which leave out what would change nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from ..plan.operators import Filter, Operator, Project
from ..plan.operators.base import Expr
from ..plan.schema import names
from .shape import quoted
from .types import Type


def text(expression: exp.Expr, type_: Type) -> Expr:
    return Expr(expression.sql(dialect="spark"), type_.ddl)


def reference(name: str, type_: str) -> Expr:
    return Expr(quoted(name), type_)


def both(parts: Sequence[exp.Expr]) -> exp.Expr:
    """The parts joined by AND, as a tree of little depth."""
    if len(parts) == 1:
        part = parts[0]
        return exp.Paren(this=part.copy()) if isinstance(part, (exp.Or, exp.Xor)) else part.copy()
    half = len(parts) // 2
    return exp.And(this=both(parts[:half]), expression=both(parts[half:]))


def condition(parts: Sequence[exp.Expr]) -> Expr | None:
    """The parts as one condition; None when there are none."""
    if not parts:
        return None
    whole = parts[0] if len(parts) == 1 else both(parts)
    return Expr(whole.sql(dialect="spark"), "BOOLEAN")


def filtered(operator: Operator, parts: Sequence[exp.Expr]) -> Operator:
    predicate = condition(parts)
    return operator if predicate is None else Filter(operator, predicate)


def projected(operator: Operator, columns: Sequence[tuple[str, Expr]]) -> Operator:
    """A Project, unless it would give the same columns in the same order."""
    same = tuple(name for name, _ in columns) == names(operator.schema) and all(
        expression.sql == quoted(name) for name, expression in columns
    )
    return operator if same else Project(operator, tuple(columns))


def renamed(operator: Operator, to: Mapping[str, str]) -> Operator:
    """The columns that `to` names, called as it says."""
    return projected(
        operator,
        [(to[c.name], reference(c.name, c.type)) for c in operator.schema if c.name in to],
    )


def extended(operator: Operator, more: Sequence[tuple[str, Expr]]) -> Operator:
    """The operator with computed columns added."""
    if not more:
        return operator
    kept = [(c.name, reference(c.name, c.type)) for c in operator.schema]
    return Project(operator, (*kept, *more))
