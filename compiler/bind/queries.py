"""Queries of every shape: SELECT, set operations, reports, names."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from sqlglot import exp

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span

from ..plan.operators import Distinct, Operator, Union
from ..plan.operators.base import Expr
from .build import projected
from .catalog import BROKEN_ANSWER, Answer, Context
from .ddl import read_type
from .resolved import column
from .selects import bind_select, reported
from .shape import as_relation, quoted
from .types import UNKNOWN, Type, common


def bind_query(query: nodes.Query, context: Context) -> Answer:
    """The answer of a query; BROKEN_ANSWER, with errors among the findings, where there is none."""
    match query:
        case nodes.Select():
            return bind_select(query, bind_query, context)
        case nodes.SetOperation():
            return _set_operation(query, context)
        case nodes.ReportQuery():
            answer = bind_query(query.query, context)
            if answer.broken:
                return answer
            of = as_relation(answer.operator)
            return replace(answer, operator=reported(query.report, of, query.span, context))
        case nodes.NamedQuery():
            return _named(query, context)
        case nodes.Bounded():
            context.findings.not_yet("RF9013", "BEGIN … END", query.bounds.span)
            return bind_query(query.query, context)
    assert_never(query)


def _named(query: nodes.NamedQuery, context: Context) -> Answer:
    entry = context.entry(query.name.text, query.name.span)
    if entry is None:
        return BROKEN_ANSWER
    if entry.relation is not None:
        context.findings.error(
            "RF3208", f"`{entry.name}` is an NRR: it has no answer of its own", query.span
        )
        return BROKEN_ANSWER
    return replace(entry.answer, operator=as_relation(entry.answer.operator))


def _set_operation(query: nodes.SetOperation, context: Context) -> Answer:
    left, right = bind_query(query.left, context), bind_query(query.right, context)
    if query.operator != "union":
        code = "RF9002" if query.operator == "except" else "RF9003"
        word = query.operator.upper()
        between = Span(query.left.span.end, query.right.span.start)
        context.findings.not_yet(code, word, context.word(word, between))
        return BROKEN_ANSWER
    if left.broken or right.broken:
        return BROKEN_ANSWER
    types = _types(query, left, right, context)
    if types is None:
        return BROKEN_ANSWER
    names = tuple(c.name for c in left.operator.schema)
    first, second = (_cast(as_relation(a.operator), names, types) for a in (left, right))
    branches = first.branches if isinstance(first, Union) else (first,)
    united: Operator = Union((*branches, second))
    random = tuple(dict.fromkeys(left.random + right.random))
    return Answer(united if query.all else Distinct(united), left.names, left.places, random)


def _types(
    query: nodes.SetOperation, left: Answer, right: Answer, context: Context
) -> tuple[Type, ...] | None:
    """The types of the columns by position; None, with errors, where the branches do not fit."""
    a, b = left.operator.schema, right.operator.schema
    if len(a) != len(b):
        context.findings.error(
            "RF2107",
            f"the branches of UNION have {len(a)} and {len(b)} columns",
            query.right.span,
            f"{len(a)} column{'' if len(a) == 1 else 's'}",
        )
        return None
    found: list[Type] = []
    for name, one, other in zip(left.names, a, b, strict=True):
        type_ = _common(read_type(one.type), read_type(other.type))
        if type_ is None:
            context.findings.error(
                "RF2106",
                f"the branches of UNION give {one.type} and {other.type} for `{name}`",
                query.right.span,
                "columns of the same type, or of numbers",
                f"convert one: CAST(… AS {one.type})",
            )
        found.append(type_ or UNKNOWN)
    return tuple(found) if all(t is not None for t in found) else None


def _common(left: Type, right: Type) -> Type | None:
    """Numbers widen; other types must be the same."""
    if not left.family or not right.family:
        return right if not left.family else left
    if left == right or left.family == right.family:
        return common(left, right)
    return None


def _cast(operator: Operator, names: tuple[str, ...], types: tuple[Type, ...]) -> Operator:
    """The branch with these names and types."""
    columns: list[tuple[str, Expr]] = []
    for name, own, type_ in zip(names, operator.schema, types, strict=True):
        wanted = type_.ddl
        if own.type == wanted or wanted == "UNKNOWN":
            columns.append((name, Expr(quoted(own.name), own.type)))
            continue
        cast = exp.Cast(this=column(own.name), to=exp.DataType.build(wanted, dialect="spark"))
        columns.append((name, Expr(cast.sql(dialect="spark"), wanted)))
    return projected(operator, columns)
