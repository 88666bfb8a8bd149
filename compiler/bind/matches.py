"""The questions of WHERE: their inner queries are bound and compared with the outer one.

Inner conditions that read a column of the outer query are the condition of the join; the others
filter the inner query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span
from reflow.grammar.value import value

from ..plan.operators import Operator
from ..plan.operators.base import Expr
from .build import extended, text
from .calls import aggregates_in
from .catalog import BROKEN, Context
from .ddl import read_type
from .expressions import Resolver
from .infer import Typer
from .inner_columns import MARK, InnerColumns, equality, marked, unmarked
from .items import items_of
from .joins import assembled, refuse_growth
from .names import fresh
from .resolved import column, columns_of, conjuncts, random_calls
from .scope import Correlated, Scope
from .semi_joins import Match, semi_joined
from .shape import as_relation, grows
from .sought import Sought, sought_in
from .tables import BindQuery, Leaf, bind_tables
from .types import Type


@value
class _Inner:
    """An inner query: columns by name, the conditions that read the outer query."""

    operator: Operator
    items: tuple[exp.Expr, ...]
    crossing: tuple[exp.Expr, ...]
    types: dict[str, Type]


class Matcher:
    """Binds the questions of one SELECT and joins them to its FROM."""

    def __init__(self, scope: Scope, bind_query: BindQuery, context: Context, around: Span) -> None:
        self._scope = scope
        self._around = around
        self._bind_query = bind_query
        self._context = context
        self._taken = {name.casefold() for name in scope.types}
        self.random: list[tuple[str, Span]] = []
        """The calls in the inner queries whose value differs from run to run."""

    def bound(self, sought: Sequence[Sought]) -> tuple[Match, ...]:
        """The questions that could be bound; what is wrong with others is recorded."""
        found = (self._match(each) for each in sought)
        return tuple(match for match in found if match is not None)

    def refuse_growth(self, leaves: Sequence[Leaf], sought: Sequence[Sought]) -> None:
        """The rows of FROM are kept: a stream that nobody bounded is an error, as in a join."""
        streams = [leaf for leaf in leaves if leaf.relation is None]
        if len(streams) != 1 or not sought or self._context.settings.unbounded_state:
            return
        [leaf] = streams
        if grows(leaf.operator) and not leaf.broken:
            whose = f"`{leaf.alias or 'this table'}`"
            refuse_growth(f"this {sought[0].word}", whose, leaf.span, self._context)

    def joined(self, operator: Operator, matches: Sequence[Match]) -> Operator:
        """The rows of FROM that all questions let pass."""
        for match in matches:
            operator, names = self._keyed(operator, match.asked)
            operator = semi_joined(operator, match, names)
        return operator

    # --- binding ---

    def _match(self, sought: Sought) -> Match | None:
        inner = self._inner(sought)
        if inner is None:
            return None
        if grows(inner.operator) and not self._context.settings.unbounded_state:
            what, whose = f"this {sought.word}", "a stream of its query"
            refuse_growth(what, whose, sought.query.span, self._context)
        if sought.is_in and len(inner.items) != len(sought.sides):
            wanted = len(sought.sides)
            self._context.findings.error(
                "RF3212",
                f"the query of IN has {_columns(len(inner.items))},"
                f" and {wanted} stand{'s' if wanted == 1 else ''} before IN",
                sought.query.span,
                f"a query of {_columns(wanted)}",
            )
            return None
        return self._paired(sought, inner)

    def _inner(self, sought: Sought) -> _Inner | None:
        query = sought.query
        if isinstance(query, nodes.Select) and _is_plain(query):
            return self._plain(query, sought)
        answer = self._bind_query(query, self._context)
        if answer.broken:
            return None
        self.random.extend(answer.random)
        operator = as_relation(answer.operator)
        types = {c.name: read_type(c.type) for c in operator.schema}
        return _Inner(operator, tuple(column(c.name) for c in operator.schema), (), types)

    def _plain(self, select: nodes.Select, sought: Sought) -> _Inner | None:
        """A SELECT of which every row is a row of its FROM: it may read the outer query."""
        tables = bind_tables(select, self._bind_query, self._context)
        scope = Correlated(tables.scope.tables, self._scope, MARK)
        findings = self._context.findings
        items = tuple(i.expression for i in items_of(select, tables.scope, self._context))
        parts = () if select.where is None else conjuncts(select.where)
        questions = [sought_in(part, select.span) for part in parts]
        resolver = Resolver(scope, findings, "WHERE", False, select.span)
        typer = Typer(scope.types, findings, select.span)
        conditions: list[exp.Expr] = []
        for part, question in zip(parts, questions, strict=True):
            if question is None:
                resolved = resolver(part)
                typer.condition(resolved, "WHERE")
                conditions.extend(conjuncts(resolved))
        crossing = tuple(c for c in conditions if any(n.startswith(MARK) for n in columns_of(c)))
        own = tuple(c for c in conditions if c not in crossing)
        below = Matcher(tables.scope, self._bind_query, self._context, select.span)
        sides = [below.resolved(q) for q in questions if q is not None]
        matches = below.bound(sides)
        read = [*items, *crossing] if sought.is_in else [*crossing]
        used = frozenset[str]().union(*(columns_of(e) for e in read), *(m.reads for m in matches))
        below.refuse_growth(tables.leaves, sides)
        operator = assembled(tables, own, used, self._context)
        if operator is BROKEN or scope.open:
            return None
        operator = below.joined(operator, matches)
        written = (*items, *conditions, *tables.conditions, *(s for q in sides for s in q.sides))
        self.random.extend(call for e in written for call in random_calls(e, select.span))
        self.random.extend(call for leaf in tables.leaves for call in leaf.random)
        self.random.extend(below.random)
        return _Inner(operator, items, crossing, dict(tables.scope.types))

    def resolved(self, sought: Sought) -> Sought:
        """The question with what stands before IN resolved."""
        resolver = Resolver(self._scope, self._context.findings, "WHERE", False, self._around)
        return replace(sought, sides=tuple(resolver(side) for side in sought.sides))

    def _paired(self, sought: Sought, inner: _Inner) -> Match:
        """The inner query with a column for all that the join compares, under names of its own."""
        findings, span = self._context.findings, sought.span
        types = {**self._scope.types, **{MARK + n: t for n, t in self._scope.types.items()}}
        typer = Typer({**types, **inner.types}, findings, span)
        columns = InnerColumns(inner.operator, typer, self._taken)
        sides = []
        for side, item in zip(sought.sides, inner.items if sought.is_in else (), strict=True):
            typer(exp.EQ(this=marked(side), expression=item.copy()))
            sides.append((side, columns.named(item)))
        equal, rest = [], []
        for part in inner.crossing:
            pair = equality(part)
            if pair is None:
                rest.append(unmarked(columns.renamed(part)))
            else:
                equal.append((unmarked(pair[0]), columns.named(pair[1])))
        right = columns.projected()
        return Match(right, tuple(equal), tuple(sides), tuple(rest), sought.negated)

    def _keyed(self, left: Operator, sides: Sequence[exp.Expr]) -> tuple[Operator, tuple[str, ...]]:
        """The left with a column for each of these; expressions become new ones."""
        typer = Typer(self._scope.types, self._context.findings, self._around)
        names: list[str] = []
        more: list[tuple[str, Expr]] = []
        taken = {c.name.casefold() for c in left.schema} | self._taken
        for side in (s.unnest() for s in sides):
            if isinstance(side, exp.Column):
                names.append(side.name)
                continue
            name = fresh(("side",), taken)
            taken.add(name.casefold())
            more.append((name, text(side, typer(side))))
            names.append(name)
        self._taken |= taken
        return extended(left, more), tuple(names)


def _is_plain(select: nodes.Select) -> bool:
    grouped = select.group_by or select.having is not None
    if grouped or select.distinct or select.report is not None:
        return False
    return not any(True for item in select.items for _ in aggregates_in(item.expression))


def _columns(number: int) -> str:
    return f"{number} column{'' if number == 1 else 's'}"
