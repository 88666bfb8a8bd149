"""An entry of a merge while an epoch works on it: SQL text, a level of SELECT for each step.

Columns: those of the event, `_known` (earlier epochs left the entry), `_was` (as they left it, a
struct of `_ve`, `_ends`, `_out` and `_disputed`), `_x<i>` (what input i tells of it), `_e<i>` (what
input i has said), `_out` (what the output has said), `_disputed`, `_gone` (all is said about it).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

ENDS: Final = "_ends"
OUT: Final = "_out"
DISPUTED: Final = "_disputed"
GONE: Final = "_gone"
KNOWN: Final = "_known"
WAS: Final = "_was"
IN: Final = "_in"
STORED: Final = -1
"""The `_in` of what is stored."""


def end(place: int) -> str:
    return f"_e{place}"


def told(place: int) -> str:
    return f"_x{place}"


@dataclass(frozen=True)
class Flight:
    """`event`: the columns of a row and its start, as SQL; `inputs`: how many are attached;
    `telling`: the places of those that tell something in this epoch.
    """

    event: tuple[str, ...]
    inputs: int
    telling: tuple[int, ...]

    @property
    def ends(self) -> list[str]:
        return [end(i) for i in range(self.inputs)]

    @property
    def columns(self) -> list[str]:
        told_of = [told(i) for i in self.telling]
        return [*self.event, KNOWN, WAS, *told_of, *self.ends, OUT, DISPUTED, GONE]

    def level(self, source: str, changed: Mapping[str, str]) -> str:
        """SQL: the entries of `source` with some columns changed, each where nothing is gone."""
        columns = [
            f"CASE WHEN {GONE} THEN {name} ELSE {changed[name]} END AS {name}"
            if name in changed
            else name
            for name in self.columns
        ]
        return f"SELECT {', '.join(columns)} FROM ({source})"


def either(conditions: Sequence[str]) -> str:
    return " OR ".join(f"({condition})" for condition in conditions) or "FALSE"
