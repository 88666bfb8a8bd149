"""The inputs of a merge: how far each has promised, and whether it has joined (LMERGE V-B)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .elements import INFINITY, Time


@dataclass
class Input:
    """`frontier`: its last stable. It brings every event with `ve >= complete_from`."""

    name: str
    complete_from: Time = -INFINITY
    frontier: Time = -INFINITY
    joined: bool = True


def agreed_until(one: Input, other: Input) -> Time:
    """Two inputs that both are complete must say the same about everything before this time."""
    both = min(one.frontier, other.frontier)
    return both if both >= max(one.complete_from, other.complete_from) else -INFINITY


class Inputs:
    """The attached inputs in the order of MERGE OF; those attached later come behind."""

    def __init__(self, names: Iterable[str]) -> None:
        self._of = {name: Input(name) for name in names}

    def __getitem__(self, name: str) -> Input:
        return self._of[name]

    def __len__(self) -> int:
        return len(self._of)

    def attach(self, name: str, complete_from: Time) -> None:
        if name in self._of:
            raise ValueError(f"{name} is attached")
        self._of[name] = Input(name, complete_from, joined=False)

    def detach(self, name: str) -> None:
        del self._of[name]

    def join(self, merged: Time) -> list[str]:
        """Those that join now: the merged stable has reached what they are complete from."""
        new = [i for i in self._of.values() if not i.joined and i.complete_from <= merged]
        for each in new:
            each.joined = True
        return [each.name for each in new]

    def ranked(self) -> list[Input]:
        """The joined inputs, the one whose word counts most first: by frontier, then by place."""
        return sorted((i for i in self._of.values() if i.joined), key=lambda i: -i.frontier)

    def leader(self) -> Input | None:
        """The joined input with the largest stable; of several the first in MERGE OF."""
        return next(iter(self.ranked()), None)
