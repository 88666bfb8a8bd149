"""Statements of joins, of windows and with NRRs."""

from __future__ import annotations

from ..physical.calls import CompareSets, ExceptBy, JoinAsOf, JoinHalf, JoinPairs, JoinRelation
from ..physical.program import Step
from .layout import Node, Raw, Text, array, call, mapping, pair
from .literals import number


def join(pairs: JoinPairs, step: Step) -> Node:
    named: dict[str, Node] = {"equal": array([pair(a, b) for a, b in pairs.equal])}
    if pairs.condition is not None:
        named["condition"] = Text(pairs.condition)
    left, right = step.inputs
    function = "join_points" if pairs.points else "join"
    return call(function, Raw("e"), Text(step.id), Raw(left), Raw(right), **named)


def join_asof(join: JoinAsOf, step: Step) -> Node:
    named: dict[str, Node] = {"equal": array([pair(a, b) for a, b in join.equal])}
    if join.condition is not None:
        named["condition"] = Text(join.condition)
    if join.span is not None:
        named["span"] = Raw(number(join.span))
    left, right = step.inputs
    return call("join_asof", Raw("e"), Text(step.id), Raw(left), Raw(right), **named)


def semi_join(join: JoinHalf, step: Step) -> Node:
    named: dict[str, Node] = {"equal": array([pair(a, b) for a, b in join.equal])}
    if join.condition is not None:
        named["condition"] = Text(join.condition)
    if join.span is not None:
        named["span"] = Raw(number(join.span))
    left, right = step.inputs
    function = "anti_join" if join.anti else "semi_join"
    return call(function, Raw("e"), Text(step.id), Raw(left), Raw(right), **named)


def set_function(sets: CompareSets) -> str:
    """EXCEPT alone is called like a word of Python."""
    return "except_" if sets.kind == "except" else sets.kind.replace(" ", "_")


def set_operation(sets: CompareSets, step: Step) -> Node:
    left, right = step.inputs
    return call(set_function(sets), Raw("e"), Text(step.id), Raw(left), Raw(right))


def except_by(sets: ExceptBy, step: Step) -> Node:
    left, right = step.inputs
    named: dict[str, Node] = {"by": array([pair(a, b) for a, b in sets.by])}
    if sets.ordered:
        named["ordered"] = Raw("True")
    return call("except_all_by", Raw("e"), Text(step.id), Raw(left), Raw(right), **named)


def nrr_join(join: JoinRelation, step: Step) -> Node:
    columns: dict[str, Node] = {name: Text(of) for name, of in join.columns}
    named: dict[str, Node] = {
        "columns": mapping(columns),
        "equal": array([pair(a, b) for a, b in join.equal]),
    }
    if join.condition is not None:
        named["condition"] = Text(join.condition)
    if join.at is not None:
        named["at"] = Text(join.at)
    if join.outer:
        named["outer"] = Raw("True")
    if join.corrected:
        named["corrected"] = Raw("True")
    delta = Raw(step.inputs[0])
    return call("nrr_join", Raw("e"), Text(step.id), delta, Text(join.relation), **named)
