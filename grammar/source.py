"""Source text and the spans that point into it."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field

from .value import value


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of character offsets `[start, end)` in one Source."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The smallest span that covers both."""
        return Span(min(self.start, other.start), max(self.end, other.end))

    def __deepcopy__(self, memo: object) -> Span:
        """Itself: it never changes, and every copy of an expression would copy its spans."""
        return self


@value
class Source:
    """The text of one `.cql` file, in Unicode NFC and without a byte order mark."""

    path: str
    text: str
    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False, default=())

    def __post_init__(self) -> None:
        text = unicodedata.normalize("NFC", self.text.removeprefix("\ufeff"))
        starts = [0] + [i + 1 for i, char in enumerate(text) if char == "\n"]
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "_starts", tuple(starts))

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1, columns in characters."""
        line = bisect_right(self._starts, offset) - 1
        return line + 1, offset - self._starts[line] + 1

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its line break."""
        start = self._starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end].rstrip("\r")
