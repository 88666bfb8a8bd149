"""Elements of physical streams (DESIGN section 1; LMERGE II, III).

Times are whole numbers, or INFINITY. An event `(row, vs, ve)` is valid in `[vs, ve)`. After
`Stable(t)` no element may come that changes anything before t: an insert has `vs >= t`, an adjust
has both ends `>= t` (so that a cancel, which ends an event at its `vs`, has `vs >= t`).

Of a stream that is stable to t, an event is *fully frozen* where `ve < t`, *half frozen* where
`vs < t <= ve` (it is there, its end is at t or later), else *unfrozen*.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

Row: TypeAlias = Hashable
Time: TypeAlias = float
INFINITY: Time = math.inf


@dataclass(frozen=True)
class Insert:
    row: Row
    vs: Time
    ve: Time


@dataclass(frozen=True)
class Adjust:
    """The event that ended at `old` ends at `ve`; there is no such event where `ve == vs`."""

    row: Row
    vs: Time
    old: Time
    ve: Time


@dataclass(frozen=True)
class Stable:
    t: Time


Element: TypeAlias = Insert | Adjust | Stable
Key: TypeAlias = tuple[Time, Row]


def is_fully_frozen(ve: Time, t: Time) -> bool:
    """Whether an event that ends at ve can no longer change when the stream is stable to t; after
    stable ∞ nothing can, an end at ∞ neither.
    """
    return ve < t or t == INFINITY


def ordered(keys: Iterable[Key]) -> list[Key]:
    """By start; rows that start together in an order that is the same every time."""
    return sorted(keys, key=lambda key: (key[0], repr(key[1])))


def allowed_stable(later: Iterable[Element]) -> Time:
    """The largest t of a stable that may stand before these elements."""
    least = INFINITY
    for element in later:
        match element:
            case Insert(vs=vs):
                least = min(least, vs)
            case Adjust(old=old, ve=ve):
                least = min(least, old, ve)
            case Stable():
                pass
    return least
