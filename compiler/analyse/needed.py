"""Which columns of an output anybody reads.

In: a plan, which joins keep pairs. Out: for each operator the names of the columns of its output
that its consumers need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
from ..plan.placed import placed
from ..plan.rebuild import known
from ..plan.schema import names

Columns = frozenset[str]


def needed(plan: Plan, paired: Mapping[Operator, bool]) -> dict[Operator, Columns]:
    """The columns of each operator's output that are read above it, by all queries."""
    found: dict[Operator, Columns] = {operator: frozenset() for operator in plan.operators()}
    for operator in plan.operators():
        if isinstance(operator, Scan) and paired[operator]:
            # A row is replaced if any of its values is another one, and meets a version anew then.
            # Values of VARIANT are not compared.
            compared = (c.name for c in operator.schema if "VARIANT" not in c.type.upper())
            found[operator] = frozenset(compared)
    for operator in reversed(list(plan.operators())):
        for source, columns in _reads(operator, found[operator]):
            found[source] |= columns
    return found


def _reads(operator: Operator, wanted: Columns) -> Iterator[tuple[Operator, Columns]]:
    """What an operator reads of each input, when `wanted` is read of its own output."""
    node = known(operator)
    match node:
        case Scan():
            return
        case Relation():
            yield node.input, _of_log(node, wanted)
        case Reconstitution():
            # An adjust is about a whole row.
            yield node.input, frozenset(names(node.input.schema))
        case Filter():
            yield node.input, wanted | columns_of(node.predicate.sql)
        case Project():
            # All that it computes, wanted or not: what is not wanted is the rewrites' business.
            yield node.input, _of(expression for _, expression in node.columns)
        case Window():
            yield node.input, wanted
        case RowsWindow():
            own = wanted | _of(node.by)
            # Rows of one place are told apart by their values, all of them.
            yield node.input, own if placed(node.input) else frozenset(names(node.input.schema))
        case SessionWindow():
            yield node.input, wanted | _of(node.by)
        case SetOperation(by=by) if by:
            yield node.left, frozenset(names(node.left.schema))
            yield node.right, frozenset(column for _, column in by)
        case Union() | SetOperation() | Distinct() | Report() | Sink():
            # By position, or rows are compared as a whole, or shown as a whole.
            for source in node.inputs:
                yield source, frozenset(names(source.schema))
        case Join() | SemiJoin():
            yield from _reads_of_join(node, wanted)
        case NrrJoin():
            own = frozenset(names(node.input.schema))
            compared = frozenset(left for left, _ in node.equal)
            yield node.input, own & (wanted | compared | _of(_given(node.condition, node.at)))
        case Group():
            keys = [expression for _, expression in node.keys]
            yield node.input, _of([*keys, *_given(*(a.argument for a in node.aggregates))])
        case _:
            assert_never(node)


def _of_log(relation: Relation, wanted: Columns) -> Columns:
    """The key, and what is done. Without a key rows are withdrawn as a whole."""
    own = frozenset(relation.key)
    if relation.operation is not None:
        own |= {relation.operation}
    whole = not relation.key and not relation.only_grows
    return own | (frozenset(names(relation.schema)) if whole else wanted)


def _reads_of_join(join: Join | SemiJoin, wanted: Columns) -> Iterator[tuple[Operator, Columns]]:
    wanted = wanted | _of(_given(join.condition))
    left, right = (frozenset(names(source.schema)) for source in join.inputs)
    yield join.left, left & wanted | frozenset(column for column, _ in join.equal)
    yield join.right, right & wanted | frozenset(column for _, column in join.equal)


def _given(*expressions: Expr | None) -> list[Expr]:
    return [expression for expression in expressions if expression is not None]


def _of(expressions: Iterable[Expr]) -> Columns:
    return frozenset[str]().union(*(columns_of(expression.sql) for expression in expressions))
