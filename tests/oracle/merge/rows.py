"""Draws physical presentations of rows that stay for ever: nothing is said of their ends, but some
are taken back before they are frozen.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from .elements import INFINITY, Adjust, Element, Insert, Row, Time
from .presentations import (
    Action,
    Attach,
    Detach,
    Event,
    Take,
    Variant,
    logical,
    schedule,
    with_stables,
)

_EARLY = 6
"""So long before its start an element may come."""


def rows(random: Random, variant: Variant) -> list[Event]:
    """The rows of a logical stream."""
    return [(row, vs, INFINITY) for row, vs, _ in logical(random, variant)]


def told(random: Random, logical_rows: Sequence[Event]) -> list[Element]:
    """A physical stream of these rows, and of some others that are taken back; its stables go along
    with it.
    """
    taken = {(row, vs) for row, vs, _ in logical_rows}
    chains = [_life(random, row, vs, True) for row, vs, _ in logical_rows]
    phantoms = [(random.choice("ABC"), random.randint(0, 20)) for _ in range(random.randint(0, 2))]
    for row, vs in sorted(set(phantoms) - taken):
        chains.append(_life(random, row, vs, False))
    paced = []
    for chain in chains:
        at: Time = -INFINITY
        for element in chain:
            at = max(at, _start(element) - random.random() * _EARLY)
            paced.append((at, element))
    paced.sort(key=lambda each: each[0])
    return with_stables(random, [element for _, element in paced])


def _start(element: Element) -> Time:
    assert isinstance(element, Insert | Adjust)
    return element.vs


def _life(random: Random, row: Row, vs: Time, stays: bool) -> list[Element]:
    """One row: it comes, and goes and comes again at times; where it does not stay it goes last."""
    chain: list[Element] = [Insert(row, vs, INFINITY)]
    while random.random() < 0.3:
        chain += [Adjust(row, vs, INFINITY, vs), Insert(row, vs, INFINITY)]
    return chain if stays else [*chain, Adjust(row, vs, INFINITY, vs)]


def changing(
    random: Random, logical_rows: Sequence[Event], streams: dict[str, list[Element]]
) -> list[Action]:
    """The elements of all streams in some order; the first stays, others leave, and one comes that
    brings the rows that start at or after some time.
    """
    actions: list[Action] = list(schedule(random, streams))
    for name in list(streams)[1:]:
        if random.random() < 0.5:
            at = random.randint(0, len(actions))
            left = [a for i, a in enumerate(actions) if i < at or not _is_of(a, name)]
            actions = [*left[:at], Detach(name), *left[at:]]
    at, since = random.randint(0, len(actions)), random.randint(0, 25)
    elements = told(random, [event for event in logical_rows if event[1] >= since])
    comes: list[Action] = [Attach("late", since), *(Take("late", each) for each in elements)]
    return [*actions[:at], *_mixed(random, comes, actions[at:])]


def _mixed(random: Random, some: list[Action], others: list[Action]) -> list[Action]:
    turns = [0] * len(some) + [1] * len(others)
    random.shuffle(turns)
    both = iter(some), iter(others)
    return [next(both[turn]) for turn in turns]


def _is_of(action: Action, name: str) -> bool:
    return isinstance(action, Take) and action.name == name
