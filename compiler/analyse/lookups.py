"""Which joins look up the current row of a key instead of pairing changes, and for which of them
that row is read off the state of the group that makes it.

In: a plan, its forms, keys, reaches and groupings. Out: for each such join which input has the
current rows; and the operators whose changes nobody takes, since all that read them look up.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..plan.graph import Plan
from ..plan.operators import Distinct, Filter, Group, Join, Operator, Project, SemiJoin
from ..plan.schema import UNKNOWN
from .forms import Form
from .grouping import By, invertible
from .keys import Key
from .reach import Reaches, lifetime

Currents = Mapping[Operator, int]
"""Of joins: which input has the current rows, 0 or 1."""


def currents(
    plan: Plan, forms: Mapping[Operator, Form], keys: Mapping[Operator, Key]
) -> dict[Operator, int]:
    """The joins with one side in interval form, where of the other, in point form, the whole key is
    compared.

    Values of two types are compared after a cast: a row would not be found under its own value.
    """
    found: dict[Operator, int] = {}
    for join in mixed(plan, forms):
        at = 0 if forms[join.left] == "points" else 1
        key = keys[join.inputs[at]]
        compared = {pair[at] for pair in join.equal if same_type(join, pair)}
        if key is not None and set(key) <= compared:
            found[join] = at
    return found


def mixed(plan: Plan, forms: Mapping[Operator, Form]) -> list[Join]:
    """The joins of intervals with points."""
    return [
        operator
        for operator in plan.operators()
        if isinstance(operator, Join) and forms[operator.left] != forms[operator.right]
    ]


def read_off(
    joins: Currents,
    forms: Mapping[Operator, Form],
    reaches: Mapping[Operator, Reaches],
    groupings: Mapping[Operator, By],
) -> dict[Operator, int]:
    """Those whose rows live for one tick, and so never see their partner change, and whose current
    rows at an instant the state of a group can tell.
    """
    found: dict[Operator, int] = {}
    for join, at in joins.items():
        rows, maker = join.inputs[1 - at], _maker(join.inputs[at])
        if lifetime(reaches[rows]) == 1 and _can_tell(maker, forms, groupings):
            found[join] = at
    return found


def silent(plan: Plan, joins: Currents) -> frozenset[Operator]:
    """The groups below these joins, and what lies between, whose changes nothing else takes: they
    are not made.
    """
    found: set[Operator] = set()
    for operator in reversed(list(plan.operators())):
        takers = plan.consumers(operator)
        if takers and all(_asks(t, joins, operator) or _hands_on(t, found) for t in takers):
            found.add(operator)
    return frozenset(found)


def same_type(join: Join | SemiJoin, pair: tuple[str, str]) -> bool:
    """Whether the two columns have the same type, which is known."""
    types = [
        next(column.type for column in side.schema if column.name == name)
        for side, name in zip(join.inputs, pair, strict=True)
    ]
    return types[0] == types[1] != UNKNOWN


def _maker(current: Operator) -> Operator:
    """What makes the rows that filters and projections hand on."""
    while isinstance(current, Filter | Project):
        current = current.input
    return current


def _asks(taker: Operator, joins: Currents, operator: Operator) -> bool:
    return taker in joins and taker.inputs[joins[taker]] == operator


def _hands_on(taker: Operator, silent: set[Operator]) -> bool:
    return isinstance(taker, Filter | Project) and taker in silent


def _can_tell(
    maker: Operator, forms: Mapping[Operator, Form], groupings: Mapping[Operator, By]
) -> bool:
    """A floating-point key is left out: a group shows another zero than the row that asks."""
    match maker:
        case Group():
            by = groupings[maker]
            sums = by == "panes" and all(invertible(each) for each in maker.aggregates)
            keys = [expression.type for _, expression in maker.keys]
            return bool(keys) and (sums or by == "accumulators") and _exact(keys)
        case Distinct():
            return forms[maker] == "points" and _exact([c.type for c in maker.schema])
        case _:
            return False


def _exact(types: list[str]) -> bool:
    return not {"DOUBLE", "FLOAT", "REAL"} & {each.upper() for each in types}
