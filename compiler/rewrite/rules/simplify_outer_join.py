"""Branches of an outer join of which no row passes the condition above it are left out.

A condition that NULL cannot fulfil makes a LEFT JOIN an inner one, and a FULL JOIN a LEFT or RIGHT
one; `IS NULL` of a column that no pair has NULL leaves the rows without a match alone, which is an
anti-join. The condition is a filter's, or that of a join with the outer join's rows, equal columns
included; projections may lie between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...analyse import Facts
from ...analyse.nulls import under
from ...plan.expressions import conjunction, is_shallow, quoted, replace_columns
from ...plan.operators import Filter, Join, NrrJoin, Operator, Project, SemiJoin, Union
from ...plan.operators.base import Expr
from ...plan.operators.rows import Kept
from ...plan.outcomes import Nulls, refuses
from ...plan.rebuild import with_inputs
from ...plan.schema import names
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    match operator:
        case Filter():
            asked = [[operator.predicate.sql]]
        case Join():
            asked = _of_sides(operator.equal, operator.condition)
        case SemiJoin():
            asked = _of_sides(operator.equal, operator.condition)
            # A row of the left that has no match is what an anti-join is after.
            asked[0] = [] if operator.anti else asked[0]
        case _:
            return None
    sides = zip(operator.inputs, asked, strict=True)
    return with_inputs(
        operator,
        tuple(
            _simplified(side, conjunction(parts), facts) if parts else side for side, parts in sides
        ),
    )


def _of_sides(equal: Sequence[tuple[str, str]], condition: Expr | None) -> list[list[str]]:
    """What a match asks of the left's columns, and of the right's. NULL equals nothing."""
    rest = [] if condition is None else [condition.sql]
    sides = ([pair[at] for pair in equal] for at in (0, 1))
    return [[*(f"{quoted(column)} IS NOT NULL" for column in side), *rest] for side in sides]


def _simplified(source: Operator, asked: str, facts: Facts) -> Operator:
    """What a condition reads, where that is an outer join under projections, without what no row
    gets out of.
    """
    above: list[Project] = []
    while isinstance(source, Project):
        above.append(source)
        source = source.input
    if not isinstance(source, Union | NrrJoin) or not source.outer:
        return above[0] if above else source
    for project in above:
        # Below a chain of views it would become an expression that no parser goes down.
        if not is_shallow(asked):
            return above[0]
        asked = replace_columns(asked, {name: made.sql for name, made in project.columns})
    below = (
        _fulfilling(source, asked, facts)
        if isinstance(source, Union)
        else _met(source, asked, facts)
    )
    for project in reversed(above):
        below = with_inputs(project, (below,))
    return below


def _met(join: NrrJoin, asked: str, facts: Facts) -> NrrJoin:
    """The outer join with an NRR as an inner one, if no row without a version is asked for."""
    # Read by others as well, it would be done twice.
    if facts.readers[join] > 1:
        return join
    ours, theirs = facts.nulls[join.input], (name for name, _ in join.columns)
    missed = Nulls(ours.always.union(theirs), ours.never)
    return replace(join, outer=False) if refuses(asked, missed) else join


def _fulfilling(union: Union, asked: str, facts: Facts) -> Operator:
    """The outer join without the branches of which no row fulfils what is asked."""
    ours = names(union.schema)
    kept = [
        not refuses(asked, under(names(branch.schema), ours, facts.nulls[branch]))
        for branch in union.branches
    ]
    left = [branch for branch, stays in zip(union.branches, kept, strict=True) if stays]
    # Of nothing at all there is no plan; and names and types are those of the first branch.
    if len(left) == len(kept) or not left or left[0].schema != union.schema:
        return union
    if len(left) == 1:
        return left[0]
    # Of three branches: the pairs, the left's rows and the right's.
    outer: Kept | None = None
    if kept[0]:
        outer = "right" if not kept[1] else "left"
    return Union(tuple(left), outer=outer)


simplify_outer_join = Rule(
    "simplify_outer_join", "UPA 5.4.2: a negation less, and what is left announces ends", _apply
)
