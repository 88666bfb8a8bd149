"""Names, numbers and strings: the smallest pieces."""

from __future__ import annotations

import re

from lark import Token

from reflow.grammar.words import NEEDS_AS, UNITS

from .fold import Fold, Node, Part, token_span
from .nodes import Name

_WHOLE = re.compile(r"\d+")
_DECIMAL = re.compile(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NUMBER_AND_LETTERS = re.compile(r"(\d+)([^\W\d_]\w*)")

# Words that Spark SQL or another dialect has there and Reflow has not, with the way to say it.
_FOREIGN = {
    "LIMIT": "LIMIT is not part of the language: a continuous query has no last row",
    "CROSS": "CROSS JOIN is not part of the language: write FROM a, b",
    "SEMI": "SEMI JOIN is not part of the language: write WHERE EXISTS (…)",
    "ANTI": "ANTI JOIN is not part of the language: write WHERE NOT EXISTS (…)",
}


class Words(Fold):
    """Handlers of `name`, `alias`, `path`, `percent`, `value` and the soft words."""

    def name(self, node: Node) -> Name:
        return self.as_name(node.children[0])

    new_name = name
    tried_name = name

    def as_name(self, token: Token) -> Name:
        """A name token without its quotes."""
        span = token_span(token)
        if token.type != "QUOTED_NAME":
            return Name(str(token), span)
        quote = token[0]
        text = token[1:-1].replace(quote * 2, quote)
        if not text:
            self.refuse("RF1017", "a name cannot be empty", span)
        return Name(text, span, quoted=True)

    def soft_word(self, node: Node) -> Name:
        """A keyword that serves as a name, spelt as in the source."""
        return Name(self.text(node.span), node.span)

    soft_column_name = soft_word
    soft_merge_name = soft_word
    soft_query_name = soft_word

    def field_name(self, node: Node) -> Name:
        return self.as_name(node.children[0])

    def alias(self, node: Node) -> Name:
        """An alias without AS: some words need it there."""
        if not node.children:
            return self.soft_word(node)
        name = self.as_name(node.children[0])
        word = name.text.upper()
        if not name.quoted and word in NEEDS_AS:
            self.refuse(
                "RF1010", f"`{name.text}` needs AS to be an alias", name.span, hint=_as_hint(word)
            )
        return name

    def path(self, node: Node) -> tuple[Name, ...]:
        head = node.children[0]
        return (*head, node.children[1]) if isinstance(head, tuple) else (head,)

    def percent(self, node: Node) -> Part:
        return Part("percent", self.decimal(node.children[0]), node.span)

    def minus(self, node: Node) -> Part:
        return Part("minus", True, node.span)

    def value(self, node: Node) -> Part:
        """A literal of SET or OPTIONS: string, number or boolean."""
        if node.words:
            return Part("value", node.words[0] == "TRUE", node.span)
        token = node.children[-1]
        if token.type == "STRING":
            return Part("value", unquoted(token), node.span)
        sign = -1 if len(node.children) > 1 else 1
        number = self.decimal(token)
        whole = _WHOLE.fullmatch(token)
        return Part("value", sign * (int(token) if whole else number), node.span)

    def whole(self, token: Token) -> int:
        """A whole number without suffix."""
        if _WHOLE.fullmatch(token) and token.isascii():
            return int(token)
        self.refuse(
            "RF1012", "a whole number is needed here", token_span(token), hint=_number_hint(token)
        )
        return 1

    def decimal(self, token: Token) -> float:
        """A number without suffix."""
        if _DECIMAL.fullmatch(token) and token.isascii():
            return float(token)
        self.refuse("RF1012", "this is not a number", token_span(token), hint=_number_hint(token))
        return 1.0


def unquoted(token: Token) -> str:
    """The characters that a string literal stands for."""
    return token[1:-1].replace("''", "'")


def _as_hint(word: str) -> str:
    if word in _FOREIGN:
        return _FOREIGN[word]
    if word in UNITS:
        return f"write AS {word}; or, if an interval was meant, INTERVAL before an unsigned number"
    return f'write AS {word}, or quote it: "{word}"'


def _number_hint(token: Token) -> str:
    glued = _NUMBER_AND_LETTERS.fullmatch(token)
    if glued and glued.group(2).upper() in UNITS | {"ROWS", "BLOCKS"}:
        return f"write `{glued.group(1)} {glued.group(2)}`, with a space"
    if glued:
        return f"numbers have no suffix here: write {glued.group(1)}"
    return ""
