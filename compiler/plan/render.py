"""A plan as text: one operator a line, inputs indented below it. `parse.py` reads the same text.

An operator with several readers is labelled `#n` where it is first shown, and is `See #n`
afterwards.
"""

from __future__ import annotations

from typing import assert_never

from .expressions import bare_column, readable, readable_name
from .graph import Plan
from .operators import (
    Aggregate,
    Distinct,
    Filter,
    Group,
    Join,
    Merge,
    NrrDeclaration,
    NrrJoin,
    Operation,
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
    StreamDeclaration,
    Union,
    Window,
)
from .operators.base import Expr
from .rebuild import known
from .schema import Schema


def render(plan: Plan) -> str:
    """The whole plan, one sink after the other; ends with a line break."""
    return _Page(plan).text()


def heading(operator: Operator) -> str:
    """One line: the kind of operator and its meaning, without its inputs."""
    kind, meaning = type(operator).__name__, detail(operator)
    return f"{kind} {meaning}" if meaning else kind


def detail(operator: Operator) -> str:
    """The meaning of an operator without its kind and inputs."""
    node = known(operator)
    match node:
        case Scan():
            return _stream(node.stream) + (" as arrived" if node.as_arrived else "")
        case Relation():
            return _relation(node)
        case Reconstitution():
            return ""
        case Filter():
            return readable(node.predicate.sql)
        case Project():
            return ", ".join(_column(name, e) for name, e in node.columns)
        case Window():
            return _window(node)
        case RowsWindow():
            return _rows_window(node)
        case SessionWindow():
            return f"{node.gap}{_by(node.by)}{'' if node.timestamps else ' ticks'}"
        case Join():
            return _matching(node.equal, node.condition) or "of all pairs"
        case SemiJoin():
            kind = "anti" if node.anti else "semi"
            return f"{kind} {_matching(node.equal, node.condition)}".rstrip()
        case SetOperation():
            return f"{node.kind} {_matching(node.by, None)}".rstrip()
        case NrrJoin():
            at = f" at {readable(node.at.sql)} : {node.at.type}" if node.at else ""
            return f"{_nrr(node)} {_matching(node.equal, node.condition)}".rstrip() + at
        case Group():
            return _group(node)
        case Report():
            return node.kind
        case Sink():
            return _sink(node)
        case Union():
            return f"{node.outer} join" if node.outer else ""
        case Merge():
            return _merge(node)
        case Distinct():
            return ""
        case _:
            assert_never(node)


class _Page:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._labels: dict[Operator, int] = {}
        self._lines: list[str] = []

    def text(self) -> str:
        for sink in self._plan.sinks:
            self._show(sink, 0)
        return "\n".join(self._lines) + "\n"

    def _show(self, operator: Operator, depth: int) -> None:
        margin = "  " * depth
        if operator in self._labels:
            self._lines.append(f"{margin}See #{self._labels[operator]}")
            return
        shared = len(self._plan.consumers(operator)) > 1 and not isinstance(operator, Scan)
        if shared:
            self._labels[operator] = len(self._labels) + 1
        label = f" #{self._labels[operator]}" if shared else ""
        self._lines.append(f"{margin}{heading(operator)}{label}")
        for source in operator.inputs:
            self._show(source, depth + 1)


def _columns(schema: Schema) -> str:
    return "(" + ", ".join(f"{readable_name(c.name)} {c.type}" for c in schema) + ")"


def _stream(stream: StreamDeclaration) -> str:
    parts = [readable_name(stream.name), _columns(stream.columns)]
    if stream.order is not None:
        parts.append(f"order {readable_name(stream.order)}")
    if stream.within:
        parts.append(f"within {stream.within}")
    if stream.key:
        parts.append(f"key ({', '.join(readable_name(name) for name in stream.key)})")
    promised = [*(["strict"] if stream.strict else []), *sorted(stream.guarantees)]
    promised += ["changes of a relation"] if stream.relation else []
    if promised:
        parts.append(f"promises ({', '.join(promised)})")
    if stream.kept_rows is not None:
        parts.append(f"kept rows {stream.kept_rows}")
    elif stream.kept is not None:
        parts.append(f"kept {stream.kept}")
    if stream.bucket is not None:
        parts.append(f"bucket {stream.bucket}")
    if stream.in_place:
        parts.append("in place")
    if stream.elements:
        parts.append(f"elements ({', '.join(map(readable_name, stream.elements))})")
    if stream.operation is not None:
        parts.append(_operation(stream.operation, stream.marks))
    return " ".join([*parts, *_statistics(stream.statistics)])


def _merge(merge: Merge) -> str:
    parts = [readable_name(merge.name), f"of ({', '.join(map(readable_name, merge.names))})"]
    if merge.cleansed:
        listed = [readable_name(name) for name in merge.names if name in merge.cleansed]
        parts.append(f"cleanse ({', '.join(listed)})")
    share = "" if merge.share is None else f" {merge.share:.15g}"
    parts.append(f"policy {merge.policy}{share}")
    if merge.lag:
        parts.append(f"lag {merge.lag}")
    parts += ["rows"] if merge.rows else []
    parts += ["feedback"] if merge.feedback else []
    return " ".join([*parts, *([] if merge.timestamps else ["ticks"])])


def _relation(relation: Relation) -> str:
    parts = []
    if relation.key:
        parts.append(f"key ({', '.join(readable_name(name) for name in relation.key)})")
    if relation.operation is not None:
        parts.append(_operation(relation.operation, relation.marks))
    return " ".join(parts)


def _operation(column: str, marks: tuple[tuple[Operation, str], ...]) -> str:
    listed = ", ".join(f"{kind} {_quoted(value)}" for kind, value in marks)
    return f"operation {readable_name(column)} ({listed})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _statistics(statistics: tuple[tuple[str, float], ...]) -> list[str]:
    shown = []
    for name, value in statistics:
        kind, _, column = name.partition(" ")
        of = f" {readable_name(column)}" if column else ""
        shown.append(f"{kind}{of} {value:.15g}")
    return [f"stats ({', '.join(shown)})"] if shown else []


def _nrr(join: NrrJoin) -> str:
    relation: NrrDeclaration = join.relation
    parts = [readable_name(relation.name), _columns(relation.columns)]
    if join.outer:
        parts.append("outer")
    if relation.key:
        parts.append(f"key ({', '.join(readable_name(name) for name in relation.key)})")
    if relation.version_by is not None:
        parts.append(f"version {readable_name(relation.version_by)}")
    parts += _statistics(relation.statistics)
    used = (f"{readable_name(name)} = {readable_name(of)}" for name, of in join.columns)
    parts.append(f"columns {', '.join(used)}")
    return " ".join(parts)


def _column(name: str, expression: Expr) -> str:
    column = bare_column(expression.sql)
    if column == name:
        return readable_name(name)
    if column is not None:
        return f"{readable_name(name)} = {readable_name(column)}"
    return f"{readable_name(name)} = {readable(expression.sql)} : {expression.type}"


def _window(window: Window) -> str:
    parts: list[str] = [window.kind]
    if window.length is not None:
        parts.append(str(window.length))
    if window.slide is not None:
        parts.append(f"slide {window.slide}")
    if window.zone is not None:
        parts.append(f"zone {window.zone}")
    if not window.timestamps:
        parts.append("ticks")
    if not window.written:
        parts.append("implied")
    return " ".join(parts)


def _rows_window(window: RowsWindow) -> str:
    parts = [str(window.rows)]
    if window.slide is not None:
        parts.append(f"slide {window.slide}")
    if window.length is not None:
        parts.append(f"range {window.length}")
    return " ".join(parts) + _by(window.by) + ("" if window.timestamps else " ticks")


def _by(by: tuple[Expr, ...]) -> str:
    listed = ", ".join(f"{readable(each.sql)} : {each.type}" for each in by)
    return f" by ({listed})" if by else ""


def _matching(equal: tuple[tuple[str, str], ...], condition: Expr | None) -> str:
    parts = []
    if equal:
        pairs = (f"{readable_name(a)} = {readable_name(b)}" for a, b in equal)
        parts.append(f"on {', '.join(pairs)}")
    if condition is not None:
        parts.append(f"where {readable(condition.sql)}")
    return " ".join(parts)


def _group(group: Group) -> str:
    keys = ", ".join(_column(name, e) for name, e in group.keys)
    aggregates = ", ".join(_aggregate(a) for a in group.aggregates)
    return f"by {keys or '()'} make {aggregates or '()'}"


def _aggregate(aggregate: Aggregate) -> str:
    argument = "*" if aggregate.argument is None else readable(aggregate.argument.sql)
    # The argument's type decides how the sum is kept.
    of = "" if aggregate.argument is None else f" of {aggregate.argument.type}"
    name = readable_name(aggregate.name)
    parameter = "" if aggregate.parameter is None else f" ; {aggregate.parameter}"
    distinct = "distinct " if aggregate.distinct else ""
    value = f"{aggregate.function}({distinct}{argument}{parameter})"
    return f"{name} = {value} : {aggregate.type}{of}"


def _sink(sink: Sink) -> str:
    parts = [readable_name(sink.query), f"to {sink.format}"]
    if sink.path is not None:
        parts.append(f"'{sink.path}'")
    parts += [f"as {sink.mode}", f"emit {sink.emit}"]
    if sink.key:
        parts.append(f"key ({', '.join(readable_name(name) for name in sink.key)})")
    if sink.every is not None:
        parts.append(f"every {sink.every}")
    if sink.revise.startswith("replay"):
        parts.append(f"revise {sink.revise}")
    if sink.percent is not None:
        parts.append(f"revise approximate {sink.percent}")
    if not sink.timestamps:
        parts.append("ticks")
    shown = ", ".join(readable_name(name) for name in sink.columns)
    return " ".join(parts) + f" columns ({shown})"
