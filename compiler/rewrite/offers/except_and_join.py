"""EXCEPT ALL (or INTERSECT ALL) and a join, in either order.

`(A EXCEPT ALL B) ⋈ C` is `(A ⋈ C) EXCEPT ALL (B ⋈ C)` with the same join condition: with a, b and c
copies, max(a - b, 0) · c = max(a · c - b · c, 0). UPA's Figure 6 joins A only and subtracts B once
after it; that is another answer where rows have copies, and is never made. Without ALL the copies
that C makes would be lost.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...analyse import Facts
from ...plan.expressions import columns_of, is_deterministic
from ...plan.operators import Join, Operator, SetOperation
from ...plan.operators.base import Expr
from ...plan.rebuild import with_inputs
from ...plan.renaming import called
from ...plan.schema import Schema, names
from ..offer import Offer, Proposal

_KINDS = ("except all", "intersect all")
_INEXACT = ("DOUBLE", "FLOAT")


def _propose(operator: Operator, facts: Facts) -> Iterator[Proposal]:
    if isinstance(operator, Join):
        for number in range(2):
            above = _pulled_up(operator, number, facts)
            if above is not None:
                yield f"{above.kind.upper()} above the join", above
    if isinstance(operator, SetOperation):
        below = _pushed_down(operator, facts)
        if below is not None:
            yield f"{operator.kind.upper()} below the join", below


def _pulled_up(join: Join, number: int, facts: Facts) -> SetOperation | None:
    sets = join.inputs[number]
    if not isinstance(sets, SetOperation) or sets.kind not in _KINDS or sets.by:
        return None
    # Read by others as well, it would be made twice.
    if facts.readers[sets] > 1 or not _is_exact(join.condition, sets.schema):
        return None
    branches = [
        with_inputs(join, (side, join.right) if number == 0 else (join.left, side))
        for side in (sets.left, called(sets.right, sets.schema))
    ]
    return SetOperation(branches[0], branches[1], sets.kind)


def _pushed_down(sets: SetOperation, facts: Facts) -> Operator | None:
    """Both sides join the same input by the same condition, under the same names."""
    left, right = sets.left, sets.right
    if (
        sets.kind not in _KINDS
        or sets.by
        or not isinstance(left, Join)
        or not isinstance(right, Join)
    ):
        return None
    if facts.readers[left] > 1 or facts.readers[right] > 1:
        return None
    if set(left.equal) != set(right.equal) or left.condition != right.condition:
        return None
    for number in range(2):
        ours, theirs = left.inputs[number], right.inputs[number]
        same = left.inputs[1 - number] == right.inputs[1 - number]
        if same and names(ours.schema) == names(theirs.schema):
            if not _is_exact(left.condition, ours.schema):
                return None
            below = SetOperation(ours, theirs, sets.kind)
            other = left.inputs[1 - number]
            return with_inputs(left, (below, other) if number == 0 else (other, below))
    return None


def _is_exact(condition: Expr | None, schema: Schema) -> bool:
    """Rows that are equal meet the condition alike: nothing is random, and no double is read, of
    which 0.0 and -0.0 are equal and not the same.
    """
    if condition is None:
        return True
    inexact = {c.name for c in schema if c.type in _INEXACT}
    return is_deterministic(condition.sql) and not columns_of(condition.sql) & inexact


except_and_join = Offer(
    "except_and_join", "UPA 5.4.2, negation pull-up; Equation 1, exact", _propose
)
