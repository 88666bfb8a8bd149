"""The clauses of a SELECT, resolved: the list, WHERE, GROUP BY, HAVING."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from reflow.compiler.syntax import nodes
from reflow.grammar.value import value

from .calls import aggregates_in, span_of
from .catalog import Context
from .expressions import Resolver
from .infer import Typer
from .items import Item, items_of
from .names import lookup
from .resolved import conjuncts
from .scope import Nothing, Scope
from .sought import Sought, sought_in


@value
class Clauses:
    """Resolved expressions. `keys` pairs each with the internal name that it would like to have;
    `unclear`: one of them was wrong and is left out.
    """

    items: tuple[Item, ...]
    where: tuple[exp.Expr, ...]
    keys: tuple[tuple[exp.Expr, str], ...]
    having: exp.Expr | None
    grouped: bool
    unclear: bool
    sought: tuple[Sought, ...] = ()

    @property
    def expressions(self) -> tuple[exp.Expr, ...]:
        having = () if self.having is None else (self.having,)
        listed = tuple(item.expression for item in self.items)
        sides = tuple(side for sought in self.sought for side in sought.sides)
        return listed + self.where + tuple(key for key, _ in self.keys) + having + sides


def read_clauses(select: nodes.Select, scope: Scope, context: Context) -> Clauses:
    return _Reader(select, scope, context).clauses()


@value
class _Reader:
    select: nodes.Select
    scope: Scope
    context: Context

    @property
    def _typer(self) -> Typer:
        return Typer(self.scope.types, self.context.findings, self.select.span)

    def clauses(self) -> Clauses:
        where, sought = self._where()
        items = items_of(self.select, self.scope, self.context)
        keys = tuple(self._key(key, items) for key in self.select.group_by)
        having = self._having(items)
        grouped = bool(self.select.group_by) or self.select.having is not None
        grouped = grouped or any(True for i in items for _ in aggregates_in(i.expression))
        good = tuple(key for key in keys if key is not None)
        return Clauses(items, where, good, having, grouped, len(good) < len(keys), sought)

    def _resolve(self, node: exp.Expr, clause: str) -> exp.Expr:
        return Resolver(self.scope, self.context.findings, clause, False, self.select.span)(node)

    def _where(self) -> tuple[tuple[exp.Expr, ...], tuple[Sought, ...]]:
        """Conditions on rows, and questions to other queries."""
        if self.select.where is None:
            return (), ()
        parts = conjuncts(self.select.where)
        questions = [sought_in(part, self.select.span) for part in parts]
        found: list[exp.Expr] = []
        if any(question is not None for question in questions):
            rest = [p for p, q in zip(parts, questions, strict=True) if q is None]
        else:
            rest = [self.select.where]
        for part in rest:
            condition = self._resolve(part, "WHERE")
            self._typer.condition(condition, "WHERE")
            found.extend(conjuncts(condition))
        sought = [replace(q, sides=self._sides(q)) for q in questions if q is not None]
        return tuple(found), tuple(sought)

    def _sides(self, sought: Sought) -> tuple[exp.Expr, ...]:
        return tuple(self._resolve(side, "WHERE") for side in sought.sides)

    def _having(self, items: Sequence[Item]) -> exp.Expr | None:
        """HAVING sees the aliases of the list first, but not within an aggregate."""
        if self.select.having is None:
            return None
        aliases = {i.alias.text: i.expression for i in items if i.alias is not None}
        findings, span = self.context.findings, self.select.span
        condition = Resolver(self.scope, findings, "HAVING", True, span, aliases)(
            self.select.having
        )
        self._typer.condition(condition, "HAVING")
        return condition

    # --- GROUP BY ---

    def _key(self, key: exp.Expr, items: Sequence[Item]) -> tuple[exp.Expr, str] | None:
        """A key: a position in the list, a column, an alias of the list, or an expression."""
        if isinstance(key, exp.Literal) and not key.is_string:
            item = self._by_position(key, items)
            if item is None:
                return None
        else:
            item = self._by_alias(key, items)
        if item is None:
            return self._own_key(key, items)
        for call in aggregates_in(item.expression):
            span = span_of(key, self.select.span)
            message = f"{call.name.upper()} is not allowed in GROUP BY"
            self.context.findings.error("RF3203", message, span)
            return None
        return item.expression.unnest(), item.wanted

    def _own_key(self, key: exp.Expr, items: Sequence[Item]) -> tuple[exp.Expr, str] | None:
        before = len(self.context.findings.errors)
        resolved = self._resolve(key, "GROUP BY").unnest()
        if len(self.context.findings.errors) > before:
            return None
        type_ = self._typer(resolved)
        if type_.name == "MAP":
            span = span_of(key, self.select.span)
            self.context.findings.error("RF2109", f"GROUP BY cannot take a {type_}", span)
        same = next((i for i in items if i.expression.unnest() == resolved), None)
        if same is not None:
            return resolved, same.wanted
        return resolved, resolved.name if isinstance(resolved, exp.Column) else "key"

    def _by_position(self, key: exp.Literal, items: Sequence[Item]) -> Item | None:
        written = str(key.this)
        if written.isdecimal() and 1 <= int(written) <= len(items):
            return items[int(written) - 1]
        if not self.scope.open:
            self.context.findings.error(
                "RF3206",
                f"SELECT has no column {written}",
                span_of(key, self.select.span),
                f"a position from 1 to {len(items)}",
            )
        return None

    def _by_alias(self, key: exp.Expr, items: Sequence[Item]) -> Item | None:
        """An alias counts where no column of FROM has the name."""
        if not isinstance(key, exp.Column) or key.args.get("table") is not None:
            return None
        found = self.scope.find((key.name,))
        if not isinstance(found, Nothing) or found.reason.startswith("ambiguous"):
            return None
        named = [item for item in items if item.alias is not None]
        return lookup(key.name, named, lambda item: item.name).only
