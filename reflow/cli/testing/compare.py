"""Rows as asserted against rows as they are: both multisets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Compared:
    """Rows in both, rows that were asserted and are missing, rows that are there beyond those."""

    both: list[tuple[Any, ...]]
    missing: list[tuple[Any, ...]]
    unexpected: list[tuple[Any, ...]]

    @property
    def equal(self) -> bool:
        return not self.missing and not self.unexpected


def compare(expected: Iterable[tuple[Any, ...]], got: Iterable[tuple[Any, ...]]) -> Compared:
    """Equal rows are paired first, then those whose doubles are nearly equal."""
    wanted, there = Counter(expected), Counter(got)
    both = list((wanted & there).elements())
    missing, unexpected = list((wanted - there).elements()), list((there - wanted).elements())
    near = pair(missing, unexpected, is_near)
    both += [row for _, row in near]
    return Compared(both, missing, unexpected)


def pair(left: list[T], right: list[T], fits: Callable[[T, T], bool]) -> list[tuple[T, T]]:
    """Takes pairs that fit out of both lists, in the order of the left one."""
    pairs: list[tuple[T, T]] = []
    for one in list(left):
        other = next((each for each in right if fits(one, each)), None)
        if other is not None:
            left.remove(one)
            right.remove(other)
            pairs.append((one, other))
    return pairs


def is_near(left: Any, right: Any) -> bool:
    """Whether two values are equal, doubles to nine digits."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        same_length = len(left) == len(right)
        return same_length and all(is_near(a, b) for a, b in zip(left, right, strict=True))
    if (
        _is_number(left)
        and _is_number(right)
        and isinstance(left, float) | isinstance(right, float)
    ):
        return math.isclose(float(left), float(right), rel_tol=1e-9, abs_tol=1e-12)
    return bool(left == right)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
