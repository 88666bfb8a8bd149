"""Statements of operators over time: changes of form, DISTINCT, GROUP BY and reports."""

from __future__ import annotations

from ..physical.calls import AggregateCall, AsStream, DistinctRows, GroupRows, ReportRows
from ..physical.program import Step
from .layout import Node, Raw, Text, call, mapping, texts
from .rows import ordering


def to_points(step: Step) -> Node:
    return call("to_points", Raw("e"), Text(step.id), Raw(step.inputs[0]))


def as_stream(stream: AsStream, step: Step) -> Node:
    return call("as_stream", Raw(step.inputs[0]), **ordering(stream.ordered))


def distinct(rows: DistinctRows, step: Step) -> Node:
    function = "distinct_points" if rows.points else "distinct"
    return call(function, Raw("e"), Text(step.id), Raw(step.inputs[0]))


def distinct_stored(step: Step) -> Node:
    return call("distinct_stored", Raw("e"), Text(step.id), Raw(step.inputs[0]))


def group(rows: GroupRows, step: Step) -> Node:
    keys: dict[str, Node] = {name: Text(sql) for name, sql in rows.keys}
    aggregates: dict[str, Node] = {each.name: _aggregate(each) for each in rows.aggregates}
    return call(
        "group",
        Raw("e"),
        Text(step.id),
        Raw(step.inputs[0]),
        keys=mapping(keys),
        aggregates=mapping(aggregates),
        by=Text(rows.by),
        **({} if rows.streams is None else {"streams": texts(rows.streams)}),
        **({"estimated": Raw("True")} if rows.estimated else {}),
    )


def report(rows: ReportRows, step: Step) -> Node:
    return call(rows.kind, Raw("e"), Text(step.id), Raw(step.inputs[0]))


def _aggregate(each: AggregateCall) -> Node:
    parts = (each.function, each.argument, each.type, each.of)
    named: dict[str, Node] = {}
    if each.parameter is not None:
        named["parameter"] = Text(each.parameter)
    if each.distinct:
        named["distinct"] = Raw("True")
    return call("aggregate", *(Text(part) for part in parts if part is not None), **named)
