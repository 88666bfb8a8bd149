"""Declarations of streams, relations and queries at the head of a program."""

from __future__ import annotations

from ..physical.program import QueryOutput, RelationSource, StreamSource
from .layout import Node, Text, call, mapping, scalar, texts


def stream(source: StreamSource) -> Node:
    options: dict[str, Node] = {name: Text(value) for name, value in source.options}
    return call(
        "Stream",
        name=Text(source.name),
        format=Text(source.format),
        path=scalar(source.path),
        schema=Text(source.schema),
        columns=texts(source.columns),
        order=scalar(source.order),
        timestamps=scalar(source.timestamps),
        within=scalar(source.within),
        strict=scalar(source.strict),
        max_ahead=scalar(source.max_ahead),
        max_ahead_written=scalar(source.max_ahead_written),
        idle_after=scalar(source.idle_after),
        keep=scalar(source.keep),
        options=mapping(options),
    )


def relation(source: RelationSource) -> Node:
    options: dict[str, Node] = {name: Text(value) for name, value in source.options}
    return call(
        "Nrr",
        name=Text(source.name),
        format=Text(source.format),
        path=scalar(source.path),
        schema=Text(source.schema),
        columns=texts(source.columns),
        version_by=scalar(source.version_by),
        key=texts(source.key),
        options=mapping(options),
    )


def query(output: QueryOutput) -> Node:
    named: dict[str, Node] = {
        "name": Text(output.name),
        "streams": texts(output.streams),
        "every": scalar(output.every),
    }
    if output.final_append:
        named["final_append"] = scalar(True)
    return call("Query", **named)
