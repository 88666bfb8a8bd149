"""When a merge puts out what it has heard of (LMERGE V-A; DESIGN section 6)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Policy:
    """`share` belongs to FRACTION: the part of the attached inputs that must have a row."""

    name: Literal["eager", "chatty", "half frozen", "conservative", "follow leader", "fraction"]
    share: float = 0.0

    def copies(self, had: Mapping[str, int], leader: str | None, attached: int) -> int:
        """How many copies of a row may be out before a stable demands them: `had` says of each
        input that has the row how many copies it has.
        """
        counts = sorted((n for n in had.values() if n > 0), reverse=True)
        match self.name:
            case "eager" | "chatty":
                return max(counts, default=0)
            case "half frozen" | "conservative":
                return 0
            case "follow leader":
                return had.get(leader, 0) if leader is not None else 0
            case "fraction":
                needed = max(1, math.ceil(self.share * attached))
                return counts[needed - 1] if len(counts) >= needed else 0


EAGER = Policy("eager")
CHATTY = Policy("chatty")
HALF_FROZEN = Policy("half frozen")
CONSERVATIVE = Policy("conservative")
FOLLOW_LEADER = Policy("follow leader")


def fraction(share: float) -> Policy:
    return Policy("fraction", share)
