"""Column types: Spark's, as its DDL text."""

from __future__ import annotations

from difflib import get_close_matches

from sqlglot import exp

from reflow.grammar.source import Span
from reflow.grammar.value import value
from reflow.grammar.words import words

from .fold import Nests, Node
from .nodes import Name
from .words import Words

# Plain types, and how many numbers in brackets they take at least and at most.
_NUMBERS = {
    **dict.fromkeys(
        words(
            """
            BOOLEAN TINYINT BYTE SMALLINT SHORT INT INTEGER BIGINT LONG FLOAT REAL DOUBLE STRING
            BINARY DATE TIMESTAMP TIMESTAMP_NTZ TIMESTAMP_LTZ VARIANT
            """
        ),
        (0, 0),
    ),
    **dict.fromkeys(("DECIMAL", "DEC", "NUMERIC"), (0, 2)),
    **dict.fromkeys(("CHAR", "CHARACTER", "VARCHAR"), (1, 1)),
}
# What other systems call them.
_FOREIGN = {
    "TEXT": "STRING",
    "BOOL": "BOOLEAN",
    "DATETIME": "TIMESTAMP",
    "NUMBER": "DECIMAL(p, s)",
    "INT8": "TINYINT",
    "INT16": "SMALLINT",
    "INT32": "INT",
    "INT64": "BIGINT",
    "FLOAT32": "FLOAT",
    "FLOAT64": "DOUBLE",
    "BLOB": "BINARY",
    "TIMESTAMPTZ": "TIMESTAMP",
}


@value
class Type(Nests):
    """A type as Spark DDL text."""

    text: str
    span: Span


class Types(Words):
    """Handlers of `type` and `field`."""

    def type(self, node: Node) -> Type:
        nested = node.all(Type)
        if nested:
            inside = ",".join(inner.text for inner in nested)
            return Type(f"{node.words[0]}<{inside}>", node.span)
        if node.words[:1] == ("INTERVAL",):
            return Type(" ".join(self.text(node.span).upper().split()), node.span)
        if node.words:
            return Type(node.words[0], node.span)
        return self._plain(node)

    def _plain(self, node: Node) -> Type:
        name, *numbers = node.children
        word = name.upper()
        if word not in _NUMBERS:
            near = _FOREIGN.get(word) or next(iter(get_close_matches(word, _NUMBERS, 1)), "")
            hint = f"did you mean {near}?" if near else "the types are those of Spark SQL"
            self.refuse("RF1014", f"there is no type `{name}`", node.span, hint=hint)
            return Type("STRING", node.span)
        least, most = _NUMBERS[word]
        if not least <= len(numbers) <= most:
            wanted = (
                "no number" if most == 0 else "a length, as in CHAR(4)" if least else "two numbers"
            )
            self.refuse("RF1014", f"{word} takes {wanted} in brackets", node.span)
            numbers = ["1"] * least
        inside = ",".join(str(self.whole(number)) for number in numbers)
        return Type(f"{word}({inside})" if inside else word, node.span)

    def field(self, node: Node) -> Type:
        """`name: type` within a STRUCT."""
        name: Name = node.children[0]
        text = name.text
        if name.quoted or not text.isascii():
            text = "`" + text.replace("`", "``") + "`"
        return Type(f"{text}:{node.children[1].text}", node.span)


def data_type(written: Type) -> exp.DataType:
    """The type for sqlglot."""
    return exp.DataType.build(written.text, dialect="spark")
