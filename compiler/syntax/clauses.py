"""The clauses that end a query, and settings."""

from __future__ import annotations

from typing import Any

from lark import Token

from .fold import Fold, Node, Part, part
from .nodes import Emit, Every, Into, Name, Option, Revise, SetSetting
from .words import Words, unquoted


class Clauses(Words):
    """Handlers of REVISE BY, EMIT, EVERY, INTO, OPTIONS and SET."""

    def revise(self, node: Node) -> Revise:
        technique = " ".join(node.words[2:]).lower()
        return Revise(technique, part(node, "percent"), node.span)

    def emit(self, node: Node) -> Emit:
        when: Any = node.words[1].lower()
        return Emit(when, node.span)

    def every(self, node: Node) -> Every:
        return Every(node.children[0], node.span)

    def into(self, node: Node) -> Into:
        paths = node.tokens("STRING")
        mode, key = labelled_once(self, node, "mode", "AS") or (None, ())
        return Into(
            format=part(node, "format"),
            path=unquoted(paths[0]) if paths else None,
            mode=mode,
            key=key,
            options=labelled_once(self, node, "options", "OPTIONS") or (),
            span=node.span,
        )

    def sink_format(self, node: Node) -> Part:
        return Part("format", node.words[0].lower(), node.span)

    def into_mode(self, node: Node) -> Part:
        return Part("mode", (node.words[1].lower(), tuple(node.all(Name))), node.span)

    def options(self, node: Node) -> Part:
        options = tuple(node.all(Option))
        seen: set[str] = set()
        for option in options:
            if option.name.lower() in seen:
                self.refuse("RF1011", f"the option {option.name} is given twice", option.span)
            seen.add(option.name.lower())
        return Part("options", options, node.span)

    def option(self, node: Node) -> Option:
        name, value = node.children
        return Option(name, value.value, node.span)

    def option_name(self, node: Node) -> str:
        token: Token = node.children[0]
        return self.as_name(token).text

    def set_setting(self, node: Node) -> SetSetting:
        name, value = node.children
        return SetSetting(name, value.value, node.span)

    def setting_name(self, node: Node) -> str:
        return str(node.children[0])


def labelled_once(fold: Fold, node: Node, label: str, what: str) -> Any:
    """The value of the only part with the label; a second one is refused."""
    found = [p for p in node.all(Part) if p.label == label]
    for extra in found[1:]:
        fold.refuse("RF1011", f"{what} is given twice", extra.span)
    return found[0].value if found else None
