"""Statements of sinks, and of holding rows back before them."""

from __future__ import annotations

from ..physical.calls import Deliver, Hold
from ..physical.program import Step
from .layout import Node, Raw, Text, call, mapping, scalar, texts


def hold(until: Hold, step: Step) -> Node:
    return call("hold", Raw("e"), Text(step.id), Raw(step.inputs[0]), until=Text(until.until))


def sink(deliver: Deliver, step: Step) -> Node:
    options: dict[str, Node] = {name: Text(value) for name, value in deliver.options}
    return call(
        "sink",
        Raw("e"),
        Text(deliver.query),
        Raw(step.inputs[0]),
        format=Text(deliver.format),
        path=scalar(deliver.path),
        mode=Text(deliver.mode),
        names=texts(deliver.names),
        key=texts(deliver.key),
        emit=Text(deliver.emit),
        timestamps=scalar(deliver.timestamps),
        options=mapping(options),
    )
