"""DISTINCT and an anti-join (or a semi-join), in either order.

Copies of a row have the same matches, so it does not matter when they are dropped. Below a negation
DISTINCT may be δ*, which needs no negative tuples; above it fewer rows are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...analyse import Facts
from ...plan.expressions import bare_column, columns_of, is_deterministic, quoted, replace_columns
from ...plan.operators import Distinct, Operator, Project, SemiJoin
from ...plan.operators.base import Expr
from ...plan.rebuild import with_inputs
from ...plan.renaming import apart
from ..offer import Offer, Proposal


def _propose(operator: Operator, facts: Facts) -> Iterator[Proposal]:
    if isinstance(operator, Distinct):
        below = _pushed_down(operator, facts)
        if below is not None:
            yield "DISTINCT below the negation", below
    if isinstance(operator, SemiJoin) and isinstance(operator.left, Distinct):
        distinct = operator.left
        # Read by others as well, it would be made twice.
        if facts.readers[distinct] == 1 and _is_fixed(operator):
            plain = with_inputs(operator, (distinct.input, operator.right))
            yield "DISTINCT above the negation", Distinct(plain)


def _pushed_down(distinct: Distinct, facts: Facts) -> Operator | None:
    project = distinct.input if isinstance(distinct.input, Project) else None
    negation = distinct.input if project is None else project.input
    if not isinstance(negation, SemiJoin) or not _is_fixed(negation):
        return None
    if facts.readers[negation] > 1:
        return None
    if project is None:
        return with_inputs(negation, (Distinct(negation.left), negation.right))
    return _below_projection(project, negation)


def _below_projection(project: Project, negation: SemiJoin) -> Operator | None:
    """Only where the projection keeps all that the negation compares."""
    if not all(is_deterministic(e.sql) for _, e in project.columns):
        return None
    kept: dict[str, str] = {}
    for name, expression in project.columns:
        column = bare_column(expression.sql)
        if column is not None:
            kept.setdefault(column, name)
    own = {c.name for c in negation.left.schema}
    read = {a for a, _ in negation.equal}
    if negation.condition is not None:
        read |= columns_of(negation.condition.sql) & own
    if not read <= kept.keys():
        return None
    right, renamed = apart(negation.right, project.schema)
    return SemiJoin(
        Distinct(with_inputs(project, (negation.left,))),
        right,
        tuple((kept[a], renamed[b]) for a, b in negation.equal),
        _condition(negation.condition, {**{name: kept[name] for name in read}, **renamed}),
        negation.anti,
    )


def _condition(condition: Expr | None, called: dict[str, str]) -> Expr | None:
    if condition is None:
        return None
    new = {old: quoted(name) for old, name in called.items() if old != name}
    return replace(condition, sql=replace_columns(condition.sql, new))


def _is_fixed(negation: SemiJoin) -> bool:
    """A random condition is drawn once for each pair."""
    return negation.condition is None or is_deterministic(negation.condition.sql)


distinct_and_negation = Offer(
    "distinct_and_negation", "UPA 5.4.2: WK operators below STR ones", _propose
)
