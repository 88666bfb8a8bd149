"""The lexer reads what Lark's contextual lexer reads, and stops where that stops."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import lark
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Token, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from reflow.grammar.cache import grammar_text, parser
from reflow.grammar.words import RESERVED, UNITS

TEXTS: Final = sorted((Path(__file__).parent / "accepted").glob("*.cql"))
PIECES: Final = (
    *sorted(RESERVED),
    *sorted(UNITS)[:6],
    *("stream", "Key", "rows", "range", "now", "json", "options", "emit", "into", "with", "log"),
    *(
        "x",
        "_t",
        "größe",
        "ıs",
        "selecta",
        "a1",
        "spark.sql.a-b",
        '"a b"',
        '"a""b"',
        "`c`",
        "'it''s'",
    ),
    *("1", "2.5", ".5", "1e+3", "5MINUTES", "'", '"', "`", "/*", "*/", "-- a\n", "/* a\n*/", "--"),
    *("(", ")", "[", "]", ",", ";", ".", "*", "/", "=", "<>", "<=", "<", "||", "+", "-", "%", ":"),
    *("\n", "  ", "\t", "#", "?", "é", "\x00"),
)


@cache
def model() -> lark.Lark:
    """The same grammar with Lark's own lexer."""
    return lark.Lark(
        grammar_text(),
        parser="lalr",
        lexer="contextual",
        start="script",
        propagate_positions=True,
        maybe_placeholders=False,
    )


def read(by: lark.Lark, text: str) -> Any:
    """All that Reflow uses of a tree, or of an error."""
    try:
        return shown(by.parse(text))
    except UnexpectedToken as error:
        token = error.token
        return ("token", token.type, str(token), place(error), set(error.accepts or error.expected))
    except UnexpectedCharacters as error:
        return ("characters", place(error), set(error.allowed))


def shown(node: Tree[Token] | Token) -> Any:
    if isinstance(node, Token):
        where = (node.start_pos, node.line, node.column, node.end_pos, node.end_line)
        return (node.type, str(node), *where, node.end_column)
    return (node.data, [shown(child) for child in node.children])


def place(error: UnexpectedInput) -> tuple[Any, ...]:
    return error.pos_in_stream, error.line, error.column


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_whole_texts(path: Path) -> None:
    text = path.read_text()
    assert read(parser(), text) == read(model(), text)


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_texts_with_pieces_put_in_and_cut_out(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS)).read_text()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.integers(0, 8))
        piece = data.draw(st.sampled_from(["", " ", *PIECES]))
        text = text[:at] + piece + text[at + gone :]
    assert read(parser(), text) == read(model(), text)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.sampled_from(["", " "]))
def test_pieces_in_any_order(pieces: list[str], between: str) -> None:
    text = between.join(pieces)
    assert read(parser(), text) == read(model(), text)
