"""By which columns of its streams an answer falls apart: the part for one value is made of the rows
with that value alone, whatever the others are.

Where a filter lets one value through, an answer depends on the rows with that value, whatever is
above: it falls apart as well, into one part that can change and others that cannot.

In: operator trees. Out: a column for each stream. Replays read no other values than those of the
rows that are corrected (DESIGN section 5: "restricted to the group").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, assert_never

from ..plan.expressions import bare_column, conjuncts, equal_literal
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
from ..plan.operators.base import Expr
from ..plan.rebuild import known
from ..plan.schema import names

EXACT: Final = frozenset({"STRING", "TINYINT", "SMALLINT", "INT", "BIGINT"})
"""Types of which equal values are the same value, in joins and groups too: zeros of floating-point
numbers are two, and a collation holds several texts to be equal.
"""

_PINNED: Final = " = "
"""Begins what stands for a column that a filter lets one value of through: no column's name."""

_MOST: Final = 100
"""Partitions that are tried with those of further answers."""

Parts: TypeAlias = Mapping[str, str]
"""Stream -> the column of it that has the value."""

_Columns = Mapping[str, Parts]
"""Column of an output -> where its value is in each stream below, if it falls apart by it."""


def partition_of(sinks: Sequence[Operator]) -> dict[str, str]:
    """Stream -> column by which all of the answers fall apart; empty where there is none."""
    found: dict[Operator, _Columns] = {}
    candidates: list[Parts] = [{}]
    for sink in sinks:
        below = list(_below(sink, found).values())
        both = (_agreed(one, other) for one in candidates for other in below)
        unlike = {tuple(parts.items()): parts for parts in both if parts is not None}
        candidates = list(unlike.values())[:_MOST]
    return dict(sorted(candidates[0].items())) if candidates else {}


def _below(operator: Operator, found: dict[Operator, _Columns]) -> _Columns:
    if operator not in found:
        below = [_below(source, found) for source in operator.inputs]
        made = _through(operator, below)
        exact = {column.name for column in operator.schema if column.type in EXACT}
        found[operator] = {
            name: parts for name, parts in made.items() if name in exact or _is_pinned(name)
        }
    return found[operator]


def _through(operator: Operator, below: list[_Columns]) -> _Columns:
    node = known(operator)
    match node:
        case Scan():
            return {name: {node.stream.name: name} for name in names(node.schema)}
        case Filter():
            return {**below[0], **dict(_pinned(node, below[0]))}
        case Window() | Distinct() | Sink():
            # Row by row, or rows that are equal in all columns.
            return below[0]
        case Project():
            return _renamed(node.columns, below[0])
        case Group():
            # The rows of a group have its key in common.
            return _renamed(node.keys, below[0])
        case Join():
            left, right = _joined(node, below)
            return {**left, **right}
        case SemiJoin():
            return _joined(node, below)[0]
        case Union() | SetOperation():
            return _by_position(node.inputs, below)
        case RowsWindow():
            # The rows of one value push out each other, and no others.
            by = {bare_column(each.sql) for each in node.by}
            return {name: of for name, of in below[0].items() if name in by or _is_pinned(name)}
        case NrrJoin() | Relation() | Reconstitution() | Report() | SessionWindow():
            # They are not replayed.
            return {}
        case _:
            assert_never(node)


def _is_pinned(name: str) -> bool:
    return name.startswith(_PINNED)


def _pinned(node: Filter, below: _Columns) -> Iterator[tuple[str, Parts]]:
    """What stands for the columns of which one value comes through."""
    types = {column.name: column.type for column in node.schema}
    for part in conjuncts(node.predicate.sql):
        equal = equal_literal(part)
        if equal is None or equal[0] not in below:
            continue
        column, text, is_string = equal
        whole = text.isdecimal() and types[column] in EXACT - {"STRING"}
        if (is_string and types[column] == "STRING") or (not is_string and whole):
            yield f"{_PINNED}{types[column]} {text}", below[column]


def _both_pinned(below: Sequence[_Columns]) -> Iterator[tuple[str, Parts]]:
    """What all inputs let through."""
    for name in filter(_is_pinned, below[0]):
        merged: Parts | None = {}
        for side in below:
            merged = None if merged is None or name not in side else _agreed(merged, side[name])
        if merged is not None:
            yield name, merged


def _renamed(columns: Iterable[tuple[str, Expr]], below: _Columns) -> _Columns:
    """What is no more than a column of the input."""
    named = ((name, bare_column(expression.sql)) for name, expression in columns)
    renamed = {name: below[of] for name, of in named if of is not None and of in below}
    return {**renamed, **dict(_both_pinned([below]))}


def _joined(node: Join | SemiJoin, below: list[_Columns]) -> tuple[_Columns, _Columns]:
    """The columns of both sides that have the value of a pair that is compared."""
    pinned = dict(_both_pinned(below))
    sides: tuple[dict[str, Parts], dict[str, Parts]] = dict(pinned), dict(pinned)
    types = {column.name: column.type for side in node.inputs for column in side.schema}
    for pair in node.equal:
        if types[pair[0]] != types[pair[1]]:
            # They are compared after a cast.
            continue
        own = [side.get(column) for side, column in zip(below, pair, strict=True)]
        if own[0] is None or own[1] is None:
            continue
        both = _agreed(own[0], own[1])
        for found, side, parts in zip(sides, below, own, strict=True):
            same = [name for name, of in side.items() if of == parts and name not in found]
            found.update({name: both for name in same if both is not None})
    return sides


def _by_position(inputs: Sequence[Operator], below: list[_Columns]) -> _Columns:
    """What all inputs have in the same place, in one type."""
    first = names(inputs[0].schema)
    return {**dict(_in_place(first, inputs, below)), **dict(_both_pinned(below))}


def _in_place(
    first: Sequence[str], inputs: Sequence[Operator], below: list[_Columns]
) -> Iterator[tuple[str, Parts]]:
    for place, name in enumerate(first):
        columns = [each.schema[place] for each in inputs]
        merged: Parts | None = {}
        for column, side in zip(columns, below, strict=True):
            parts = side.get(column.name) if column.type == columns[0].type else None
            merged = None if merged is None or parts is None else _agreed(merged, parts)
        if merged is not None:
            yield name, merged


def _agreed(one: Parts, other: Parts) -> Parts | None:
    """Both together; None where a stream has the value in two columns."""
    if any(other[stream] != column for stream, column in one.items() if stream in other):
        return None
    return {**one, **other}
