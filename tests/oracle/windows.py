"""Windows: the half-open interval of validity that each gives to an element (DESIGN section 1)."""

from __future__ import annotations

from dataclasses import dataclass

Interval = tuple[int, int | None]


def round_up(value: int, step: int) -> int:
    """The least multiple of `step` that is not below `value`, negative values included."""
    return -(-value // step) * step


@dataclass(frozen=True)
class Range:
    """`[RANGE length]`, or `[RANGE length SLIDE slide]` with both ends rounded up."""

    length: int
    slide: int | None = None

    def interval(self, at: int) -> Interval:
        if self.slide is None:
            return at, at + self.length
        return round_up(at, self.slide), round_up(at + self.length, self.slide)


@dataclass(frozen=True)
class Now:
    """`[NOW]`: valid for one tick, or for one microsecond."""

    def interval(self, at: int) -> Interval:
        return at, at + 1


@dataclass(frozen=True)
class Unbounded:
    """`[UNBOUNDED]`: valid for ever."""

    def interval(self, at: int) -> Interval:
        return at, None


def tumble(length: int) -> Range:
    """`[TUMBLE length]` is `[RANGE length SLIDE length]`."""
    return Range(length, length)


Window = Range | Now | Unbounded
