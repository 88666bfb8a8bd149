"""What is known where the parser stopped: the token, what was possible, what stands before."""

from __future__ import annotations

from functools import cached_property

from .scan import Piece
from .source import Source, Span
from .value import value

_OPENING = {"(": ")", "[": "]"}


@value
class Situation:
    """A syntax error.

    `kind` is the terminal found ("$END" at the end of the text), `accepts` the terminals that could
    stand there, `before` the tokens of the statement up to it.
    """

    source: Source
    kind: str
    span: Span
    accepts: frozenset[str]
    before: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The token as written; empty at the end of the text."""
        return self.source.text[self.span.start : self.span.end] if self.kind != "$END" else ""

    @property
    def rest(self) -> str:
        """The text from the token on."""
        return self.source.text[self.span.start :]

    @property
    def upper(self) -> str:
        return self.text.upper()

    @property
    def last(self) -> Piece | None:
        """The token before."""
        return self.before[-1] if self.before else None

    def after(self, *words: str) -> bool:
        """Whether the token before is one of these."""
        return self.last is not None and self.last.upper in words

    def accept(self, *kinds: str) -> bool:
        """Whether all these terminals could stand here."""
        return self.accepts.issuperset(kinds)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the statement so far, in upper case."""
        return tuple(piece.upper for piece in self.before if piece.kind == "word")

    @cached_property
    def open(self) -> tuple[Piece, ...]:
        """The brackets that are open here, outermost first."""
        found: list[Piece] = []
        for piece in self.before:
            if piece.text in _OPENING:
                found.append(piece)
            elif found and piece.text == _OPENING[found[-1].text]:
                found.pop()
        return tuple(found)

    @cached_property
    def level(self) -> tuple[str, ...]:
        """The words since the innermost open bracket or the last SELECT behind it."""
        start = self.open[-1].span.end if self.open else 0
        words = [p.upper for p in self.before if p.kind == "word" and p.span.start >= start]
        last = max((i for i, word in enumerate(words) if word == "SELECT"), default=0)
        return tuple(words[last:])

    @cached_property
    def reading(self) -> str:
        """Which of CASE, BEGIN, BETWEEN, CAST and ROWS stands last before the token."""
        return next((w for w in reversed(self.words) if w in _OPENERS), "")


_OPENERS = {"CASE", "BEGIN", "BETWEEN", "CAST", "ROWS"}
