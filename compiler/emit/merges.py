"""Merges: their declarations, their statements, and the contexts under which inputs run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from ..physical.calls import Merged
from ..physical.program import MergeSource, Step
from .layout import Block, Node, Raw, Text, call, mapping, scalar, texts
from .rows import ordering


def declared(source: MergeSource) -> Node:
    inputs: dict[str, Node] = {section: texts(moving) for section, moving in source.inputs}
    named: dict[str, Node] = {"name": Text(source.name), "inputs": mapping(inputs)}
    if source.lag:
        named["lag"] = scalar(source.lag)
    if source.section:
        named["section"] = Text(source.section)
    if source.held:
        named["held"] = scalar(True)
    if source.promised:
        named["promised"] = mapping({section: Text(text) for section, text in source.promised})
    return call("Merge", **named)


def merge(merged: Merged, step: Step) -> Node:
    pairs = zip(merged.inputs, step.inputs, strict=True)
    given: dict[str, Node] = {section: Raw(delta) for (_, section), delta in pairs}
    named: dict[str, Node] = {"of": Text(merged.of), "variant": Text(merged.variant)}
    if merged.policy != "eager":
        named["policy"] = Text(merged.policy)
    if merged.share is not None:
        named["share"] = Raw(repr(merged.share))
    if merged.cleansed:
        of = dict(merged.inputs)
        named["cleansed"] = texts([of[name] for name in merged.cleansed])
    if merged.rows:
        named["rows"] = scalar(True)
    if merged.tells:
        named["as_told"] = scalar(True)
    return call(
        "merged", Raw("e"), Text(step.id), mapping(given), **named, **ordering(merged.ordered)
    )


def contexts(steps: Sequence[Step]) -> dict[str, str]:
    """Section -> the name of its context, in the order in which they are entered."""
    found = dict.fromkeys(step.section for step in steps)
    return {section: f"e{i}" if section else "e" for i, section in enumerate(_own_first(found))}


def _own_first(sections: Mapping[str, None]) -> list[str]:
    return ["", *(section for section in sections if section)]


def under(node: Node, name: str) -> Node:
    """The expression with the epoch's context under another name."""
    match node:
        case Raw():
            return Raw(name) if node.code == "e" else node
        case Text():
            return node
        case Block():
            opening = node.opening
            if opening.startswith("e."):
                opening = name + opening.removeprefix("e")
            items = tuple((prefix, under(item, name)) for prefix, item in node.items)
            return replace(node, opening=opening, items=items)
        case _:
            assert_never(node)
