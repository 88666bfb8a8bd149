"""Update patterns of every edge by the five rules of UPA 5.2 and the monotonic class.

The rules are told by what they are about (that of GROUP BY is the paper's rule 4): operators that
keep a row as it is, unions, joins and DISTINCT, GROUP BY, negation.

In: a plan. Out: the pattern of each operator's output, and the pattern as which a consumer takes
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from ..plan.expressions import bare_column
from ..plan.graph import Plan
from ..plan.operators import (
    Distinct,
    Filter,
    Group,
    Join,
    NrrJoin,
    Operator,
    Project,
    Reconstitution,
    Relation,
    Report,
    RowsWindow,
    Scan,
    SemiJoin,
    SessionWindow,
    SetOperation,
    Sink,
    Union,
    Window,
)
from ..plan.rebuild import known
from .lattice import LATER, MON, STR, WK, Kind, UpdatePattern, merge, replaced, wks


def update_patterns(plan: Plan) -> dict[Operator, UpdatePattern]:
    """The pattern of each operator's output."""
    patterns: dict[Operator, UpdatePattern] = {}
    for operator in plan.operators():
        patterns[operator] = _pattern(operator, patterns)
    return patterns


def taken_as(
    source: Operator, consumer: Operator, patterns: Mapping[Operator, UpdatePattern]
) -> UpdatePattern:
    """The pattern of the edge from `source` as `consumer` must treat it.

    A replaced row is only told apart by its key: a sink and a projection that keeps the whole key
    may rely on that, every other operator needs the old row itself, signalled (STR in point form).
    """
    pattern = patterns[source]
    if pattern == LATER:
        # Its ends pass through what keeps rows as they are; all else sees negative tuples.
        return pattern if isinstance(consumer, (Sink, Filter, Project)) else STR
    if pattern.ends != "replaced" or isinstance(consumer, Sink):
        return pattern
    if isinstance(consumer, Project) and renamed(pattern.key, consumer) is not None:
        return pattern
    return STR


def renamed(key: tuple[str, ...], projection: Project) -> tuple[str, ...] | None:
    """The key's names after a projection; None where it does not keep the whole key."""
    names: dict[str, str] = {}
    for name, expression in projection.columns:
        column = bare_column(expression.sql)
        if column is not None:
            names.setdefault(column, name)
    if not all(column in names for column in key):
        return None
    return tuple(names[column] for column in key)


def columns_of_by(window: RowsWindow) -> tuple[str, ...] | None:
    """What a count window is divided by, where all of it are columns."""
    found = tuple(bare_column(each.sql) for each in window.by)
    return None if None in found else tuple(name for name in found if name is not None)


def _pattern(operator: Operator, patterns: Mapping[Operator, UpdatePattern]) -> UpdatePattern:
    node = known(operator)
    inputs = [taken_as(source, node, patterns) for source in node.inputs]
    match node:
        case Scan():
            # A base stream only grows: its elements are valid for ever. UPA.
            return MON
        case Relation():
            # What was inserted is withdrawn whenever the log says so. UPA 4.1.
            return MON if node.only_grows else STR
        case Reconstitution():
            # Adjusts end events whenever they like; without them each event brings its end.
            return WK if node.insert_only else STR
        case Window(kind="range", length=length, slide=slide, zone=zone):
            # Every element lives equally long, so elements leave in the order they came. UPA.
            assert length is not None
            return wks((length, slide, zone))
        case Window(kind="now"):
            # One tick each: the shortest window of the same kind.
            return wks((1, None, None))
        case Window():
            # [UNBOUNDED] ends nothing.
            return inputs[0]
        case RowsWindow(rows=1) if own := columns_of_by(node):
            # As in rule 4: the next row of the same value replaces it.
            return replaced(own)
        case RowsWindow() | SessionWindow():
            # The n-th later row ends a row, and a later one of its session puts its end off: in
            # order of arrival, but when is not known before. DESIGN section 2.
            return LATER
        case Filter() | NrrJoin():
            # Selection, and a join with an NRR, let rows through in their order and with their
            # ends (changes of the NRR touch no earlier row, UPA 4.1).
            return inputs[0]
        case Project():
            # As selection; a key that replaces is carried under its new names.
            key = renamed(inputs[0].key, node) if inputs[0].ends == "replaced" else None
            return inputs[0] if key is None else replaced(key)
        case Union():
            # The most complex of the inputs; different lifetimes mix the order of ends.
            return merge(inputs)
        case Join():
            # A pair ends with the one of its rows that ends first, which is known, but pairs do
            # not end in order. One STR input can take back any pair. Two MON inputs: never.
            return _of_pairs(inputs)
        case SemiJoin() | SetOperation():
            # Negation: a row leaves because another came, or comes back when that one ends. UPA
            # 5.2, the rule of negation; a semi-join's row can leave before its end, too.
            return STR
        case Distinct():
            # The row that stands for its copies is replaced when it ends: WK even over WKS.
            return _of_pairs(inputs)
        case Group():
            # Rule 4: always WK; a group's new row replaces its old one.
            return replaced(name for name, _ in node.keys)
        case Report():
            # A report is a stream again: what has been reported stays reported.
            return MON
        case Sink():
            return inputs[0]
        case _:
            assert_never(node)


def _of_pairs(inputs: list[UpdatePattern]) -> UpdatePattern:
    worst = max(pattern.kind for pattern in inputs)
    if worst is Kind.STR:
        return STR
    return MON if worst is Kind.MON else WK
