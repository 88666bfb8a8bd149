"""Statements of a stateless query: plain DataFrames, `readStream … writeStream`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from ..physical.calls import Deliver, Elements, Select, UnionAll, Where, WindowUnbounded
from ..physical.program import Step
from ..plan.expressions import bare_column, quoted
from .layout import Node, Raw, Text, call, statement, texts
from .literals import string


def frame(step: Step) -> Node:
    """The expression of a step that is not a sink; a DataFrame."""
    match step.call:
        case Elements():
            return call("p.read", Text(step.call.stream))
        case Where():
            return call(f"{step.inputs[0]}.where", Text(step.call.predicate))
        case Select():
            columns = [_column(name, sql) for name, sql in step.call.columns]
            return call(f"{step.inputs[0]}.selectExpr", *(Text(column) for column in columns))
        case UnionAll():
            first, *rest = step.inputs
            return Raw(first + "".join(f".union({branch})" for branch in rest))
        case WindowUnbounded():
            return Raw(step.inputs[0])
        case _:
            raise AssertionError(f"{step.op} is not stateless")


def writer(step: Step, renamed: str) -> list[str]:
    """The lines of `return ….writeStream…`, at the indent of a function body."""
    sink = cast(Deliver, step.call)
    calls = [
        f".format({string(sink.format)})",
        '.outputMode("append")',
        f'.option("path", {string(sink.path or "")})',
        *(f".option({string(name)}, {string(value)})" for name, value in sink.options),
    ]
    flat = f"    return {renamed}.writeStream{''.join(calls)}"
    if len(flat) <= 100:
        return [flat]
    inner = [f"        {line}" for line in calls]
    return ["    return (", f"        {renamed}.writeStream{calls[0]}", *inner[1:], "    )"]


def rename(step: Step, steps: Mapping[str, Step]) -> str | None:
    """The statement that gives the output the user's names, where they are not yet its columns."""
    sink = cast(Deliver, step.call)
    if _names(steps[step.inputs[0]], steps) == sink.names:
        return None
    node = call(f"{step.inputs[0]}.toDF", *texts_of(sink.names))
    return statement(f"{step.id} = ", node, "    ")


def texts_of(names: Sequence[str]) -> list[Node]:
    return [node for _, node in texts(names).items]


def _column(name: str, sql: str) -> str:
    return quoted(name) if bare_column(sql) == name else f"{sql} AS {quoted(name)}"


def _names(step: Step, steps: Mapping[str, Step]) -> tuple[str, ...] | None:
    """The columns of a step's output, where the steps below tell them."""
    if isinstance(step.call, Select):
        return tuple(name for name, _ in step.call.columns)
    return _names(steps[step.inputs[0]], steps) if step.inputs else None
