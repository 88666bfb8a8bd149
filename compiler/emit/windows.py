"""Statements of windows."""

from __future__ import annotations

from ..physical.calls import WindowRange, WindowRows, WindowSession
from ..physical.program import Step
from .layout import Node, Raw, Text, call, scalar, texts


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


def keep_rows(step: Step) -> Node:
    return call("keep_rows", Raw("e"), Text(step.id), Raw(step.inputs[0]))


def rows_window(window: WindowRows, step: Step) -> Node:
    named: dict[str, Node] = {"rows": scalar(window.rows)}
    if window.by:
        named["by"] = texts(window.by)
    if window.slide is not None:
        named["slide"] = scalar(window.slide)
    if window.length is not None:
        named["length"] = scalar(window.length)
    named |= _flags(window)
    if window.recorded:
        named["recorded"] = scalar(True)
    return call("rows_window", Raw("e"), Text(step.id), Raw(step.inputs[0]), **named)


def session_window(window: WindowSession, step: Step) -> Node:
    named: dict[str, Node] = {"gap": scalar(window.gap), "by": texts(window.by)}
    named |= _flags(window)
    return call("session_window", Raw("e"), Text(step.id), Raw(step.inputs[0]), **named)


def _flags(window: WindowRows | WindowSession) -> dict[str, Node]:
    """What is only said where it is so."""
    flags = {"net": window.net, "ordered": window.ordered}
    return {name: scalar(True) for name, is_so in flags.items() if is_so}
