"""FROM: its items in order and the names they bring into scope."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sqlglot import exp

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span
from reflow.grammar.value import value

from ..plan.operators import NrrDeclaration, Operator
from .catalog import BROKEN, BROKEN_ANSWER, Answer, Context
from .conditions import FromItems
from .ddl import read_type
from .from_items import Inner
from .names import fresh_all, is_engine_name
from .scope import Scope, Table, Visible
from .windows import windowed

BindQuery = Callable[[nodes.Query, Context], Answer]


@value
class Leaf:
    """One table of FROM. An NRR has a `relation` and no operator of its own.

    `columns` pairs what the operator (or relation) calls a column with how this SELECT sees it.
    """

    alias: str
    span: Span
    operator: Operator
    relation: NrrDeclaration | None
    columns: tuple[tuple[str, Visible], ...]
    broken: bool = False
    random: tuple[tuple[str, Span], ...] = ()

    @property
    def table(self) -> Table:
        return Table(self.alias, tuple(visible for _, visible in self.columns), self.broken)


@value
class Tables:
    """FROM as a whole: leaves as written, their scope, and how they are joined."""

    leaves: tuple[Leaf, ...]
    scope: Scope
    joined: Inner

    @property
    def conditions(self) -> tuple[exp.Expr, ...]:
        """The parts of ON and USING, resolved."""
        return tuple(self.joined.all_conditions())


def bind_tables(select: nodes.Select, bind_query: BindQuery, context: Context) -> Tables:
    items = tuple(leaf for item in select.from_items for leaf in _leaves(item))
    raw = tuple(_leaf(item, bind_query, context) for item in items)
    leaves = _renamed(raw)
    _refuse_equal_aliases(items, leaves, context)
    numbers = {id(item): number for number, item in enumerate(items)}
    relations = frozenset(n for n, leaf in enumerate(leaves) if leaf.relation is not None)
    reader = FromItems([leaf.table for leaf in leaves], numbers, relations, context)
    joined, tables = reader.read(select.from_items)
    return Tables(leaves, Scope(tables), joined)


def _leaves(item: nodes.FromItem) -> Iterator[nodes.TableName | nodes.DerivedTable]:
    if isinstance(item, nodes.Join):
        yield from _leaves(item.left)
        yield from _leaves(item.right)
    else:
        yield item


# --- one table ---


def _leaf(
    item: nodes.TableName | nodes.DerivedTable, bind_query: BindQuery, context: Context
) -> Leaf:
    if item.reduction is not None:
        context.findings.not_yet("RF9011", "REDUCE", item.reduction.span)
    if isinstance(item, nodes.DerivedTable):
        answer = bind_query(item.query, context)
        alias = item.alias.text if item.alias else ""
        return _of_answer(answer, alias, "this derived table", item, item.span, context)
    entry = context.entry(item.name.text, item.name.span)
    alias = item.alias.text if item.alias else (entry.name if entry else item.name.text)
    if entry is None:
        return _of_answer(BROKEN_ANSWER, alias, item.name.text, item, item.name.span, context)
    if entry.relation is not None:
        return _of_relation(entry.relation, alias, item, context)
    named = f"`{entry.name}`"
    return _of_answer(entry.answer, alias, named, item, item.name.span, context)


def _of_answer(
    answer: Answer,
    alias: str,
    named: str,
    item: nodes.TableName | nodes.DerivedTable,
    span: Span,
    context: Context,
) -> Leaf:
    columns = tuple(
        (column.name, Visible(name, column.name, read_type(column.type)))
        for name, column in zip(answer.names, answer.operator.schema, strict=True)
    )
    scope = Scope((Table(alias, tuple(visible for _, visible in columns), answer.broken),))
    operator = windowed(answer.operator, item.window, named, scope, context)
    return Leaf(alias, span, operator, None, columns, answer.broken, answer.random)


def _of_relation(
    relation: NrrDeclaration,
    alias: str,
    item: nodes.TableName | nodes.DerivedTable,
    context: Context,
) -> Leaf:
    if item.window is not None:
        context.findings.error(
            "RF3104",
            f"`{relation.name}` is an NRR, not a stream, so it has no window",
            item.window.span,
            hint="each stream row meets the version that is current when it arrives",
        )
    columns = tuple((c.name, Visible(c.name, c.name, read_type(c.type))) for c in relation.columns)
    span = item.name.span if isinstance(item, nodes.TableName) else item.span
    return Leaf(alias, span, BROKEN, relation, columns)


# --- names ---


def _renamed(leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """Internal names for all columns of FROM: the declared name, on a clash `alias_column`, then
    numbered.

    A stream's column that is called like one of the engine's own keeps its name: it cannot be
    read.
    """
    wanted = [
        (own, f"{leaf.alias or f't{number}'}_{visible.name}")
        for number, leaf in enumerate(leaves, 1)
        for own, visible in leaf.columns
        if leaf.relation is not None or not is_engine_name(own)
    ]
    names = iter(fresh_all(wanted))

    def named(leaf: Leaf) -> Leaf:
        columns = tuple(
            (own, visible)
            if leaf.relation is None and is_engine_name(own)
            else (own, replace(visible, internal=next(names)))
            for own, visible in leaf.columns
        )
        return replace(leaf, columns=columns)

    return tuple(map(named, leaves))


def _refuse_equal_aliases(
    items: tuple[nodes.TableName | nodes.DerivedTable, ...],
    leaves: tuple[Leaf, ...],
    context: Context,
) -> None:
    seen: set[str] = set()
    for item, leaf in zip(items, leaves, strict=True):
        folded = leaf.alias.casefold()
        if folded and folded in seen:
            context.findings.error(
                "RF2007",
                f"two tables of FROM are called `{leaf.alias}`",
                item.alias.span if item.alias else leaf.span,
                hint=f"give this one a name of its own: AS {leaf.alias}2",
            )
        seen.add(folded)
