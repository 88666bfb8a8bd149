"""Keys of outputs: columns whose values no two rows share at an instant.

In: a plan. Out: for each operator's output the shortest key that is known, or None.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

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
from ..plan.schema import names
from .update_patterns import columns_of_by, renamed

Key = tuple[str, ...] | None


def keys(plan: Plan) -> dict[Operator, Key]:
    """The key of each operator's output."""
    found: dict[Operator, Key] = {}
    for operator in plan.operators():
        found[operator] = _key(operator, found)
    return found


def _key(operator: Operator, found: Mapping[Operator, Key]) -> Key:
    node = known(operator)
    match node:
        case Scan():
            # A log has a row for each change of a key.
            return None if node.stream.relation or node.stream.elements else node.stream.key or None
        case Reconstitution():
            # A key of LMERGE tells events apart, with their starts: not the rows of an instant.
            return None
        case Relation():
            # A row replaces the one of its key.
            return node.key or None
        case RowsWindow(rows=1) if (own := columns_of_by(node)) is not None:
            # One row of each value.
            return own
        case Filter() | Window() | RowsWindow() | SessionWindow() | Sink():
            # Fewer rows, or a shorter life: no new pairs of rows.
            return found[node.input]
        case Project():
            key = found[node.input]
            return None if key is None else renamed(key, node)
        case Union():
            # Two branches may hold the same key.
            return None
        case Join():
            return _key_of_pairs(node, found[node.left], found[node.right])
        case NrrJoin():
            return found[node.input] if meets_one(node) else None
        case SemiJoin():
            # Some of the left's rows.
            return found[node.left]
        case SetOperation():
            once = node.kind in ("except", "intersect")
            return found[node.left] or (names(node.schema) if once else None)
        case Distinct():
            return found[node.input] or names(node.schema)
        case Group():
            return tuple(name for name, _ in node.keys)
        case Report():
            # A stream of reports holds the same row once for each instant.
            return None
        case _:
            assert_never(node)


def meets_one(join: NrrJoin) -> bool:
    """One row of the relation at most meets a row, since its whole key is compared."""
    used = {of for name, of in join.columns if name in {right for _, right in join.equal}}
    return bool(join.relation.key) and set(join.relation.key) <= used


def _key_of_pairs(join: Join, left: Key, right: Key) -> Key:
    """Both keys together; one of them alone where the other is compared as a whole."""
    if left is None or right is None:
        return None
    compared_left = {column for column, _ in join.equal}
    compared_right = {column for _, column in join.equal}
    if set(right) <= compared_right:
        return left
    if set(left) <= compared_left:
        return right
    return left + right
