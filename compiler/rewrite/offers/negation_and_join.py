"""An anti-join (or a semi-join) and a join, in either order.

`(A ▷ B) ⋈ C` is `(A ⋈ C) ▷ B` where the condition of ▷ reads columns of A and B only: a pair is
there while its row of A has no match. UPA 5.4.2 pulls negation up, so that fewer operators see what
it takes back; pushed down it leaves the join fewer rows. The cost decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...analyse import Facts
from ...plan.expressions import bare_column, columns_of, is_deterministic, quoted, replace_columns
from ...plan.operators import Join, Operator, Project, SemiJoin
from ...plan.operators.base import Expr
from ...plan.rebuild import with_inputs
from ...plan.renaming import apart, free, restored
from ...plan.schema import names
from ..offer import Offer, Proposal


def _propose(operator: Operator, facts: Facts) -> Iterator[Proposal]:
    if isinstance(operator, Join):
        for number in range(2):
            above = _pulled_up(operator, number, facts)
            if above is not None:
                yield "negation above the join", above
    if isinstance(operator, SemiJoin):
        below = _pushed_down(operator, facts)
        if below is not None:
            yield "negation below the join", below


def _pulled_up(join: Join, number: int, facts: Facts) -> Operator | None:
    """The negation of one input taken above the join; a projection between is taken along."""
    side = join.inputs[number]
    project = side if isinstance(side, Project) else None
    negation = side if project is None else project.input
    if not isinstance(negation, SemiJoin) or not _is_movable(join.condition, negation.condition):
        return None
    # Read by others as well, it would be made twice.
    if facts.readers[negation] > 1 or (project is not None and facts.readers[project] > 1):
        return None
    under, called = _extended(negation, project, join)
    if under is None:
        return None
    inputs = (under, join.right) if number == 0 else (join.left, under)
    below = with_inputs(join, inputs)
    right, renamed = apart(negation.right, below.schema)
    above = SemiJoin(
        below,
        right,
        tuple((called[a], renamed[b]) for a, b in negation.equal),
        _condition(negation, {**called, **renamed}),
        negation.anti,
    )
    return restored(above, join.schema)


def _extended(
    negation: SemiJoin, project: Project | None, join: Join
) -> tuple[Operator | None, dict[str, str]]:
    """The left of the negation under the projection, with all columns that the negation compares,
    and what these are called there.
    """
    compared = [name for name in names(negation.left.schema) if name in _compared(negation)]
    if project is None:
        return negation.left, {name: name for name in compared}
    if not all(is_deterministic(e.sql) for _, e in project.columns):
        return None, {}
    called: dict[str, str] = {}
    for name, expression in project.columns:
        column = bare_column(expression.sql)
        if column is not None:
            called.setdefault(column, name)
    types = {c.name: c.type for c in negation.left.schema}
    taken = {name.casefold() for name in (*names(join.schema), *names(project.schema))}
    more: list[tuple[str, Expr]] = []
    for name in compared:
        if name not in called:
            called[name] = free(name, taken)
            taken.add(called[name].casefold())
            more.append((called[name], Expr(quoted(name), types[name])))
    columns = (*project.columns, *more)
    return Project(negation.left, columns), {name: called[name] for name in compared}


def _pushed_down(negation: SemiJoin, facts: Facts) -> Operator | None:
    """The negation of the input of the join that it reads, where it reads one only."""
    join = negation.left
    if not isinstance(join, Join) or not _is_movable(join.condition, negation.condition):
        return None
    if facts.readers[join] > 1:
        return None
    compared = _compared(negation)
    for number, source in enumerate(join.inputs):
        if compared and compared <= set(names(source.schema)):
            below = with_inputs(negation, (source, negation.right))
            inputs = (below, join.right) if number == 0 else (join.left, below)
            return with_inputs(join, inputs)
    return None


def _compared(negation: SemiJoin) -> frozenset[str]:
    """The columns of the left that the negation reads."""
    read = {a for a, _ in negation.equal}
    if negation.condition is not None:
        read |= columns_of(negation.condition.sql)
    return frozenset(read & set(names(negation.left.schema)))


def _condition(negation: SemiJoin, called: dict[str, str]) -> Expr | None:
    if negation.condition is None:
        return None
    new = {old: quoted(name) for old, name in called.items() if old != name}
    return replace(negation.condition, sql=replace_columns(negation.condition.sql, new))


def _is_movable(*conditions: Expr | None) -> bool:
    """Nothing random is drawn once for each pair."""
    return all(condition is None or is_deterministic(condition.sql) for condition in conditions)


negation_and_join = Offer(
    "negation_and_join", "UPA 5.4.2, negation pull-up, for anti-joins exact", _propose
)
