"""ON and USING: the conditions of the joins that FROM writes out."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span

from .catalog import Context
from .expressions import Resolver
from .infer import Typer
from .names import meant, one_of
from .resolved import column, conjuncts
from .scope import Found, Nothing, Scope, Table


def conditions(
    item: nodes.FromItem, before: tuple[Table, ...], tables: Mapping[int, Table], context: Context
) -> tuple[tuple[Table, ...], tuple[exp.Expr, ...]]:
    """The tables of an item as those around it see them, and its conditions.

    As in Spark, ON and USING also see the tables `before` the item: `FROM a, b JOIN c ON a.x =
    c.x`.
    """
    if not isinstance(item, nodes.Join):
        return (tables[id(item)],), ()
    if item.kind != "inner":
        between = Span(item.left.span.end, item.right.span.start)
        place = context.word(item.kind, between)
        context.findings.not_yet("RF9005", f"{item.kind.upper()} JOIN", place)
    left, first = conditions(item.left, before, tables, context)
    right, second = conditions(item.right, (), tables, context)
    if item.on is not None:
        scope = Scope(before + left + right)
        resolver = Resolver(scope, context.findings, "ON", False, item.span)
        condition = resolver(item.on)
        Typer(scope.types, context.findings, item.span).condition(condition, "ON")
        return left + right, first + second + conjuncts(condition)
    equalities = tuple(
        equal
        for name in item.using
        if (equal := _using(name, Scope(before + left), Scope(right), context)) is not None
    )
    hidden = frozenset(name.text.casefold() for name in item.using)
    return left + tuple(t.hiding(hidden) for t in right), first + second + equalities


def _using(name: nodes.Name, left: Scope, right: Scope, context: Context) -> exp.Expr | None:
    sides = (left.find((name.text,)), right.find((name.text,)))
    for found in sides:
        if isinstance(found, Nothing) and found.reason != "open":
            ambiguous = found.reason != "unknown column"
            context.findings.error(
                "RF2006" if ambiguous else "RF2005",
                f"the column `{name.text}` of USING is "
                + ("ambiguous on one side" if ambiguous else "missing on one side"),
                name.span,
                one_of(found.known),
                "" if ambiguous else meant(name.text, found.known),
            )
            return None
    a, b = sides
    if not isinstance(a, Found) or not isinstance(b, Found):
        return None
    made = exp.EQ(this=column(a.column.internal), expression=column(b.column.internal))
    made.meta["span"] = name.span
    types = {a.column.internal: a.column.type, b.column.internal: b.column.type}
    Typer(types, context.findings, name.span)(made)
    return made
