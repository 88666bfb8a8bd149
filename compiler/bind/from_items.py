"""FROM as its joins put it together: what is joined freely, and the outer joins, which bracket.

Tables are known by their number, in the order in which they are written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from sqlglot import exp

from reflow.grammar.source import Span
from reflow.grammar.value import value

from .types import Type

Preserved = Literal["left", "right", "full"]


@value
class Lookup:
    """A LEFT JOIN with an NRR: its number, the parts of ON, and the tables on the other side."""

    number: int
    conditions: tuple[exp.Expr, ...]
    beside: frozenset[int]


@value
class Merged:
    """The column of USING that a FULL JOIN makes of those of its sides, by internal names."""

    name: str
    left: str
    right: str
    type: Type


@value
class Inner:
    """What inner joins put together: FROM as a whole, or a side of an outer join.

    `members`, in order, are tables and outer joins. The conditions are parts of ON and USING.
    """

    members: tuple[int | Outer, ...] = ()
    conditions: tuple[exp.Expr, ...] = ()
    lookups: tuple[Lookup, ...] = ()

    def __add__(self, other: Inner) -> Inner:
        return Inner(
            self.members + other.members,
            self.conditions + other.conditions,
            self.lookups + other.lookups,
        )

    @property
    def tables(self) -> frozenset[int]:
        """The tables below, those of outer joins too."""
        found = (m.tables if isinstance(m, Outer) else frozenset({m}) for m in self.members)
        return frozenset[int]().union(*found)

    def all_conditions(self) -> Iterator[exp.Expr]:
        """The parts of every ON and USING, those of outer joins too."""
        yield from self.conditions
        for lookup in self.lookups:
            yield from lookup.conditions
        for member in self.members:
            if isinstance(member, Outer):
                yield from member.left.all_conditions()
                yield from member.right.all_conditions()
                yield from member.conditions

    def all_merged(self) -> Iterator[Merged]:
        """The columns that USING makes in its outer joins."""
        for member in self.members:
            if isinstance(member, Outer):
                yield from member.left.all_merged()
                yield from member.right.all_merged()
                yield from member.merged


@value
class Outer:
    """An outer join of two sides. `kind`: whose rows are there without a match, too."""

    kind: Preserved
    left: Inner
    right: Inner
    conditions: tuple[exp.Expr, ...]
    merged: tuple[Merged, ...]
    span: Span

    @property
    def tables(self) -> frozenset[int]:
        return self.left.tables | self.right.tables
