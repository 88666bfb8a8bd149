"""Joins: which condition goes where, and in which order the tables of FROM are joined.

A condition on one table becomes a filter on it. An equality between two sides is a key of their
join; any other condition stays with the first join that has all its columns. Tables are joined as
written, but one that an equality connects comes before one that would make a product. An outer join
is a table of its own to what stands around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from reflow.grammar.source import Span
from reflow.grammar.value import value

from ..plan.operators import Join, Operator
from ..plan.operators.base import Expr
from .build import condition, extended, filtered, renamed, text
from .catalog import BROKEN, Context
from .from_items import Inner, Outer
from .infer import Typer
from .names import fresh, is_engine_name
from .nrrs import Attaching
from .outer_joins import Pairing, outer_join, refuse_columns
from .resolved import columns_of
from .scope import Visible
from .shape import grows
from .tables import Leaf, Tables
from .types import Type


@value
class Part:
    """A conjunct and the numbers of the tables that it reads."""

    expression: exp.Expr
    leaves: frozenset[int]


@value
class Unit:
    """A piece of FROM that is joined already."""

    operator: Operator
    leaves: frozenset[int]


@value
class Equality:
    left: exp.Expr
    right: exp.Expr


def assembled(
    tables: Tables, where: tuple[exp.Expr, ...], used: frozenset[str], context: Context
) -> Operator:
    """One operator for FROM and WHERE. `used` are the internal names that the rest of the SELECT
    reads.
    """
    read = used.union(*(columns_of(e) for e in (*tables.conditions, *where)))
    return _From(tables.leaves, tables.scope.types, read, context).joined(tables.joined, where)


@value
class _From:
    """All tables of FROM by number, the types of their columns, and the columns that are read."""

    leaves: tuple[Leaf, ...]
    types: Mapping[str, Type]
    read: frozenset[str]
    context: Context

    def joined(self, inner: Inner, where: tuple[exp.Expr, ...] = ()) -> Operator:
        """What inner joins put together, the outer joins among it first; BROKEN where there is no
        stream.
        """
        leaves = tuple(
            self._outer(m) if isinstance(m, Outer) else self.leaves[m] for m in inner.members
        )
        joiner = _Joiner(leaves, self.types, self.context)
        streams = [n for n, leaf in enumerate(leaves) if leaf.relation is None]
        if not streams:
            joiner.refuse_no_stream()
            return BROKEN
        if any(leaf.operator is BROKEN for leaf in leaves if leaf.relation is None):
            return BROKEN
        parts = joiner.parts(inner.conditions + where)
        attaching = self._attaching(inner, joiner, parts)
        joiner.refuse_growth(streams)
        units = [joiner.unit(n, parts) for n in streams]
        pending = tuple(p for p in parts if not (len(p.leaves) == 1 and p.leaves <= set(streams)))
        ready: list[Unit] = []
        for unit in units:
            operator, pending = _attached(unit, pending, attaching)
            leaves_of = _all_leaves(unit.leaves, attaching)
            ready.append(replace(unit, operator=operator, leaves=leaves_of))
        return joiner.joined(ready, pending, attaching)

    def _attaching(self, inner: Inner, joiner: _Joiner, parts: tuple[Part, ...]) -> Attaching:
        place = {
            table: number
            for number, m in enumerate(inner.members)
            for table in (m.tables if isinstance(m, Outer) else (m,))
        }
        lookups = {
            place[each.number]: tuple(
                (p.expression, p.leaves) for p in joiner.parts(each.conditions)
            )
            for each in inner.lookups
        }
        beside = {
            place[each.number]: frozenset(place[table] for table in each.beside)
            for each in inner.lookups
        }
        conjuncts = [(p.expression, p.leaves) for p in parts]
        return Attaching.plan(joiner.leaves, conjuncts, lookups, beside, self.read, self.context)

    def _outer(self, outer: Outer) -> Leaf:
        """An outer join as a table, with the columns of its sides that are read."""
        sides = [self.joined(side) for side in (outer.left, outer.right)]
        visible = [self._columns(side) for side in (outer.left, outer.right)]
        made = tuple(Visible(m.name, m.name, m.type) for m in outer.merged if m.name in self.read)
        columns = tuple((v.internal, v) for v in (*visible[0], *visible[1], *made))
        if any(side is BROKEN for side in sides):
            return Leaf("", outer.span, BROKEN, None, columns, True)
        self._refuse(outer, sides, visible)
        around = _Joiner(
            tuple(
                Leaf("", outer.span, side, None, tuple((v.internal, v) for v in own))
                for side, own in zip(sides, visible, strict=True)
            ),
            self.types,
            self.context,
        )
        left, right = (Unit(side, frozenset({n})) for n, side in enumerate(sides))
        pairing = around.pairing(left, right, around.parts(outer.conditions))
        schema = [c for side in sides for c in side.schema if c.name in self.read]
        merged = [m for m in outer.merged if m.name in self.read]
        operator = outer_join(outer.kind, pairing, schema, merged)
        # What would grow in it has been said.
        return Leaf("", outer.span, operator, None, columns, True)

    def _columns(self, side: Inner) -> tuple[Visible, ...]:
        """The columns of a side that are read, those that USING made too."""
        found = [v for n in sorted(side.tables) for _, v in self.leaves[n].columns]
        found += [Visible(m.name, m.name, m.type) for m in side.all_merged()]
        return tuple(v for v in found if v.internal in self.read)

    def _refuse(
        self, outer: Outer, sides: list[Operator], visible: list[tuple[Visible, ...]]
    ) -> None:
        for side in (outer.left, outer.right):
            streams = [n for n in side.tables if self.leaves[n].relation is None]
            leaf = self.leaves[streams[0]]
            # A join within a side has said it of its own tables.
            alone = len(streams) == 1 and not self.context.settings.unbounded_state
            if alone and grows(leaf.operator) and not leaf.broken:
                whose = f"`{leaf.alias or 'this table'}`"
                refuse_growth("this join", whose, leaf.span, self.context)
        filled = {"left": visible[1:], "right": visible[:1]}.get(outer.kind, visible)
        refuse_columns(
            [v for own in filled for v in own],
            [v for own in visible for v in own],
            outer.span,
            self.context,
        )


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


@value
class _Joiner:
    leaves: tuple[Leaf, ...]
    types: Mapping[str, Type]
    context: Context

    @property
    def owners(self) -> Mapping[str, int]:
        return {
            visible.internal: number
            for number, leaf in enumerate(self.leaves)
            for _, visible in leaf.columns
        }

    def parts(self, conditions: tuple[exp.Expr, ...]) -> tuple[Part, ...]:
        owners = self.owners
        return tuple(
            Part(c, frozenset(owners[name] for name in columns_of(c) if name in owners))
            for c in conditions
        )

    def refuse_no_stream(self) -> None:
        leaf = self.leaves[0]
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
            leaf = self.leaves[number]
            if grows(leaf.operator) and not leaf.broken:
                whose = f"`{leaf.alias or 'this table'}`"
                refuse_growth("this join", whose, leaf.span, self.context)

    def unit(self, number: int, parts: tuple[Part, ...]) -> Unit:
        """One stream under its names of this SELECT, with the conditions on it alone."""
        leaf = self.leaves[number]
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
        here = tuple(p for p in pending if p.leaves and p.leaves <= reach)
        pairing = self.pairing(left, right, here)
        joined = Join(pairing.left, pairing.right, pairing.equal, condition(pairing.rest))
        return joined, tuple(p for p in pending if p not in here)

    def pairing(self, left: Unit, right: Unit, parts: tuple[Part, ...]) -> Pairing:
        """What these conditions ask of a pair: equal columns, and the rest."""
        equalities = [(p, self._equality(p, left, right)) for p in parts]
        keys = [e for _, e in equalities if e is not None]
        rest = tuple(p.expression for p, e in equalities if e is None)
        taken = {c.name.casefold() for side in (left, right) for c in side.operator.schema}
        taken |= {name.casefold() for name in self.owners}
        left_on, left_names = self._keyed(left.operator, [k.left for k in keys], taken)
        taken |= {c.name.casefold() for c in left_on.schema}
        right_on, right_names = self._keyed(right.operator, [k.right for k in keys], taken)
        equal = tuple(dict.fromkeys(zip(left_names, right_names, strict=True)))
        return Pairing(left_on, right_on, equal, rest)

    def _keyed(
        self, operator: Operator, sides: list[exp.Expr], taken: set[str]
    ) -> tuple[Operator, list[str]]:
        """The columns that hold these sides of equalities; expressions become new ones."""
        typer = Typer(self.types, self.context.findings, self.leaves[0].span)
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
