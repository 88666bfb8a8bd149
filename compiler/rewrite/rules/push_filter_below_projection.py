"""A filter over a projection becomes a filter below it, its columns written out."""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import columns_of, is_deterministic, is_shallow, replace_columns
from ...plan.operators import Filter, Operator, Project
from ...plan.operators.base import Expr
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Filter) or not isinstance(operator.input, Project):
        return None
    projection = operator.input
    new = {name: expression.sql for name, expression in projection.columns}
    read = columns_of(operator.predicate.sql)
    # A random value must be drawn once, and be the same above and in the predicate.
    if not all(is_deterministic(new[column]) for column in read):
        return None
    predicate = Expr(replace_columns(operator.predicate.sql, new), "BOOLEAN")
    # Below a chain of views it would become an expression that no parser goes down.
    if not is_shallow(predicate.sql):
        return None
    return Project(Filter(projection.input, predicate), projection.columns)


push_filter_below_projection = Rule(
    "push_filter_below_projection", "UPA 5.4, predicate push-down", _apply
)
