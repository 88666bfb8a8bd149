"""Python expressions laid out to a width: one line where it fits, else one item a line.

The result is what `ruff format` leaves as it is, so that programs look alike and stay so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias, assert_never

from reflow.grammar.value import value

from .literals import number, string

WIDTH = 100
_STEP = "    "


@value
class Raw:
    """Code that is never broken: a name, a number, None."""

    code: str


@value
class Text:
    """A string; a long one is broken at blanks."""

    value: str


@value
class Block:
    """`opening item, item, … closing`; an item is (prefix, node), the prefix being `name=` or `key:
    `."""

    opening: str
    items: tuple[tuple[str, Node], ...]
    closing: str


Node: TypeAlias = "Raw | Text | Block"


def call(function: str, *positional: Node, **named: Node) -> Block:
    """A call; keyword arguments in the order given."""
    items = [("", node) for node in positional] + [(f"{k}=", node) for k, node in named.items()]
    return Block(f"{function}(", tuple(items), ")")


def array(items: Sequence[Node]) -> Block:
    return Block("[", tuple(("", node) for node in items), "]")


def texts(items: Sequence[str]) -> Block:
    return array([Text(item) for item in items])


def mapping(items: Mapping[str, Node]) -> Block:
    return Block("{", tuple((f"{string(key)}: ", node) for key, node in items.items()), "}")


def pair(left: str, right: str) -> Block:
    return Block("(", (("", Text(left)), ("", Text(right))), ")")


def scalar(value: str | int | bool | None) -> Node:
    match value:
        case str():
            return Text(value)
        case bool() | None:
            return Raw(repr(value))
        case int():
            return Raw(number(value))
        case _:
            assert_never(value)


def statement(prefix: str, node: Node, indent: str = "") -> str:
    """`prefix` and the expression, from `indent` on, without a line break at the end."""
    return indent + prefix + _laid_out(node, indent, len(indent) + len(prefix), 0)


def _flat(node: Node) -> str:
    match node:
        case Raw():
            return node.code
        case Text():
            return string(node.value)
        case Block():
            inner = ", ".join(prefix + _flat(item) for prefix, item in node.items)
            return node.opening + inner + node.closing
        case _:
            assert_never(node)


def _laid_out(node: Node, indent: str, column: int, after: int) -> str:
    """The node from a column on, `after` characters following on its last line."""
    flat = _flat(node)
    if column + len(flat) + after <= WIDTH or not isinstance(node, Block) or not node.items:
        return flat
    inner = indent + _STEP
    lines = [inner + prefix + _item(prefix, item, inner) + "," for prefix, item in node.items]
    return "\n".join([node.opening, *lines, indent + node.closing])


def _item(prefix: str, node: Node, indent: str) -> str:
    column = len(indent) + len(prefix)
    if not isinstance(node, Text) or column + len(_flat(node)) + 1 <= WIDTH:
        return _laid_out(node, indent, column, 1)
    deeper = indent + _STEP if prefix else indent
    pieces = [string(piece) for piece in _pieces(node.value, WIDTH - len(deeper) - 3)]
    if len(pieces) == 1:
        return pieces[0]
    if not prefix:
        return f"\n{indent}".join(pieces)
    return "(\n" + "\n".join(deeper + piece for piece in pieces) + f"\n{indent})"


def _pieces(text: str, width: int) -> list[str]:
    """The text cut after blanks so that each literal fits, as far as blanks allow."""
    pieces = [""]
    for word in re.findall(r"[^ ]* |[^ ]+", text):
        if pieces[-1] and len(string(pieces[-1] + word)) - 2 > width:
            pieces.append("")
        pieces[-1] += word
    return pieces
