"""Two projections in a row are one, where nothing is computed twice and nothing random moves."""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import is_deterministic, is_shallow, is_simple, replace_columns, uses
from ...plan.operators import Operator, Project
from ...plan.operators.base import Expr
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Project) or not isinstance(operator.input, Project):
        return None
    inner = operator.input
    outer = [expression.sql for _, expression in operator.columns]
    for name, expression in inner.columns:
        if is_simple(expression.sql):
            continue
        # Inlined twice, it would be computed twice; a random value would even differ.
        if not is_deterministic(expression.sql) or sum(uses(sql, name) for sql in outer) > 1:
            return None
    new = {name: expression.sql for name, expression in inner.columns}
    columns = tuple(
        (name, Expr(replace_columns(expression.sql, new), expression.type))
        for name, expression in operator.columns
    )
    # A chain of views would become one expression that no parser goes down.
    if not all(is_shallow(expression.sql) for _, expression in columns):
        return None
    return Project(inner.input, columns)


merge_projections = Rule("merge_projections", "one pass over the rows instead of two", _apply)
