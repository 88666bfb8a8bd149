"""The list after SELECT: stars spread out, every item with its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span
from reflow.grammar.value import value

from .calls import call_of, span_of
from .catalog import Context
from .expressions import Resolver, refuse_engine_name
from .names import meant, one_of
from .resolved import column, name_parts
from .scope import Scope, Table


@value
class Item:
    """One output column: resolved expression, name for the user, and the internal name it would
    like.
    """

    expression: exp.Expr
    name: str
    wanted: str
    span: Span
    alias: nodes.Name | None = None

    @property
    def place(self) -> Span:
        """What to point at when its name is wrong."""
        return self.alias.span if self.alias else self.span


def items_of(select: nodes.Select, scope: Scope, context: Context) -> tuple[Item, ...]:
    found: list[Item] = []
    resolver = Resolver(scope, context.findings, "SELECT", True, select.span)
    for item in select.items:
        if is_star(item.expression):
            found.extend(_spread(item, scope, context))
        else:
            found.append(_item(item, resolver, scope, context))
    return tuple(found)


def is_star(node: exp.Expr) -> bool:
    if isinstance(node, exp.Star):
        return True
    return isinstance(node, exp.Column) and isinstance(node.this, exp.Star)


def _spread(item: nodes.SelectItem, scope: Scope, context: Context) -> Iterator[Item]:
    """`*` is every column of FROM in order, `a.*` those of one table."""
    tables: tuple[Table, ...] = scope.tables
    qualified = False
    parts = name_parts(item.expression)
    if parts is not None and len(parts) > 1:
        qualified = True
        table = scope.table(parts[0].name)
        if table is None:
            aliases = tuple(t.alias for t in scope.tables if t.alias)
            context.findings.error(
                "RF2016",
                f"no table of FROM is called `{parts[0].name}`",
                span_of(parts[0], item.span),
                one_of(aliases),
                meant(parts[0].name, aliases),
            )
        tables = (table,) if table is not None else ()
    columns = (c for table in tables for c in table.columns)
    for visible in (c for c in columns if (c.own if qualified else c.shown)):
        refuse_engine_name(visible, item.span, context.findings)
        reference = column(visible.internal)
        reference.meta["span"] = item.span
        yield Item(reference, visible.name, _plain(visible.name), item.span)


def _item(item: nodes.SelectItem, resolver: Resolver, scope: Scope, context: Context) -> Item:
    resolved = resolver(item.expression)
    if item.alias is not None:
        alias = item.alias.text
        return Item(resolved, alias, _plain(alias), item.span, item.alias)
    name = _own_name(resolved, scope)
    if name is not None:
        return Item(resolved, name, _plain(name), item.span)
    written = " ".join(context.text(span_of(item.expression, item.span)).split())
    return Item(resolved, written, _invented(resolved, written), item.span)


def _own_name(resolved: exp.Expr, scope: Scope) -> str | None:
    """A column keeps the name it was declared with, a field its own."""
    if isinstance(resolved, exp.Column):
        for table in scope.tables:
            for visible in table.columns:
                if visible.internal == resolved.name:
                    return visible.name
        return str(resolved.name)
    if isinstance(resolved, exp.Dot):
        return str(resolved.expression.name)
    return None


def _plain(name: str) -> str:
    """A name that Spark never takes apart: dots and backquotes mean something to it."""
    return re.sub(r"[.`]", "_", name) or "_"


def _invented(resolved: exp.Expr, written: str) -> str:
    call = call_of(resolved)
    if call is not None and call.is_aggregate:
        argument = call.arguments[0] if call.arguments else None
        return f"{call.name}_{argument.name}" if isinstance(argument, exp.Column) else call.name
    words = re.sub(r"\W+", "_", written).strip("_").lower()
    return words[:30].rstrip("_") or "value"
