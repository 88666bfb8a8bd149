"""A filter over EXCEPT or INTERSECT becomes one in each branch, in the branch's own names.

Equal rows of the two sides share their fate, so the copies that remain are compared as before. Over
EXCEPT ALL BY that holds of parts that read only the columns by which rows are counted; others stay.
"""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import (
    columns_of,
    conjunction,
    conjuncts,
    is_deterministic,
    quoted,
    replace_columns,
)
from ...plan.operators import Filter, Operator, SetOperation
from ...plan.operators.base import Expr
from ...plan.rebuild import with_inputs
from ...plan.schema import names
from ..rule import Rule

_INEXACT = ("DOUBLE", "FLOAT")


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Filter) or not isinstance(operator.input, SetOperation):
        return None
    sets = operator.input
    # Read by others as well, its state would be kept twice.
    if facts.readers[sets] > 1 or not is_deterministic(operator.predicate.sql):
        return None
    pairs = sets.by or tuple(zip(names(sets.schema), names(sets.right.schema), strict=True))
    types = {column.name: column.type for column in sets.schema}
    # 0.0 and -0.0 are the same row, and a predicate may tell them apart.
    told = {ours for ours, _ in pairs if types[ours] not in _INEXACT}
    parts = conjuncts(operator.predicate.sql)
    below = [part for part in parts if columns_of(part) <= told]
    if not below:
        return None
    new = {ours: quoted(theirs) for ours, theirs in pairs if ours != theirs}
    ours = Expr(conjunction(below), "BOOLEAN")
    theirs = Expr(replace_columns(ours.sql, new), "BOOLEAN")
    pushed = with_inputs(sets, (Filter(sets.left, ours), Filter(sets.right, theirs)))
    above = [part for part in parts if part not in below]
    return Filter(pushed, Expr(conjunction(above), "BOOLEAN")) if above else pushed


push_filter_below_set_operation = Rule(
    "push_filter_below_set_operation", "UPA 5.4, predicate push-down", _apply
)
