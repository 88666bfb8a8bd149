"""A sample of the rows of an archive (REVISE BY APPROXIMATE; DESIGN section 5). Which rows are
drawn follows from their key: it is the same in every reading, and a smaller sample lies in a
larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..connect.declarations import Stream
from ..elements.columns import POS, big, quote, string

SEED: Final = 0
"""Another one draws other rows."""


@dataclass(frozen=True)
class Sample:
    """So many of a hundred rows, each of which stands for `weight` rows."""

    percent: int
    seed: int = SEED

    @property
    def weight(self) -> int:
        return 100 // self.percent

    def of(self, rows: int) -> int:
        """About how many of so many rows are drawn."""
        return -(-rows * self.percent // 100)

    def identity(self, stream: Stream, struct: str) -> str:
        """SQL over a row of a landed file: a number of its own, as far as 64 bits go. What
        withdraws a row has the same.

        Without a key, a row is what came at its place in the order of arrival.
        """
        own = [f"{struct}.{quote(column)}" for column in stream.key] or [POS]
        return f"xxhash64({big(self.seed)}, {string(stream.name)}, {', '.join(own)})"

    def condition(self, stream: Stream, struct: str) -> str:
        """SQL: the row is drawn."""
        return f"pmod({self.identity(stream, struct)}, 100L) < {self.percent}"
