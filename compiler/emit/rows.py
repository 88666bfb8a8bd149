"""Statements that look at one row at a time, and the scan below them."""

from __future__ import annotations

from ..physical.calls import Contents, Elements, Reconstitute, Select, Where
from ..physical.program import Step
from .layout import Node, Raw, Text, call, mapping, scalar, texts


def elements(scan: Elements) -> Node:
    named = ordering(scan.ordered)
    if scan.as_arrived:
        named["as_arrived"] = scalar(True)
    if scan.net:
        named["net"] = scalar(True)
    return call("e.elements", Text(scan.stream), **named)


def ordering(ordered: bool) -> dict[str, Node]:
    """The argument that asks for the order of arrival, where it is asked for."""
    return {"ordered": scalar(True)} if ordered else {}


def relation(contents: Contents, step: Step) -> Node:
    named: dict[str, Node] = {"of": Text(contents.of), "columns": texts(contents.columns)}
    if contents.key:
        named["key"] = texts(contents.key)
    if contents.operation is not None:
        named["operation"] = Text(contents.operation)
        named["marks"] = mapping({value: Text(kind) for kind, value in contents.marks})
    if contents.grows:
        named["grows"] = scalar(True)
    return call("relation", Raw("e"), Text(step.id), Raw(step.inputs[0]), **named)


def reconstitute(events: Reconstitute, step: Step) -> Node:
    named: dict[str, Node] = {
        "of": Text(events.of),
        "columns": texts(events.columns),
        "elements": texts(events.elements),
    }
    if not events.timestamps:
        named["timestamps"] = scalar(False)
    if not events.judged:
        return call("unjudged", Raw("e"), Raw(step.inputs[0]), **named)
    if events.insert_only:
        named["insert_only"] = scalar(True)
    if events.as_told:
        named["as_told"] = scalar(True)
    return call("reconstitute", Raw("e"), Text(step.id), Raw(step.inputs[0]), **named)


def where(filter_: Where, step: Step) -> Node:
    return call("where", Raw(step.inputs[0]), Text(filter_.predicate))


def select(projection: Select, step: Step) -> Node:
    columns: dict[str, Node] = {name: Text(sql) for name, sql in projection.columns}
    return call("select", Raw(step.inputs[0]), mapping(columns))


def union_all(step: Step) -> Node:
    return call("union_all", *(Raw(branch) for branch in step.inputs))
