"""Outer joins: the pairs, and the rows of a side that have no match, filled with NULLs.

`L LEFT JOIN R ON c` is `(L ⋈ R) ∪ (L ▷ R) × NULL`; RIGHT is the same with the sides exchanged, FULL
is both (DESIGN section 2). All of ON decides what a match is, parts that read one side alone too.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from reflow.grammar.source import Span
from reflow.grammar.value import value

from ..plan.operators import Join, Operator, Project, SemiJoin, Union
from ..plan.operators.base import Expr
from ..plan.schema import UNKNOWN, Column
from .build import condition, reference, text
from .catalog import Context
from .from_items import Merged, Preserved
from .names import fresh
from .resolved import column, columns_of
from .scope import Visible
from .shape import quoted
from .types import with_article


@value
class Pairing:
    """Two sides and what a match of their rows is: equal columns, and the rest of ON. Sides may
    have more columns than their `schema`: those are compared only.
    """

    left: Operator
    right: Operator
    equal: tuple[tuple[str, str], ...]
    rest: tuple[exp.Expr, ...]


def outer_join(
    kind: Preserved, pairing: Pairing, columns: Sequence[Column], merged: Sequence[Merged]
) -> Operator:
    """The join with these of both sides' columns, and those that USING makes."""
    branches = _Branches(pairing, tuple(columns), tuple(merged))
    kept = [branches.pairs()]
    if kind != "right":
        kept.append(branches.alone(pairing.left, pairing.right, pairing.equal))
    if kind != "left":
        swapped = tuple((right, left) for left, right in pairing.equal)
        kept.append(branches.alone(pairing.right, pairing.left, swapped))
    return Union(tuple(kept), outer=kind)


def refuse_columns(
    filled: Sequence[Visible], kept: Sequence[Visible], span: Span, context: Context
) -> None:
    """Errors about columns that are read: of which no NULL can be made, or of which rows are not
    told apart.
    """
    for visible in filled:
        if visible.type.ddl == UNKNOWN:
            context.findings.error(
                "RF3214",
                f"this join fills `{visible.name}` with NULL, and its type is not known",
                span,
                "columns of known types",
                f"give it one in a derived table: CAST({visible.name} AS …) AS {visible.name}",
            )
    for visible in kept:
        if visible.type.name == "MAP":
            message = f"an outer join cannot take {with_article(visible.type)} (`{visible.name}`)"
            context.findings.error("RF2109", message, span)


@value
class _Branches:
    pairing: Pairing
    columns: tuple[Column, ...]
    merged: tuple[Merged, ...]

    def pairs(self) -> Operator:
        """A row and its match."""
        pairing = self.pairing
        joined = Join(pairing.left, pairing.right, pairing.equal, condition(pairing.rest))
        return self._listed(joined)

    def alone(
        self, rows: Operator, others: Operator, equal: tuple[tuple[str, str], ...]
    ) -> Operator:
        """The rows of a side without a match among the others."""
        compared = {name for _, name in equal}.union(*(columns_of(e) for e in self.pairing.rest))
        return self._listed(
            SemiJoin(rows, _only(others, compared), equal, condition(self.pairing.rest), True)
        )

    def _listed(self, operator: Operator) -> Operator:
        there = {c.name for c in operator.schema}
        listed = [(c.name, _value(c, there)) for c in self.columns]
        listed += [(m.name, _merged(m, operator)) for m in self.merged]
        if not listed:
            listed = [(fresh(("any_row",), ()), Expr("TRUE", "BOOLEAN"))]
        return Project(operator, tuple(listed))


def _only(operator: Operator, compared: set[str]) -> Operator:
    """What is looked for, without what is not compared: less to keep."""
    schema = operator.schema
    found = [c for c in schema if c.name in compared] or list(schema[:1])
    if len(found) == len(schema):
        return operator
    return Project(operator, tuple((c.name, reference(c.name, c.type)) for c in found))


def _value(wanted: Column, there: set[str]) -> Expr:
    if wanted.name in there:
        return reference(wanted.name, wanted.type)
    return Expr(f"CAST(NULL AS {wanted.type})", wanted.type)


def _merged(merged: Merged, operator: Operator) -> Expr:
    """COALESCE of the two: in a pair they are equal, else one of them is not there."""
    types = {c.name: c.type for c in operator.schema}
    name = merged.left if merged.left in types else merged.right
    if types[name] == merged.type.ddl or merged.type.ddl == UNKNOWN:
        return Expr(quoted(name), types[name])
    to = exp.DataType.build(merged.type.ddl, dialect="spark")
    return text(exp.Cast(this=column(name), to=to), merged.type)
