"""Whether a plan is whole: every expression finds its columns, every schema has unique names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from .expressions import columns_of
from .graph import Plan
from .operators import (
    Distinct,
    Filter,
    Group,
    Join,
    NrrJoin,
    Operator,
    Project,
    Reconstitution,
    Relation,
    Report,
    RowsWindow,
    Scan,
    SemiJoin,
    SessionWindow,
    SetOperation,
    Sink,
    Union,
    Window,
)
from .operators.base import Expr
from .rebuild import known
from .render import heading
from .schema import Schema, names


def validate(plan: Plan) -> list[str]:
    """What is wrong with the plan, in words; empty where nothing is."""
    return [problem for operator in plan.operators() for problem in _problems(operator)]


def _problems(operator: Operator) -> Iterator[str]:
    lowered = [name.lower() for name in names(operator.schema)]
    if len(set(lowered)) != len(lowered):
        yield f"{heading(operator)} has a column twice: {', '.join(names(operator.schema))}"
    for available, read in _reads(operator):
        missing = read - frozenset(names(available))
        if missing:
            yield f"{heading(operator)} reads {', '.join(sorted(missing))}, which is not there"
    if isinstance(operator, Union):
        yield from _problems_of_union(operator)


def _problems_of_union(union: Union) -> Iterator[str]:
    if len({len(branch.schema) for branch in union.branches}) > 1:
        yield "the branches of a union have different numbers of columns"


def _reads(operator: Operator) -> Iterator[tuple[Schema, frozenset[str]]]:
    """The schemas an operator's expressions stand over, each with the columns read of it."""
    node = known(operator)
    match node:
        case SetOperation():
            yield node.left.schema, frozenset(left for left, _ in node.by)
            yield node.right.schema, frozenset(right for _, right in node.by)
        case Scan() | Window() | Union() | Distinct() | Report() | Sink():
            return
        case Relation():
            own = () if node.operation is None else (node.operation,)
            yield node.input.schema, frozenset(own)
            yield node.schema, frozenset(node.key)
        case Reconstitution():
            yield node.input.schema, frozenset(node.input.stream.elements)
        case Filter():
            yield node.input.schema, columns_of(node.predicate.sql)
        case Project():
            yield node.input.schema, _of(*(expression for _, expression in node.columns))
        case RowsWindow() | SessionWindow():
            yield node.input.schema, _of(*node.by)
        case Join() | SemiJoin():
            yield node.left.schema, frozenset(left for left, _ in node.equal)
            yield node.right.schema, frozenset(right for _, right in node.equal)
            yield node.left.schema + node.right.schema, _of(node.condition)
        case NrrJoin():
            yield node.input.schema, frozenset(left for left, _ in node.equal) | _of(node.at)
            yield node.schema, frozenset(right for _, right in node.equal) | _of(node.condition)
        case Group():
            arguments = (aggregate.argument for aggregate in node.aggregates)
            yield node.input.schema, _of(*(key for _, key in node.keys), *arguments)
        case _:
            assert_never(node)


def _of(*expressions: Expr | None) -> frozenset[str]:
    read = (columns_of(expression.sql) for expression in expressions if expression is not None)
    return frozenset[str]().union(*read)
