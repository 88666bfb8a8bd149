"""A filter over UNION ALL becomes one filter in each branch, in the branch's own names."""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import quoted, replace_columns
from ...plan.operators import Filter, Operator, Union
from ...plan.operators.base import Expr
from ...plan.rebuild import with_inputs
from ...plan.schema import names
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Filter) or not isinstance(operator.input, Union):
        return None
    union = operator.input
    branches = tuple(_filtered(operator, union, branch) for branch in union.branches)
    return with_inputs(union, branches)


def _filtered(operator: Filter, union: Union, branch: Operator) -> Operator:
    pairs = zip(names(union.schema), names(branch.schema), strict=True)
    new = {ours: quoted(theirs) for ours, theirs in pairs if ours != theirs}
    predicate = replace_columns(operator.predicate.sql, new)
    return Filter(branch, Expr(predicate, "BOOLEAN"))


push_filter_below_union = Rule("push_filter_below_union", "UPA 5.4, predicate push-down", _apply)
