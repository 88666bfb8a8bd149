"""What can be asked of a resolved expression, and how one is made."""

from __future__ import annotations

from sqlglot import exp

from reflow.grammar.source import Span

from ..plan.expressions import UNSTABLE
from .calls import Call, call_of, span_of


def column(name: str) -> exp.Column:
    """A column by its internal name."""
    return exp.Column(this=exp.Identifier(this=name, quoted=True))


def name_parts(node: exp.Expr) -> tuple[exp.Expr, ...] | None:
    """The identifiers of `a.b.c`; None when the left end is not a name."""
    if isinstance(node, exp.Column):
        keys = ("catalog", "db", "table", "this")
        return tuple(node.args[key] for key in keys if node.args.get(key) is not None)
    if isinstance(node, exp.Dot):
        left = name_parts(node.this)
        right = node.expression
        if left is None or not isinstance(right, (exp.Identifier, exp.Column, exp.Star)):
            return None
        return (*left, *(name_parts(right) or (right,)))
    return None


def random_calls(expression: exp.Expr, around: Span) -> tuple[tuple[str, Span], ...]:
    """The calls whose value differs from run to run."""
    found = []
    for node in expression.walk():
        call = call_of(node)
        if call is not None and (call.name in UNSTABLE or _reads_the_clock(call)):
            found.append((call.name, span_of(node, around)))
    return tuple(found)


def _reads_the_clock(call: Call) -> bool:
    return call.name == "unix_timestamp" and not call.arguments


def conjuncts(expression: exp.Expr) -> tuple[exp.Expr, ...]:
    """The parts of a condition between its outermost ANDs."""
    bare = expression
    while isinstance(bare, exp.Paren):
        bare = bare.this
    if isinstance(bare, exp.And):
        return conjuncts(bare.left) + conjuncts(bare.right)
    return (bare,)


def columns_of(expression: exp.Expr) -> frozenset[str]:
    """The internal names that a resolved expression reads."""
    return frozenset(node.name for node in expression.find_all(exp.Column))
