"""Whether a join may look up the current row of a key instead of pairing changes."""

from __future__ import annotations

from ..analyse import Facts
from ..plan.operators import Distinct, Filter, Group, Join, Operator, Project, SemiJoin
from ..plan.schema import UNKNOWN
from .grouping import choose_grouping, invertible


def looks_up(join: Join, facts: Facts) -> bool:
    """One side in interval form, and of the other, in point form, the whole key is compared. That
    one row replaces another is knowledge of patterns.

    Values of two types are compared after a cast: a row would not be found under its own value.
    """
    forms = [facts.forms[source] for source in join.inputs]
    if facts.execution != "upa" or sorted(forms) != ["intervals", "points"]:
        return False
    at = forms.index("points")
    key = facts.keys[join.inputs[at]]
    compared = {pair[at] for pair in join.equal if _same_type(join, pair)}
    return key is not None and set(key) <= compared


def looks_up_matches(join: SemiJoin, facts: Facts) -> bool:
    """Rows of the left in interval form look up whether what they look for is there."""
    if facts.execution != "upa" or facts.forms[join.left] != "intervals":
        return False
    if join.condition is not None or not join.equal:
        return False
    return all(_same_type(join, pair) for pair in join.equal)


def is_read_off(rows: Operator, current: Operator, facts: Facts) -> bool:
    """Whether the current rows at an instant are read off the state of the group that makes them:
    for rows that live for one tick, and so never see their partner change.

    A floating-point key is left out: a group shows another zero than the row that asks for it.
    """
    if lifetime(rows, facts) != 1:
        return False
    while isinstance(current, Filter | Project):
        current = current.input
    match current:
        case Group():
            by = choose_grouping(current, facts).value
            sums = by == "panes" and all(invertible(each) for each in current.aggregates)
            keys = [expression.type for _, expression in current.keys]
            return bool(keys) and (sums or by == "accumulators") and _exact(keys)
        case Distinct():
            return facts.forms[current] == "points" and _exact([c.type for c in current.schema])
        case _:
            return False


def _exact(types: list[str]) -> bool:
    return not {"DOUBLE", "FLOAT", "REAL"} & {each.upper() for each in types}


def lifetime(rows: Operator, facts: Facts) -> int | None:
    """How long the rows of an input live at most, in microseconds or ticks; None if not known."""
    lengths = [reach.length for reach in facts.reaches[rows]]
    known = [length for length in lengths if length is not None]
    return max(known) if known and len(known) == len(lengths) else None


def _same_type(join: Join | SemiJoin, pair: tuple[str, str]) -> bool:
    types = [
        next(column.type for column in side.schema if column.name == name)
        for side, name in zip(join.inputs, pair, strict=True)
    ]
    return types[0] == types[1] != UNKNOWN
