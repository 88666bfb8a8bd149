"""Function calls in an expression, whichever way sqlglot holds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from sqlglot import exp

from reflow.grammar.source import Span
from reflow.grammar.value import value

from .functions import AGGREGATES

# Nodes that are operators or syntax although sqlglot derives them from Func.
_NOT_CALLS = (
    exp.And,
    exp.Or,
    exp.Xor,
    exp.Case,
    exp.Cast,
    exp.TryCast,
    exp.Extract,
    exp.Lambda,
    exp.RegexpLike,
    exp.JSONExtract,
)

_SPARK_NAMES: Mapping[type[exp.Expr], str] = MappingProxyType(
    {
        exp.TsOrDsAdd: "date_add",
        exp.TsOrDsToDate: "to_date",
        exp.ArraySize: "size",
        exp.Anonymous: "",
    }
)


@value
class Call:
    """A call: Spark's name in lower case and the arguments; `distinct` for f(DISTINCT …),
    `condition` for f(…) FILTER (WHERE condition).
    """

    node: exp.Expr
    name: str
    arguments: tuple[exp.Expr, ...]
    distinct: bool = False
    condition: exp.Expr | None = None

    @property
    def is_aggregate(self) -> bool:
        return self.name in AGGREGATES


def call_of(node: exp.Expr) -> Call | None:
    """The call that a node is, or None."""
    if isinstance(node, exp.Filter):
        inner = call_of(node.this)
        if inner is None:
            return None
        return replace(inner, node=node, condition=node.expression.this)
    if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
        return _call(node, str(node.this).lower(), list(node.expressions))
    if not isinstance(node, exp.Func) or isinstance(node, _NOT_CALLS):
        return None
    if isinstance(node, exp.If) and isinstance(node.parent, exp.Case):
        return None
    arguments: list[exp.Expr] = []
    for argument in node.args.values():
        if isinstance(argument, list):
            arguments.extend(v for v in argument if isinstance(v, exp.Expr))
        elif isinstance(argument, exp.Expr):
            arguments.append(argument)
    return _call(node, _name(node), arguments)


def _name(node: exp.Func) -> str:
    known = _SPARK_NAMES.get(type(node))
    return known or str(node.meta.get("name") or node.sql_names()[0]).lower()


def _call(node: exp.Expr, name: str, arguments: list[exp.Expr]) -> Call:
    if len(arguments) == 1 and isinstance(arguments[0], exp.Distinct):
        return Call(node, name, tuple(arguments[0].expressions), distinct=True)
    return Call(node, name, tuple(arguments))


def aggregates_in(expression: exp.Expr) -> Iterator[Call]:
    """The aggregate calls of an expression, outermost only."""
    call = call_of(expression)
    if call is not None and call.is_aggregate:
        yield call
        return
    for child in expression.iter_expressions():
        yield from aggregates_in(child)


def span_of(expression: exp.Expr, default: Span) -> Span:
    """Where an expression stands; a node without a span of its own covers its children."""
    span = expression.meta.get("span")
    if isinstance(span, Span):
        return span
    spans = [
        child.meta["span"]
        for child in expression.walk()
        if isinstance(child.meta.get("span"), Span)
    ]
    if not spans:
        return default
    return Span(min(s.start for s in spans), max(s.end for s in spans))
