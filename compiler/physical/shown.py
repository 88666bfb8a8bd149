"""What an operator does, for people: lengths in words, no types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from ..plan.expressions import bare_column, readable, readable_name
from ..plan.operators import (
    Aggregate,
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
from .lengths import length_shown


def shown(operator: Operator) -> str:
    """The meaning of an operator in a line, without its kind."""
    node = known(operator)
    match node:
        case Scan():
            return readable_name(node.stream.name) + (" as arrived" if node.as_arrived else "")
        case Relation():
            return _relation(node)
        case Reconstitution():
            return f"events of {readable_name(node.input.stream.name)}"
        case Filter():
            return readable(node.predicate.sql)
        case Project():
            return ", ".join(_column(name, e) for name, e in node.columns)
        case Window():
            return _window(node)
        case RowsWindow():
            return _rows_window(node)
        case SessionWindow():
            return f"session {length_shown(node.gap, node.timestamps)}{_by(node.by)}"
        case Join():
            kind = "⋈R " if any(map(_is_relation, node.inputs)) else ""
            return kind + (_matching(node.equal, node.condition) or "all pairs")
        case SemiJoin():
            matching = _matching(node.equal, node.condition) or "any row"
            return f"{'without' if node.anti else 'with'} a match {matching}"
        case SetOperation():
            return f"{node.kind} {_matching(node.by, None)}".rstrip()
        case NrrJoin():
            at = f" at {readable(node.at.sql)}" if node.at is not None else ""
            matching = _matching(node.equal, node.condition)
            outer = "left outer join with " if node.outer else ""
            return f"{outer}{readable_name(node.relation.name)} {matching}".rstrip() + at
        case Group():
            keys = f"by {', '.join(_column(name, e) for name, e in node.keys)}: "
            made = ", ".join(_aggregate(a) for a in node.aggregates) or "the keys"
            return (keys if node.keys else "of all: ") + made
        case Report():
            return node.kind
        case Sink():
            return _sink(node)
        case Union():
            return _union(node)
        case Distinct():
            return ""
        case _:
            assert_never(node)


def _is_relation(operator: Operator) -> bool:
    """Rows of a relation, whose changes are retroactive (UPA 4.1)."""
    while isinstance(operator, Filter | Project):
        operator = operator.input
    return isinstance(operator, Relation)


def _relation(relation: Relation) -> str:
    """How the log is read."""
    parts = [readable_name(relation.input.stream.name)]
    if relation.key:
        parts.append(f"by {', '.join(readable_name(name) for name in relation.key)}")
    if relation.operation is not None:
        marks = ", ".join(f"{kind} '{value}'" for kind, value in relation.marks)
        parts.append(f"{readable_name(relation.operation)}: {marks}")
    return " ".join(parts)


def _union(union: Union) -> str:
    if union.outer is None:
        return ""
    kept = {"full": "either side"}.get(union.outer, f"the {union.outer}")
    return f"{union.outer} outer join: the pairs, and rows of {kept} without a match"


def _column(name: str, expression: Expr) -> str:
    if bare_column(expression.sql) == name:
        return readable_name(name)
    return f"{readable(expression.sql)} AS {readable_name(name)}"


def _aggregate(aggregate: Aggregate) -> str:
    argument = "*" if aggregate.argument is None else readable(aggregate.argument.sql)
    distinct = "DISTINCT " if aggregate.distinct else ""
    parameter = "" if aggregate.parameter is None else f", {aggregate.parameter}"
    value = f"{aggregate.function.upper()}({distinct}{argument}{parameter})"
    return f"{value} AS {readable_name(aggregate.name)}"


def _matching(equal: Sequence[tuple[str, str]], condition: Expr | None) -> str:
    parts = [f"{readable_name(left)} = {readable_name(right)}" for left, right in equal]
    if condition is not None:
        parts.append(readable(condition.sql))
    return f"on {' AND '.join(parts)}" if parts else ""


def _window(window: Window) -> str:
    if window.length is None:
        return window.kind
    slide = f" slide {length_shown(window.slide, window.timestamps)}" if window.slide else ""
    zone = f" in {window.zone}" if window.zone is not None else ""
    return f"{window.kind} {length_shown(window.length, window.timestamps)}{slide}{zone}"


def _rows_window(window: RowsWindow) -> str:
    slide = f" slide {window.slide}" if window.slide is not None else ""
    length = ""
    if window.length is not None:
        length = f" range {length_shown(window.length, window.timestamps)}"
    return f"rows {window.rows}{slide}{length}{_by(window.by)}"


def _by(by: Sequence[Expr]) -> str:
    return f" by {', '.join(readable(each.sql) for each in by)}" if by else ""


def _sink(sink: Sink) -> str:
    where = f" {sink.path}" if sink.path is not None else ""
    emit = "" if sink.emit == "changes" else f" emit {sink.emit}"
    return f"{sink.query} to {sink.format}{where} as {sink.mode}{emit}"
