"""What the parse tree says about single words: keyword or name, and which touch their neighbour."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field

from lark import Token, Tree

from .words import Word

_NAMES = frozenset({"NAME", "QUOTED_NAME", "SETTING_NAME", "STRING", "NUMBER"})
_NAME_RULES = frozenset(
    {"soft_column_name", "soft_merge_name", "soft_query_name", "soft_word", "alias"}
)
_UNARY = frozenset({"neg", "pos", "bitwise_not", "minus"})
_READ = (
    _NAME_RULES | _UNARY | {"not_", "function", "cast", "extract", "percent", "element_of", "type"}
)
TIGHT = frozenset({",", ";", ")", "]", ".", ":"})


@dataclass
class Roles:
    """Start offsets of words: of keywords used as names, of the names of types, of words with no
    blank before them or behind them."""

    names: set[int] = field(default_factory=set)
    types: set[int] = field(default_factory=set)
    tight_before: set[int] = field(default_factory=set)
    tight_behind: set[int] = field(default_factory=set)

    def is_keyword(self, token: Token) -> bool:
        """Whether the case of its letters means nothing."""
        if token.start_pos in self.types:
            return True
        return token.type not in _NAMES and token.start_pos not in self.names

    def shown(self, token: Token) -> str:
        """The text in house style: keywords and types in capitals, all else as written."""
        return str(token).upper() if self.is_keyword(token) else str(token)

    def gap(self, left: Token, right: Token) -> str:
        """What stands between two words on one line: a blank or nothing."""
        if left.endswith("-") and right.startswith("-"):
            return " "
        if left.type == "NUMBER" and right.startswith("."):
            return " "
        touching = (
            right in TIGHT
            or left in ("(", "[", ".")
            or right.start_pos in self.tight_before
            or left.start_pos in self.tight_behind
        )
        return "" if touching else " "


def roles_of(tree: Tree[Token], words: list[Word]) -> Roles:
    """Reads the roles of all words from the tree of the whole text."""
    roles = Roles()
    starts = [_start(word.token) for word in words]
    for node in tree.iter_subtrees():
        if node.meta.empty:
            continue
        last = bisect_left(starts, node.meta.end_pos)
        if node.data in _READ:
            _read(node, roles, words[bisect_left(starts, node.meta.start_pos) : last])
    return roles


def _read(node: Tree[Token], roles: Roles, inside: list[Word]) -> None:
    first = node.meta.start_pos
    if node.data in _NAME_RULES:
        roles.names.add(first)
    elif node.data in _UNARY or (node.data == "not_" and inside[0].text == "!"):
        roles.tight_behind.add(first)
    elif node.data in ("function", "cast", "extract"):
        roles.tight_before.add(_start(_first(inside, "(")))
    elif node.data == "percent":
        roles.tight_before.add(_start(_first(inside, "%")))
    elif node.data == "element_of":
        roles.tight_before.add(_start(_opening(node, inside)))
    elif node.data == "type":
        _read_type(roles, inside)


def _first(inside: Iterable[Word], text: str) -> Token:
    return next(word.token for word in inside if word.text == text)


def _opening(node: Tree[Token], inside: list[Word]) -> Token:
    """The bracket of a subscript: the first word behind what is subscripted."""
    base = node.children[0]
    end = base.meta.end_pos if isinstance(base, Tree) else base.end_pos
    return next(word.token for word in inside if _start(word.token) >= (end or 0))


def _start(token: Token) -> int:
    return token.start_pos or 0


def _read_type(roles: Roles, inside: list[Word]) -> None:
    """A type holds no blank before its brackets, `ARRAY<INT>` and `DECIMAL(10, 2)`."""
    if inside[0].token.type == "NAME":
        roles.types.add(_start(inside[0].token))
    for word in inside:
        if word.text in ("<", "(", ">"):
            roles.tight_before.add(_start(word.token))
        if word.text == "<":
            roles.tight_behind.add(_start(word.token))
