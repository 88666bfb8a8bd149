"""Joins with non-retroactive relations: which stream row picks the version, and where that
happens.

An NRR is joined right above the stream that its condition names, before that stream meets others,
so that the pair of row and version is fixed at arrival. When the condition names several streams,
it is joined after those. An NRR without a stream in its conditions takes the place of the NRR that
it is tied to, else that of the whole answer. A LEFT JOIN with an NRR is such a join, too: only its
own ON says where it happens and which rows it meets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from reflow.grammar.value import value

from ..plan.of_rows import of_rows
from ..plan.operators import Join, NrrJoin, Operator, RowsWindow, SessionWindow
from ..plan.operators.base import Expr
from .build import condition, extended, text
from .catalog import Context
from .infer import Typer
from .names import fresh, is_engine_name
from .resolved import columns_of
from .shape import clock, order_column, quoted, retracts
from .tables import Leaf

Conjunct = tuple[exp.Expr, frozenset[int]]


@value
class Attaching:
    """The plan for the NRRs of one FROM: by number, the streams that each is joined to. `lookups`
    are the parts of ON of those that are joined by LEFT JOIN.
    """

    leaves: tuple[Leaf, ...]
    conjuncts: tuple[Conjunct, ...]
    needed: frozenset[str]
    homes: Mapping[int, frozenset[int]]
    lookups: Mapping[int, tuple[Conjunct, ...]]
    context: Context

    @classmethod
    def plan(
        cls,
        leaves: tuple[Leaf, ...],
        conjuncts: Sequence[Conjunct],
        lookups: Mapping[int, tuple[Conjunct, ...]],
        beside: Mapping[int, frozenset[int]],
        needed: frozenset[str],
        context: Context,
    ) -> Attaching:
        """`beside`: the tables on the other side of a LEFT JOIN."""
        streams = frozenset(n for n, leaf in enumerate(leaves) if leaf.relation is None)
        nrrs = [n for n, leaf in enumerate(leaves) if leaf.relation is not None]
        homes = _homes(nrrs, streams, conjuncts, lookups, beside)
        return cls(leaves, tuple(conjuncts), needed, homes, lookups, context)

    def at_home(self, streams: frozenset[int]) -> frozenset[int]:
        """The NRRs that belong to these streams."""
        return frozenset(n for n, home in self.homes.items() if home <= streams)

    def onto(self, operator: Operator, leaves: frozenset[int]) -> tuple[Operator, frozenset[int]]:
        """The operator joined with every NRR whose streams are all in it and which is not yet
        there.

        Also the ids of the conjuncts that the joins have taken.
        """
        reach = leaves
        taken: frozenset[int] = frozenset()
        waiting = [n for n in self.homes if self.homes[n] <= leaves and n not in leaves]
        while waiting:
            number = self._next(waiting, reach)
            waiting = [n for n in waiting if n != number]
            here = self._touching(number, reach)
            operator = self._join(operator, number, [e for e, _ in here])
            reach |= {number}
            taken |= {id(e) for e, _ in here}
        return operator, taken

    def _touching(self, number: int, reach: frozenset[int]) -> list[Conjunct]:
        if number in self.lookups:
            return list(self.lookups[number])
        return [(e, of) for e, of in self.conjuncts if number in of and of <= reach | {number}]

    def _next(self, waiting: list[int], reach: frozenset[int]) -> int:
        """One that an equality ties to what is there already, else the first as written."""
        waiting = [n for n in waiting if self._is_ready(n, reach)] or waiting
        for number in waiting:
            ties = (e for e, of in self._touching(number, reach) if len(of) > 1)
            if any(isinstance(e, exp.EQ) for e in ties):
                return number
        return waiting[0]

    def _is_ready(self, number: int, reach: frozenset[int]) -> bool:
        """ON of a LEFT JOIN finds all that it reads."""
        return all(of <= reach | {number} for _, of in self.lookups.get(number, ()))

    def _join(self, operator: Operator, number: int, parts: list[exp.Expr]) -> Operator:
        leaf = self.leaves[number]
        relation = leaf.relation
        assert relation is not None
        self._refuse_revised(operator, leaf)
        own = {visible.internal for _, visible in leaf.columns}
        pairs = [(part, _equality(part, own)) for part in parts]
        rest = [part for part, pair in pairs if pair is None]
        keys = [pair for _, pair in pairs if pair is not None]
        operator, equal = self._keyed(operator, keys, f"{leaf.alias}_key")
        return NrrJoin(
            operator,
            relation,
            tuple((v.internal, name) for name, v in leaf.columns if v.internal in self.needed),
            equal,
            condition(rest),
            self._at(operator, number),
            outer=number in self.lookups,
        )

    def _refuse_revised(self, operator: Operator, leaf: Leaf) -> None:
        """A stream's row that is corrected takes its pairs along. Of any other answer nobody can
        say which of its rows is another one now, and when that came.
        """
        if retracts(operator) and not of_rows(operator):
            self.context.findings.error(
                "RF3209",
                f"`{leaf.alias}` is an NRR and cannot be joined with an answer that is revised",
                leaf.span,
                "a stream row, whose version is fixed when it arrives",
                _below(operator),
            )

    def _keyed(
        self, operator: Operator, pairs: list[tuple[exp.Expr, str]], wanted: str
    ) -> tuple[Operator, tuple[tuple[str, str], ...]]:
        types = {v.internal: v.type for leaf in self.leaves for _, v in leaf.columns}
        typer = Typer(types, self.context.findings, self.leaves[0].span)
        taken = {n.casefold() for n in types} | {c.name.casefold() for c in operator.schema}
        equal: list[tuple[str, str]] = []
        more: list[tuple[str, Expr]] = []
        for side, name in ((side.unnest(), name) for side, name in pairs):
            if isinstance(side, exp.Column):
                equal.append((side.name, name))
                continue
            made = fresh((wanted,), taken | {n.casefold() for n, _ in more})
            more.append((made, text(side, typer(side))))
            equal.append((made, name))
        return extended(operator, more), tuple(dict.fromkeys(equal))

    def _at(self, operator: Operator, number: int) -> Expr | None:
        """What picks the version: the order value of the youngest stream row that is named."""
        leaf = self.leaves[number]
        relation = leaf.relation
        if relation is None or relation.version_by is None:
            return None
        self._check_clock(operator, leaf)
        columns = [self._order_value(n) for n in sorted(self.homes[number])]
        if any(column is None for column in columns):
            return None
        known = [column for column in columns if column is not None]
        if len(known) == 1:
            return known[0]
        return Expr(f"GREATEST({', '.join(c.sql for c in known)})", known[0].type)

    def _order_value(self, number: int) -> Expr | None:
        leaf = self.leaves[number]
        own = order_column(leaf.operator)
        visible = next((v for name, v in leaf.columns if name == own), None)
        if visible is None or is_engine_name(visible.internal):
            return None
        if clock(leaf.operator):
            return Expr(quoted(visible.internal), visible.type.ddl)
        if visible.type.name == "BIGINT":
            return Expr(quoted(visible.internal), "BIGINT")
        return Expr(f"CAST({quoted(visible.internal)} AS BIGINT)", "BIGINT")

    def _check_clock(self, operator: Operator, leaf: Leaf) -> None:
        relation = leaf.relation
        assert relation is not None
        type_ = next(c.type for c in relation.columns if c.name == relation.version_by)
        if type_ != "UNKNOWN" and type_.startswith("TIMESTAMP") != clock(operator):
            self.context.findings.error(
                "RF3010",
                f"the versions of `{leaf.alias}` are ordered by a {type_}, the stream is not",
                leaf.span,
                "VERSION BY a column of the same kind as the stream's ORDER BY",
            )


def _below(operator: Operator) -> str:
    if isinstance(operator, (RowsWindow, SessionWindow)):
        return "join the NRR in a view, and put the window on the view"
    if isinstance(operator, Join):
        return "conditions of the NRR that name one of the streams"
    return "join the NRR in the derived table, below what revises its rows"


def _homes(
    nrrs: list[int],
    streams: frozenset[int],
    conjuncts: Sequence[Conjunct],
    lookups: Mapping[int, tuple[Conjunct, ...]],
    beside: Mapping[int, frozenset[int]],
) -> dict[int, frozenset[int]]:
    about = {
        n: [of for _, of in lookups.get(n, [each for each in conjuncts if n in each[1]])]
        for n in nrrs
    }
    homes = {n: frozenset().union(*(of & streams for of in about[n])) for n in nrrs}
    for _ in nrrs:
        for n in nrrs:
            # ON of a LEFT JOIN stays one: it happens where all that it names is there.
            if not homes[n] or n in lookups:
                tied = (m for of in about[n] for m in of if m in homes)
                homes[n] = homes[n].union(*(homes[m] for m in tied))
    return {n: home or (beside.get(n, streams) & streams) for n, home in homes.items()}


def _equality(part: exp.Expr, own: set[str]) -> tuple[exp.Expr, str] | None:
    """`side = column of the relation`, where the side reads none of its columns."""
    if not isinstance(part, exp.EQ):
        return None
    for side, other in ((part.left, part.right), (part.right, part.left)):
        if isinstance(other, exp.Column) and other.name in own:
            read = columns_of(side)
            return (side, other.name) if read and not read & own else None
    return None
