"""Statements of windows."""

from __future__ import annotations

from ..physical.calls import WindowRange
from ..physical.program import Step
from .layout import Node, Raw, call, scalar


def window_range(window: WindowRange, step: Step) -> Node:
    named: dict[str, Node] = {}
    if window.slide is not None:
        named["slide"] = scalar(window.slide)
    if window.zone is not None:
        named["zone"] = scalar(window.zone)
    return call("window_range", Raw(step.inputs[0]), scalar(window.length), **named)


def window_now(step: Step) -> Node:
    return call("window_now", Raw(step.inputs[0]))


def window_unbounded(step: Step) -> Node:
    return call("window_unbounded", Raw(step.inputs[0]))
