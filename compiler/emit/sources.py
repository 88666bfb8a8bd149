"""Declarations of streams, relations and queries at the head of a program.

What is as the runtime would have it anyway is left out.
"""

from __future__ import annotations

from ..physical.calls import Deliver
from ..physical.program import QueryOutput, RelationSource, StreamSource
from .layout import Node, Raw, Text, call, mapping, scalar, texts

_DEFAULTS = {
    "path": Raw("None"),
    "order": Raw("None"),
    "timestamps": Raw("True"),
    "within": Raw("0"),
    "strict": Raw("False"),
    "max_ahead": Raw("None"),
    "max_ahead_written": Raw("False"),
    "idle_after": Raw("None"),
    "ordered": Raw("False"),
    "keep": Raw("None"),
    "relation": Raw("False"),
    "envelopes": Raw("False"),
    "kept": Raw("None"),
    "kept_rows": Raw("None"),
    "bucket": Raw("None"),
    "in_place": Raw("False"),
    "read_as_arrived": Raw("False"),
    "operation": Raw("None"),
    "marks": mapping({}),
    "elements": texts(()),
    "merged": Raw("False"),
    "skips": mapping({}),
    "heeds": mapping({}),
    "version_by": Raw("None"),
    "key": texts(()),
    "options": mapping({}),
    "every": Raw("None"),
    "final_append": Raw("False"),
    "format": Text("console"),
}


def stream(source: StreamSource) -> Node:
    return _declared(
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
        ordered=scalar(source.ordered),
        keep=scalar(source.keep),
        relation=scalar(source.relation),
        envelopes=scalar(source.envelopes),
        kept=scalar(source.kept),
        kept_rows=scalar(source.kept_rows),
        bucket=scalar(source.bucket),
        in_place=scalar(source.in_place),
        read_as_arrived=scalar(source.read_as_arrived),
        key=texts(source.key),
        operation=scalar(source.operation),
        marks=mapping({mark: Text(kind) for mark, kind in source.marks}),
        elements=texts(source.elements),
        merged=scalar(source.merged),
        skips=mapping({merge: scalar(need) for merge, need in source.skips}),
        heeds=mapping({query: scalar(need) for query, need in source.heeds}),
        options=_options(source.options),
    )


def relation(source: RelationSource) -> Node:
    return _declared(
        "Nrr",
        name=Text(source.name),
        format=Text(source.format),
        path=scalar(source.path),
        schema=Text(source.schema),
        columns=texts(source.columns),
        version_by=scalar(source.version_by),
        key=texts(source.key),
        options=_options(source.options),
    )


def query(output: QueryOutput, sink: Deliver) -> Node:
    return _declared(
        "Query",
        name=Text(output.name),
        streams=texts(output.streams),
        every=scalar(output.every),
        final_append=scalar(output.final_append),
        format=Text(sink.format),
        path=scalar(sink.path),
    )


def _options(options: tuple[tuple[str, str], ...]) -> Node:
    values: dict[str, Node] = {name: Text(value) for name, value in options}
    return mapping(values)


def _declared(kind: str, **named: Node) -> Node:
    written = {name: node for name, node in named.items() if _DEFAULTS.get(name) != node}
    return call(kind, **written)
