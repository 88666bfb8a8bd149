"""Which columns are NULL in every row of an output, and which are in none.

In: a plan. Out: both for each operator's output; a column that is in neither may be either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from ..plan.expressions import columns_of
from ..plan.graph import Plan
from ..plan.operators import (
    Distinct,
    Filter,
    Group,
    Join,
    NrrJoin,
    Operator,
    Project,
    Reconstitution,
    Relation,
    Report,
    RowsWindow,
    Scan,
    SemiJoin,
    SessionWindow,
    SetOperation,
    Sink,
    Union,
    Window,
)
from ..plan.operators.base import Expr
from ..plan.outcomes import Nulls, never_null, outcomes
from ..plan.rebuild import known
from ..plan.schema import names

_COUNTS = ("count", "regr_count")


def nulls(plan: Plan) -> dict[Operator, Nulls]:
    """What is known about NULL in each operator's output."""
    found: dict[Operator, Nulls] = {}
    for operator in plan.operators():
        found[operator] = _nulls(operator, found)
    return found


def _nulls(operator: Operator, found: Mapping[Operator, Nulls]) -> Nulls:
    node = known(operator)
    match node:
        case Scan():
            # A row without an order value is a dead letter.
            order = node.stream.order
            return Nulls() if order is None else Nulls(never=frozenset({order}))
        case Relation() | Reconstitution():
            # Rows as the log's changes leave them.
            return Nulls()
        case Filter():
            return _met(found[node.input], node.predicate)
        case Project():
            return _computed(node.columns, found[node.input])
        case Union():
            return _in_all([found[branch] for branch in node.branches], node)
        case Join():
            both = _both(found[node.left], found[node.right])
            equal = [column for pair in node.equal for column in pair]
            return _met(both, node.condition, equal)
        case SemiJoin():
            if node.anti:
                return found[node.left]
            both = _both(found[node.left], found[node.right])
            met = _met(both, node.condition, [column for column, _ in node.equal])
            own = frozenset(names(node.schema))
            return Nulls(met.always & own, met.never & own)
        case NrrJoin():
            if node.outer:
                # A row that meets no version has NULLs in its place.
                return found[node.input]
            equal = [column for pair in node.equal for column in pair]
            return _met(found[node.input], node.condition, equal)
        case SetOperation():
            # Rows of the left.
            return found[node.left]
        case Group():
            counts = [a.name for a in node.aggregates if a.function in _COUNTS]
            keys = _computed(node.keys, found[node.input])
            return Nulls(keys.always, keys.never | frozenset(counts))
        case Window() | RowsWindow() | SessionWindow() | Distinct() | Report() | Sink():
            # The same rows at other instants, or fewer of them.
            return found[node.input]
        case _:
            assert_never(node)


def _met(rows: Nulls, condition: Expr | None, equal: Iterable[str] = ()) -> Nulls:
    """Rows that meet a condition, and whose columns `equal` are equal to something."""
    never = rows.never.union(equal)
    if condition is not None:
        never = never.union(never_null(condition.sql, rows, columns_of(condition.sql) - never))
    return Nulls(rows.always - never, never)


def _computed(columns: Iterable[tuple[str, Expr]], rows: Nulls) -> Nulls:
    found = {name: outcomes(expression.sql, rows) for name, expression in columns}
    return Nulls(
        frozenset(name for name, each in found.items() if each == {None}),
        frozenset(name for name, each in found.items() if None not in each),
    )


def _both(left: Nulls, right: Nulls) -> Nulls:
    return Nulls(left.always | right.always, left.never | right.never)


def _in_all(branches: Iterable[Nulls], union: Union) -> Nulls:
    """By position, under the first branch's names."""
    ours = names(union.schema)
    always, never = frozenset(ours), frozenset(ours)
    for branch, of in zip(union.branches, branches, strict=True):
        own = under(names(branch.schema), ours, of)
        always, never = always & own.always, never & own.never
    return Nulls(always, never)


def under(theirs: Iterable[str], ours: Iterable[str], found: Nulls) -> Nulls:
    """The same with other names, by position."""
    named = dict(zip(theirs, ours, strict=True))
    return Nulls(
        frozenset(new for old, new in named.items() if old in found.always),
        frozenset(new for old, new in named.items() if old in found.never),
    )
