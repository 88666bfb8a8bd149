"""Plan text back to a plan: the inverse of `render`, for the fixtures of rules and analyses.

In: text as `render` writes it. Out: a plan. Malformed text is a ValueError that quotes the line;
things that the text does not show (paths of streams, options) get defaults.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Literal, cast

from .aggregates import Function
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
from .operators.merges import Policy
from .operators.sets import SetKind
from .schema import Column, Schema
from .split import clauses, name_of, split_list

Build = Callable[[str, tuple[Operator, ...]], Operator]


def parse(text: str, name: str = "fixture") -> Plan:
    """The plan that a text describes; every line without margin is a sink."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    sinks = _Reader(lines).operators(0)
    if not all(isinstance(sink, Sink) for sink in sinks):
        raise ValueError("every operator without margin must be a Sink")
    return Plan(name, cast(tuple[Sink, ...], tuple(sinks)))


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._next = 0
        self._labels: dict[str, Operator] = {}

    def operators(self, depth: int) -> list[Operator]:
        """All operators from here on that stand at this depth."""
        found = []
        while self._next < len(self._lines) and self._depth() == depth:
            found.append(self._operator(depth))
        return found

    def _depth(self) -> int:
        line = self._lines[self._next]
        return (len(line) - len(line.lstrip())) // 2

    def _operator(self, depth: int) -> Operator:
        line = self._lines[self._next].strip()
        self._next += 1
        if line.startswith("See "):
            return self._labels[line.removeprefix("See ")]
        label = re.search(r" (#\d+)\Z", line)
        body = line[: label.start()] if label else line
        kind, _, meaning = body.partition(" ")
        if kind not in _BUILD:
            raise ValueError(f"not an operator: {line}")
        operator = _BUILD[kind](meaning, tuple(self.operators(depth + 1)))
        if label:
            self._labels[label.group(1)] = operator
        return operator


def _scan(text: str, inputs: tuple[Operator, ...]) -> Operator:
    as_arrived = text.endswith(" as arrived")
    text = text.removesuffix(" as arrived")
    words = (
        "order",
        "within",
        "key",
        "promises",
        "kept rows",
        "kept",
        "bucket",
        "in place",
        "elements",
        "operation",
        "stats",
    )
    head, rest = clauses(text, *words)
    operation, marks = _operation(rest.get("operation", ""))
    promised = frozenset(split_list(rest.get("promises", "()")[1:-1]))
    name, columns = _declared(head)
    order = name_of(rest["order"]) if "order" in rest else None
    types = {column.name: column.type for column in columns}
    return Scan(
        StreamDeclaration(
            name=name,
            columns=columns,
            format="json",
            path=f"data/{name}/",
            options=(),
            order=order,
            timestamps=order is None or types[order] == "TIMESTAMP",
            within=int(rest.get("within", 0)),
            strict="strict" in promised,
            key=_names(rest.get("key", "()")),
            idle_after=None,
            max_ahead=None,
            guarantees=promised - {"strict", "changes of a relation"},
            statistics=_statistics(rest.get("stats", "()")),
            relation="changes of a relation" in promised,
            kept=0 if "kept rows" in rest else int(rest["kept"]) if "kept" in rest else None,
            kept_rows=int(rest["kept rows"]) if "kept rows" in rest else None,
            bucket=int(rest["bucket"]) if "bucket" in rest else None,
            in_place="in place" in rest,
            operation=operation,
            marks=marks,
            elements=_names(rest.get("elements", "()")),
        ),
        as_arrived,
    )


def _reconstitution(text: str, inputs: tuple[Operator, ...]) -> Operator:
    [elements] = inputs
    assert isinstance(elements, Scan)
    return Reconstitution(elements)


def _relation(text: str, inputs: tuple[Operator, ...]) -> Operator:
    _, rest = clauses(text, "key", "operation")
    [log] = inputs
    assert isinstance(log, Scan)
    return Relation(log, _names(rest.get("key", "()")), *_operation(rest.get("operation", "")))


def _operation(text: str) -> tuple[str | None, tuple[tuple[Operation, str], ...]]:
    """The column that says what is done, and which of its values says what."""
    column, _, listed = text.partition(" (")
    marks = [part.partition(" ") for part in split_list(listed.removesuffix(")"))]
    pairs = ((cast(Operation, kind), value[1:-1].replace("''", "'")) for kind, _, value in marks)
    return name_of(column) if column else None, tuple(pairs)


def _statistics(text: str) -> tuple[tuple[str, float], ...]:
    found = []
    for part in split_list(text[1:-1]):
        name, _, value = part.rpartition(" ")
        kind, _, column = name.partition(" ")
        found.append((f"{kind} {name_of(column)}" if column else kind, float(value)))
    return tuple(found)


def _merge(text: str, inputs: tuple[Operator, ...]) -> Operator:
    head, rest = clauses(text, "of", "cleanse", "policy", "lag", "rows", "feedback", "ticks")
    policy, _, share = rest["policy"].rpartition(" ")
    if policy != "fraction":
        policy, share = rest["policy"], ""
    return Merge(
        name_of(head),
        inputs,
        _names(rest["of"]),
        frozenset(_names(rest.get("cleanse", "()"))),
        cast(Policy, policy),
        float(share) if share else None,
        int(rest.get("lag", 0)),
        "ticks" not in rest,
        "rows" in rest,
        "feedback" in rest,
    )


def _filter(text: str, inputs: tuple[Operator, ...]) -> Operator:
    return Filter(inputs[0], Expr(text, "BOOLEAN"))


def _project(text: str, inputs: tuple[Operator, ...]) -> Operator:
    return Project(inputs[0], _pairs(text, inputs[0].schema))


def _window(text: str, inputs: tuple[Operator, ...]) -> Operator:
    kind, *words = text.split()
    rest = dict(pairwise(words))
    length = int(words[0]) if kind == "range" else None
    return Window(
        inputs[0],
        kind,  # type: ignore[arg-type]
        length,
        int(rest["slide"]) if "slide" in rest else None,
        rest.get("zone"),
        "implied" not in words,
        "ticks" not in words,
    )


def _rows_window(text: str, inputs: tuple[Operator, ...]) -> Operator:
    words, by = _divided(text)
    rest = dict(pairwise(words))
    slide, length = (int(rest[word]) if word in rest else None for word in ("slide", "range"))
    return RowsWindow(inputs[0], int(words[0]), by, slide, length, "ticks" not in words)


def _session_window(text: str, inputs: tuple[Operator, ...]) -> Operator:
    words, by = _divided(text)
    return SessionWindow(inputs[0], int(words[0]), by, "ticks" not in words)


def _divided(text: str) -> tuple[list[str], tuple[Expr, ...]]:
    """The words of a window, and what it is divided by."""
    found = re.search(r" by \((.*)\)", text)
    if found is None:
        return text.split(), ()
    rest = text[: found.start()] + text[found.end() :]
    return rest.split(), tuple(_typed(part) for part in split_list(found[1]))


def _join(text: str, inputs: tuple[Operator, ...]) -> Operator:
    _, rest = clauses(text, "on", "where")
    return Join(inputs[0], inputs[1], _equal(rest), _optional(rest, "where"))


def _semi_join(text: str, inputs: tuple[Operator, ...]) -> Operator:
    head, rest = clauses(text, "on", "where")
    anti = head.strip() == "anti"
    return SemiJoin(inputs[0], inputs[1], _equal(rest), _optional(rest, "where"), anti)


def _set_operation(text: str, inputs: tuple[Operator, ...]) -> Operator:
    kind, rest = clauses(text, "on")
    return SetOperation(inputs[0], inputs[1], cast(SetKind, kind.strip()), _equal(rest))


def _nrr_join(text: str, inputs: tuple[Operator, ...]) -> Operator:
    head, rest = clauses(text, "outer", "key", "version", "stats", "columns", "on", "where", "at")
    name, columns = _declared(head)
    version = name_of(rest["version"]) if "version" in rest else None
    relation = NrrDeclaration(
        name,
        columns,
        "csv",
        f"data/{name}.csv",
        (),
        _names(rest.get("key", "()")),
        version,
        _statistics(rest.get("stats", "()")),
    )
    used = tuple(_pair(part) for part in split_list(rest["columns"]))
    at = _typed(rest["at"]) if "at" in rest else None
    condition = _optional(rest, "where")
    return NrrJoin(inputs[0], relation, used, _equal(rest), condition, at, "outer" in rest)


def _outer(text: str) -> Literal["left", "right", "full"] | None:
    kind = text.removesuffix(" join")
    return cast(Literal["left", "right", "full"], kind) if kind else None


def _group(text: str, inputs: tuple[Operator, ...]) -> Operator:
    _, rest = clauses(text, "by", "make")
    keys = () if rest["by"] == "()" else _pairs(rest["by"], inputs[0].schema)
    made = [] if rest["make"] == "()" else split_list(rest["make"])
    return Group(inputs[0], keys, tuple(_aggregate(part) for part in made))


def _sink(text: str, inputs: tuple[Operator, ...]) -> Operator:
    head, rest = clauses(text, "to", "as", "emit", "key", "every", "revise", "ticks", "columns")
    format_, _, path = rest["to"].partition(" ")
    revise = rest.get("revise", "auto")
    technique, _, percent = revise.partition(" ")
    approximate = technique == "approximate"
    return Sink(
        inputs[0],
        name_of(head),
        _names(rest["columns"]),
        format_,
        path.strip("'") or None,
        rest["as"],  # type: ignore[arg-type]
        _names(rest.get("key", "()")),
        rest["emit"],  # type: ignore[arg-type]
        int(rest["every"]) if "every" in rest else None,
        "ticks" not in rest,
        revise=technique if approximate else revise,
        percent=int(percent) if approximate else None,
    )


_BUILD: dict[str, Build] = {
    "Scan": _scan,
    "Relation": _relation,
    "Reconstitution": _reconstitution,
    "Merge": _merge,
    "Filter": _filter,
    "Project": _project,
    "Window": _window,
    "RowsWindow": _rows_window,
    "SessionWindow": _session_window,
    "Union": lambda text, inputs: Union(inputs, outer=_outer(text)),
    "Join": _join,
    "NrrJoin": _nrr_join,
    "SemiJoin": _semi_join,
    "SetOperation": _set_operation,
    "Distinct": lambda text, inputs: Distinct(inputs[0]),
    "Group": _group,
    "Report": lambda text, inputs: Report(inputs[0], text),  # type: ignore[arg-type]
    "Sink": _sink,
}


def _declared(head: str) -> tuple[str, Schema]:
    """`name (column TYPE, …)`."""
    name, _, columns = head.partition(" (")
    parts = [part.rpartition(" ") for part in split_list(columns.removesuffix(")"))]
    return name_of(name), tuple(Column(name_of(column), type_) for column, _, type_ in parts)


def _names(text: str) -> tuple[str, ...]:
    inner = text.strip().removeprefix("(").removesuffix(")")
    return tuple(name_of(part) for part in split_list(inner))


def _pairs(text: str, schema: Schema) -> tuple[tuple[str, Expr], ...]:
    types = {column.name: column.type for column in schema}
    found = []
    for part in split_list(text):
        name, _, value = part.partition(" = ")
        if " : " in value:
            found.append((name_of(name), _typed(value)))
            continue
        column = name_of(value or name)
        found.append((name_of(name), Expr(value or name, types[column])))
    return tuple(found)


def _typed(text: str) -> Expr:
    sql, _, type_ = text.rpartition(" : ")
    return Expr(sql, type_)


def _pair(text: str) -> tuple[str, str]:
    left, _, right = text.partition(" = ")
    return name_of(left), name_of(right)


def _equal(rest: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(_pair(part) for part in split_list(rest["on"])) if "on" in rest else ()


def _optional(rest: dict[str, str], word: str) -> Expr | None:
    return Expr(rest[word], "BOOLEAN") if word in rest else None


def _aggregate(text: str) -> Aggregate:
    pattern = r"(.+?) = (\w+)\((distinct )?(.*?)(?: ; (.+?))?\) : (.+?)(?: of (.+))?"
    found = re.fullmatch(pattern, text)
    if found is None:
        raise ValueError(f"not an aggregate: {text}")
    name, function, distinct, argument, parameter, type_, of = found.groups()
    expression = None if argument == "*" else Expr(argument, of or "UNKNOWN")
    return Aggregate(
        name_of(name), cast(Function, function), expression, type_, parameter, bool(distinct)
    )
