"""Schemas: the columns of an edge."""

from __future__ import annotations

from reflow.grammar.value import value

UNKNOWN = "UNKNOWN"


@value
class Column:
    """One column of an edge.

    `name` is the internal name: unique within its schema without regard to case, never one of the
    engine's own (`_vs`, `_ve`, `_t`, `_w`, `_pos`, `_epoch`). `type` is Spark DDL text in upper
    case, or UNKNOWN.
    """

    name: str
    type: str = UNKNOWN


Schema = tuple[Column, ...]


def names(schema: Schema) -> tuple[str, ...]:
    return tuple(column.name for column in schema)
