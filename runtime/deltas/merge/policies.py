"""When a merge puts out what it has heard of (LMERGE V-A; DESIGN section 6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Name = Literal["eager", "chatty", "half frozen", "conservative", "follow leader", "fraction"]


@dataclass(frozen=True)
class Policy:
    """`share` belongs to FRACTION: the part of the attached inputs that must have a row."""

    name: Name = "eager"
    share: float = 0.0

    @property
    def is_chatty(self) -> bool:
        return self.name == "chatty"

    @property
    def is_conservative(self) -> bool:
        """An event is put out once, when its end is certain."""
        return self.name == "conservative"

    @property
    def looks_again(self) -> bool:
        """Whether rows come out because other inputs lead or have left."""
        return self.name in ("follow leader", "fraction")

    def needed(self, attached: int) -> int:
        """FRACTION: how many inputs must have a row."""
        return max(1, math.ceil(self.share * attached))

    def copies(self, counts: Sequence[str], leader: int | None, attached: int) -> str:
        """SQL: how many copies of a row may be out before a stable demands them.

        `counts`: SQL, of each input how many copies it has; `leader`: its place; `attached`: how
        many inputs count for FRACTION.
        """
        match self.name:
            case "eager" | "chatty":
                return f"array_max(array({', '.join(counts)}))"
            case "half frozen" | "conservative":
                return "0"
            case "follow leader":
                return "0" if leader is None else counts[leader]
            case "fraction":
                place = self.needed(attached) - 1
                most_first = f"sort_array(array({', '.join(counts)}), false)"
                return f"coalesce(get({most_first}, {place}), 0)"
