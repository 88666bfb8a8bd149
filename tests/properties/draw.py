"""Random choices, all from one seed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A source of choices and of fresh names. The same seed gives the same choices."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._numbers = count(1)

    def one(self, options: Sequence[T]) -> T:
        return self.random.choice(options)

    def weighted(self, options: Sequence[tuple[int, T]]) -> T:
        """One of the (weight, option) pairs."""
        weights = [weight for weight, _ in options]
        return self.random.choices([option for _, option in options], weights)[0]

    def some(self, options: Sequence[T], most: int) -> list[T]:
        """At least one and at most `most` of the options, none twice, in their order."""
        size = self.random.randint(1, min(most, len(options)))
        return [options[i] for i in sorted(self.random.sample(range(len(options)), size))]

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def number(self, least: int, largest: int) -> int:
        return self.random.randint(least, largest)

    def name(self, prefix: str) -> str:
        """A name that was not given before."""
        return f"{prefix}{next(self._numbers)}"
