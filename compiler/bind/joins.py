"""Joins: which condition goes where, and in which order the tables of FROM are joined.

A condition on one table becomes a filter on it. An equality between two sides is a key of their
join; any other condition stays with the first join that has all its columns. Tables are joined as
written, but one that an equality connects comes before one that would make a product.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from reflow.grammar.source import Span

from ..plan.operators import Join, Operator
from ..plan.operators.base import Expr
from .build import condition, extended, filtered, renamed, text
from .catalog import BROKEN, Context
from .infer import Typer
from .names import fresh, is_engine_name
from .nrrs import Attaching
from .resolved import columns_of
from .shape import grows
from .tables import Leaf, Tables


@dataclass(frozen=True)
class Part:
    """A conjunct and the numbers of the tables that it reads."""

    expression: exp.Expr
    leaves: frozenset[int]


@dataclass(frozen=True)
class Unit:
    """A piece of FROM that is joined already."""

    operator: Operator
    leaves: frozenset[int]


@dataclass(frozen=True)
class Equality:
    left: exp.Expr
    right: exp.Expr


def assembled(
    tables: Tables, where: tuple[exp.Expr, ...], used: frozenset[str], context: Context
) -> Operator:
    """One operator for FROM and WHERE. `used` are the internal names that the rest of the SELECT
    reads.
    """
    joiner = _Joiner(tables, context)
    parts = joiner.parts(tables.conditions + where)
    needed = used.union(*(columns_of(part.expression) for part in parts))
    attaching = Attaching.plan(
        tables.leaves, [(p.expression, p.leaves) for p in parts], needed, context
    )
    streams = [n for n, leaf in enumerate(tables.leaves) if leaf.relation is None]
    if not streams:
        joiner.refuse_no_stream()
        return BROKEN
    joiner.refuse_growth(streams)
    units = [joiner.unit(n, parts) for n in streams]
    pending = tuple(p for p in parts if not (len(p.leaves) == 1 and p.leaves <= set(streams)))
    ready: list[Unit] = []
    for unit in units:
        operator, pending = _attached(unit, pending, attaching)
        ready.append(replace(unit, operator=operator, leaves=_all_leaves(unit.leaves, attaching)))
    return joiner.joined(ready, pending, attaching)


def refuse_growth(what: str, whose: str, span: Span, context: Context) -> None:
    """The error about a side without a window."""
    context.findings.error(
        "RF3301",
        f"the state of {what} would grow for ever: {whose} has no window",
        span,
        "a window, such as `[RANGE 1 HOUR]`",
        "write [UNBOUNDED] to keep everything, or SET unbounded_state = 'allow'",
    )


def _attached(
    unit: Unit, pending: tuple[Part, ...], attaching: Attaching
) -> tuple[Operator, tuple[Part, ...]]:
    operator, taken = attaching.onto(unit.operator, unit.leaves)
    return operator, tuple(p for p in pending if id(p.expression) not in taken)


def _all_leaves(leaves: frozenset[int], attaching: Attaching) -> frozenset[int]:
    return leaves | attaching.at_home(leaves)


@dataclass(frozen=True)
class _Joiner:
    tables: Tables
    context: Context

    @property
    def owners(self) -> Mapping[str, int]:
        return {
            visible.internal: number
            for number, leaf in enumerate(self.tables.leaves)
            for _, visible in leaf.columns
        }

    def parts(self, conditions: tuple[exp.Expr, ...]) -> tuple[Part, ...]:
        owners = self.owners
        return tuple(
            Part(c, frozenset(owners[name] for name in columns_of(c) if name in owners))
            for c in conditions
        )

    def refuse_no_stream(self) -> None:
        leaf = self.tables.leaves[0]
        self.context.findings.error(
            "RF3208",
            f"`{leaf.alias}` is an NRR, and no stream of FROM is joined with it",
            leaf.span,
            "a stream in FROM: an NRR only answers the rows of one",
        )

    def refuse_growth(self, streams: list[int]) -> None:
        """A join keeps both sides: a side that nobody bounded is an error."""
        if len(streams) < 2 or self.context.settings.unbounded_state:
            return
        for number in streams:
            leaf = self.tables.leaves[number]
            if grows(leaf.operator) and not leaf.broken:
                whose = f"`{leaf.alias or 'this table'}`"
                refuse_growth("this join", whose, leaf.span, self.context)

    def unit(self, number: int, parts: tuple[Part, ...]) -> Unit:
        """One stream under its names of this SELECT, with the conditions on it alone."""
        leaf = self.tables.leaves[number]
        readable = {own: v.internal for own, v in leaf.columns if not is_engine_name(own)}
        named = renamed(leaf.operator, readable)
        own = [p.expression for p in parts if p.leaves == {number}]
        return Unit(filtered(named, own), frozenset({number}))

    def joined(
        self, units: list[Unit], pending: tuple[Part, ...], attaching: Attaching
    ) -> Operator:
        current, *others = units
        while others:
            following = self._next(current, others, pending)
            others = [unit for unit in others if unit is not following]
            operator, pending = self._join(current, following, pending)
            leaves = current.leaves | following.leaves
            operator, pending = _attached(Unit(operator, leaves), pending, attaching)
            current = Unit(operator, _all_leaves(leaves, attaching))
        return filtered(current.operator, [p.expression for p in pending])

    def _next(self, current: Unit, others: list[Unit], pending: tuple[Part, ...]) -> Unit:
        def connecting(unit: Unit) -> list[Part]:
            reach = current.leaves | unit.leaves
            return [p for p in pending if p.leaves <= reach and p.leaves & unit.leaves]

        for unit in others:
            if any(self._equality(p, current, unit) for p in connecting(unit)):
                return unit
        return next((unit for unit in others if connecting(unit)), others[0])

    def _equality(self, part: Part, left: Unit, right: Unit) -> Equality | None:
        """`a = b` where each side reads one unit only."""
        node = part.expression
        if not isinstance(node, exp.EQ):
            return None
        owners = self.owners
        sides = [{owners[n] for n in columns_of(s) if n in owners} for s in (node.left, node.right)]
        if not all(sides):
            return None
        if sides[0] <= left.leaves and sides[1] <= right.leaves:
            return Equality(node.left, node.right)
        if sides[1] <= left.leaves and sides[0] <= right.leaves:
            return Equality(node.right, node.left)
        return None

    def _join(
        self, left: Unit, right: Unit, pending: tuple[Part, ...]
    ) -> tuple[Operator, tuple[Part, ...]]:
        reach = left.leaves | right.leaves
        here = [p for p in pending if p.leaves and p.leaves <= reach]
        equalities = [(p, self._equality(p, left, right)) for p in here]
        keys = [e for _, e in equalities if e is not None]
        rest = [p.expression for p, e in equalities if e is None]
        taken = {c.name.casefold() for side in (left, right) for c in side.operator.schema}
        taken |= {name.casefold() for name in self.owners}
        left_on, left_names = self._keyed(left.operator, [k.left for k in keys], taken)
        taken |= {c.name.casefold() for c in left_on.schema}
        right_on, right_names = self._keyed(right.operator, [k.right for k in keys], taken)
        equal = tuple(dict.fromkeys(zip(left_names, right_names, strict=True)))
        joined = Join(left_on, right_on, equal, condition(rest))
        return joined, tuple(p for p in pending if p not in here)

    def _keyed(
        self, operator: Operator, sides: list[exp.Expr], taken: set[str]
    ) -> tuple[Operator, list[str]]:
        """The columns that hold these sides of equalities; expressions become new ones."""
        typer = Typer(self.tables.scope.types, self.context.findings, self.tables.leaves[0].span)
        names: list[str] = []
        more: list[tuple[str, Expr]] = []
        for side in (s.unnest() for s in sides):
            if isinstance(side, exp.Column):
                names.append(side.name)
                continue
            name = fresh((f"key_{len(more) + 1}", "key"), taken | {n.casefold() for n, _ in more})
            more.append((name, text(side, typer(side))))
            names.append(name)
        return extended(operator, more), names


__all__ = ["Leaf", "assembled"]
