"""A filter over a join becomes part of it: equal columns, conditions of one side, the rest.

Parts that read one side only go below the join; `a = b` over both sides becomes an equal pair,
which the join can look up; what remains is the join's condition.
"""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import (
    columns_of,
    conjunction,
    conjuncts,
    equal_columns,
    is_deterministic,
)
from ...plan.operators import Filter, Join, Operator
from ...plan.operators.base import Expr
from ...plan.schema import names
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Filter) or not isinstance(operator.input, Join):
        return None
    # Read by others as well, its state would be kept twice.
    if facts.readers[operator.input] > 1:
        return None
    # A random predicate is drawn once for each pair.
    if not is_deterministic(operator.predicate.sql):
        return None
    join = operator.input
    left, right = (frozenset(names(source.schema)) for source in join.inputs)
    below_left, below_right, rest = [], [], []
    equal = list(join.equal)
    for part in conjuncts(operator.predicate.sql):
        read = columns_of(part)
        if read <= left:
            below_left.append(part)
        elif read <= right:
            below_right.append(part)
        elif (pair := _pair(part, join)) is not None:
            equal.append(pair)
        else:
            rest.append(part)
    return Join(
        _filtered(join.left, below_left),
        _filtered(join.right, below_right),
        tuple(dict.fromkeys(equal)),
        _condition(join, rest),
    )


def _pair(part: str, join: Join) -> tuple[str, str] | None:
    """The columns (left, right) of an equality of two columns of one type."""
    columns = equal_columns(part)
    if columns is None:
        return None
    types = {column.name: column.type for column in join.schema}
    # Spark compares different types after a cast; as an equal pair they would need one.
    if types[columns[0]] != types[columns[1]] or types[columns[0]] == "UNKNOWN":
        return None
    first, second = columns
    return (first, second) if first in names(join.left.schema) else (second, first)


def _filtered(source: Operator, parts: list[str]) -> Operator:
    return Filter(source, Expr(conjunction(parts), "BOOLEAN")) if parts else source


def _condition(join: Join, rest: list[str]) -> Expr | None:
    if not rest:
        return join.condition
    own = [] if join.condition is None else list(conjuncts(join.condition.sql))
    return Expr(conjunction([*own, *rest]), "BOOLEAN")


push_filter_into_join = Rule("push_filter_into_join", "UPA 5.4, predicate push-down", _apply)
