"""A coarse look at CQL text that needs no grammar: words, literals and symbols, comments left out.

Used where a syntax error has to be explained or stepped over, so it accepts any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .source import Span

_PIECE = re.compile(
    r"(?P<comment>--[^\n]*|/\*[\s\S]*?\*/|\s+)"
    r"|(?P<string>'[^']*(?:''[^']*)*')"
    r"|(?P<name>\"[^\"]*(?:\"\"[^\"]*)*\"|`[^`]*(?:``[^`]*)*`)"
    r"|(?P<number>(?:\d|\.\d)[\w.]*)"
    r"|(?P<word>\w+)"
    r"|(?P<symbol>[\s\S])"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """One token. `kind` is "string", "name" (quoted), "number", "word" or "symbol"."""

    kind: str
    text: str
    span: Span

    @property
    def upper(self) -> str:
        return self.text.upper() if self.kind == "word" else self.text


def pieces(text: str, start: int = 0) -> Iterator[Piece]:
    """The tokens of the text from an offset on."""
    for match in _PIECE.finditer(text, start):
        kind = match.lastgroup
        if kind is not None and kind != "comment":
            yield Piece(kind, match.group(), Span(*match.span()))


def statement_before(text: str, start: int, end: int) -> list[Piece]:
    """The tokens of the unfinished statement in `[start, end)`: all those behind its last `;`."""
    found: list[Piece] = []
    for piece in pieces(text, start):
        if piece.span.start >= end:
            break
        if piece.text == ";":
            found.clear()
        else:
            found.append(piece)
    return found


def after_semicolon(text: str, start: int) -> int | None:
    """The offset behind the next `;`, or None if there is none with something behind it."""
    behind = None
    for piece in pieces(text, start):
        if behind is not None:
            return behind
        if piece.text == ";":
            behind = piece.span.end
    return None
