"""Update patterns: the lattice MON < WKS < WK < STR, and how the end of a row becomes known (UPA
3)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Literal

from reflow.grammar.value import value

Ends = Literal["never", "announced", "replaced", "signalled"]
Lifetime = tuple[int, int | None, str | None]


class Kind(IntEnum):
    """How rows leave an edge; a larger kind allows all that a smaller one does.

    MON: never. WKS: in the order in which they came. WK: at a time known when they come, in any
    order. STR: whenever a negative tuple says so.
    """

    MON = 0
    WKS = 1
    WK = 2
    STR = 3


@value
class UpdatePattern:
    """The pattern of an edge.

    `key` is set where `ends` is "replaced": a new row with this key replaces the old one.
    `lifetime` (length, slide, zone) is set for WKS: rows leave in order because all of them live
    equally long.
    """

    kind: Kind
    ends: Ends
    key: tuple[str, ...] = ()
    lifetime: Lifetime | None = None

    @property
    def label(self) -> str:
        return self.kind.name

    def __str__(self) -> str:
        match self.ends:
            case "never":
                return self.label
            case "replaced":
                key = ", ".join(self.key)
                return f"{self.label} replaced({key})" if key else f"{self.label} replaced"
            case _:
                return f"{self.label} {self.ends}"


MON = UpdatePattern(Kind.MON, "never")
WK = UpdatePattern(Kind.WK, "announced")
LATER = UpdatePattern(Kind.WK, "signalled")
"""Rows end when later rows say so, without negation: count windows and sessions."""
STR = UpdatePattern(Kind.STR, "signalled")


def wks(lifetime: Lifetime) -> UpdatePattern:
    return UpdatePattern(Kind.WKS, "announced", lifetime=lifetime)


def replaced(key: Iterable[str]) -> UpdatePattern:
    return UpdatePattern(Kind.WK, "replaced", key=tuple(key))


def merge(patterns: Iterable[UpdatePattern]) -> UpdatePattern:
    """The least pattern of rows that come from all of these edges, mixed.

    Rows of two lifetimes no longer leave in the order in which they came: WKS becomes WK.
    """
    distinct = list(dict.fromkeys(patterns))
    if len(distinct) == 1:
        return distinct[0]
    if any(p.ends in ("replaced", "signalled") for p in distinct):
        return STR
    return WK
