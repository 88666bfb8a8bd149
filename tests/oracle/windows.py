"""Windows: the half-open interval of validity that each gives to an element (DESIGN section 1).

Of a time window it follows from the element alone. For windows by rows and sessions it is read off
what the window holds at each instant, by their definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Interval = tuple[int, int | None]

Element = tuple[int, Mapping[str, Any]]
"""An order value and a row. Elements are given in the order of the stream: ties as they arrived."""


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


@dataclass(frozen=True)
class Rows:
    """`[PARTITION BY by ROWS count …]`: the last rows of each key; with `slide` as of every
    `slide`-th row of the key; with `length` only those younger than that.
    """

    count: int
    by: tuple[str, ...] = ()
    slide: int = 1
    length: int | None = None

    def intervals(self, elements: Sequence[Element]) -> list[Interval | None]:
        return _per_key(elements, self.by, self._held, self.length)

    def _held(self, orders: Sequence[int], now: int) -> Iterable[int]:
        seen = sum(at <= now for at in orders)
        upto = seen // self.slide * self.slide
        held = range(max(0, upto - self.count), upto)
        return [i for i in held if self.length is None or orders[i] > now - self.length]


@dataclass(frozen=True)
class Session:
    """`[SESSION gap BY by]`: the rows of a key that reach back from now with gaps below `gap`."""

    gap: int
    by: tuple[str, ...]

    def intervals(self, elements: Sequence[Element]) -> list[Interval | None]:
        return _per_key(elements, self.by, self._held, self.gap)

    def _held(self, orders: Sequence[int], now: int) -> Iterable[int]:
        held, later = [], now
        for i in reversed([i for i, at in enumerate(orders) if at <= now]):
            if later - orders[i] >= self.gap:
                break
            held.append(i)
            later = orders[i]
        return held


@dataclass(frozen=True)
class Log:
    """The contents of a relation, told by a log: with a key each row replaces the one of its key,
    without one whole rows are inserted and deleted.

    `operation` is the column that says what is done, `marks` its values -> insert, replace, delete;
    without it all rows are inserted. `hidden` columns tell when and how, and are no part of a row.
    A replacement or deletion of what is not there is none.
    """

    key: tuple[str, ...] = ()
    operation: str | None = None
    marks: Mapping[str, str] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()

    def intervals(self, elements: Sequence[Element]) -> list[Interval | None]:
        found: list[Interval | None] = [None] * len(elements)
        there: list[tuple[Any, int]] = []  # what is there, oldest first: whose row, its number
        for number, (at, row) in enumerate(elements):
            done = "insert" if self.operation is None else self.marks.get(row[self.operation])
            whose = self._whose(row)
            known = next((entry for entry in there if entry[0] == whose), None)
            if done is None or (done != "insert" and known is None):
                continue
            if known is not None and (self.key or done == "delete"):
                there.remove(known)
                begun = found[known[1]]
                assert begun is not None
                found[known[1]] = (begun[0], at)
            if done != "delete":
                there.append((whose, number))
                found[number] = (at, None)
        return found

    def _whose(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        own = self.key or [c for c in row if c != self.operation and c not in self.hidden]
        return tuple(row[column] for column in own)


def _per_key(
    elements: Sequence[Element],
    by: Sequence[str],
    held: Callable[[Sequence[int], int], Iterable[int]],
    length: int | None,
) -> list[Interval | None]:
    """What `held` gives for each key's order values at each instant, as one interval an element;
    None for one that is never in.
    """
    found: list[Interval | None] = [None] * len(elements)
    keys = [tuple(row[column] for column in by) for _, row in elements]
    for key in set(keys):
        mine = [number for number, own in enumerate(keys) if own == key]
        orders = [elements[number][0] for number in mine]
        ends = [] if length is None else [at + length for at in orders]
        for now in sorted({*orders, *ends}):
            inside = {mine[i] for i in held(orders, now)}
            for number in mine:
                known = found[number]
                if number in inside:
                    assert known is None or known[1] is None, "a row that left does not come back"
                    found[number] = known or (now, None)
                elif known is not None and known[1] is None:
                    found[number] = (known[0], now)
    return found


Window = Range | Now | Unbounded | Rows | Session | Log


def intervals(window: Window, elements: Sequence[Element]) -> list[Interval | None]:
    """The validity of each element, given in the order of its stream; None: never."""
    if isinstance(window, (Rows, Session, Log)):
        return window.intervals(elements)
    return [window.interval(at) for at, _ in elements]
