"""Draws physical presentations of one logical stream, as restricted as each algorithm wants them
(LMERGE IV).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Literal, TypeAlias

from .elements import INFINITY, Adjust, Element, Insert, Row, Stable, Time, allowed_stable

Variant: TypeAlias = Literal["R0", "R1", "R2", "R2 duplicates", "R3", "R4"]
VARIANTS: tuple[Variant, ...] = ("R0", "R1", "R2", "R2 duplicates", "R3", "R4")
IN_ORDER: tuple[Variant, ...] = VARIANTS[:4]
Event: TypeAlias = tuple[Row, Time, Time]


def logical(random: Random, variant: Variant, most: int = 8) -> list[Event]:
    """The events of a logical stream in order of start; events that start together in the order
    in which R1 has them.
    """
    starts = sorted(random.randint(0, 20) for _ in range(random.randint(0, most)))
    if variant == "R0":
        starts = sorted(set(starts))
    events: list[Event] = []
    for vs in starts:
        ve = INFINITY if random.random() < 0.1 else vs + random.randint(1, 12)
        events.append((random.choice("ABC"), vs, ve))
    if variant in ("R1", "R2 duplicates", "R4"):
        twice = [event for event in events if random.random() < 0.3]
        copies = [(row, vs, random.choice([ve, vs + 1, vs + 9])) for row, vs, ve in twice]
        return sorted(events + copies, key=lambda event: event[1])
    keys = {(row, vs): (row, vs, ve) for row, vs, ve in events}
    return sorted(keys.values(), key=lambda event: event[1])


def complete_from(events: Iterable[Event], t: Time) -> list[Event]:
    """What an input that is attached with this time brings."""
    return [event for event in events if event[2] >= t]


def presentation(random: Random, variant: Variant, events: Sequence[Event]) -> list[Element]:
    """A physical stream of these events that the variant may merge; it ends with stable ∞."""
    if variant in IN_ORDER:
        elements = _in_order(random, variant, events)
    else:
        elements = _in_disorder(random, events)
    return with_stables(random, elements)


def _in_order(random: Random, variant: Variant, events: Sequence[Event]) -> list[Element]:
    listed = list(events)
    if variant in ("R2", "R2 duplicates"):
        random.shuffle(listed)
        listed.sort(key=lambda event: event[1])
    return [Insert(*event) for event in listed]


def _in_disorder(random: Random, events: Sequence[Event]) -> list[Element]:
    """Early inserts with ends that are adjusted later, and some of events that never were."""
    chains = [_life(random, event) for event in events]
    taken = {(row, vs) for row, vs, _ in events}
    for _ in range(random.randint(0, 2)):
        row, vs = random.choice("ABC"), random.randint(0, 20)
        if (row, vs) not in taken:
            taken.add((row, vs))
            chains.append(_life(random, (row, vs, vs)))
    return mixed(random, chains)


def _life(random: Random, event: Event) -> list[Element]:
    """The elements of one event, of which the last says its end; none where that is its start."""
    row, vs, ve = event
    guesses = [ve] if ve > vs else [vs, vs + random.randint(1, 12)]
    while random.random() < 0.4:
        end = random.choice([vs + random.randint(1, 15), INFINITY])
        if end != guesses[-1]:
            guesses.append(end)
    guesses.reverse()
    told = pairwise(guesses)
    return [Insert(row, vs, guesses[0]), *(Adjust(row, vs, old, new) for old, new in told)]


def mixed(random: Random, chains: Sequence[Sequence[Element]]) -> list[Element]:
    """The elements of all chains in some order that keeps that of each."""
    turns = [i for i, chain in enumerate(chains) for _ in chain]
    random.shuffle(turns)
    iterators = [iter(chain) for chain in chains]
    return [next(iterators[i]) for i in turns]


def with_stables(random: Random, elements: Sequence[Element]) -> list[Element]:
    """With stables at random places, as large as what follows lets them be or less."""
    result: list[Element] = []
    said: Time = -INFINITY
    for i, element in enumerate(elements):
        t = allowed_stable(elements[i:])
        if random.random() < 0.4 and -INFINITY < t < INFINITY:
            t -= random.choice([0, 0, 1, 3])
            if t > said:
                result.append(Stable(t))
                said = t
        result.append(element)
    return [*result, Stable(INFINITY)]


def with_gap(random: Random, elements: Sequence[Element]) -> list[Element]:
    """The stream without some of its events."""
    keys = {(e.vs, e.row) for e in elements if not isinstance(e, Stable)}
    lost = {key for key in sorted(keys, key=repr) if random.random() < 0.3}
    return [e for e in elements if isinstance(e, Stable) or (e.vs, e.row) not in lost]


def cut(
    random: Random, streams: dict[str, list[Element]], epochs: int
) -> list[dict[str, list[Element]]]:
    """The streams in so many epochs, each cut at places of its own."""
    result: list[dict[str, list[Element]]] = [{} for _ in range(epochs)]
    for name, elements in streams.items():
        places = sorted(random.randint(0, len(elements)) for _ in range(epochs - 1))
        bounds = [0, *places, len(elements)]
        for i, epoch in enumerate(result):
            epoch[name] = elements[bounds[i] : bounds[i + 1]]
    return result


@dataclass(frozen=True)
class Attach:
    name: str
    complete_from: Time


@dataclass(frozen=True)
class Detach:
    name: str


@dataclass(frozen=True)
class Take:
    name: str
    element: Element


Action: TypeAlias = Attach | Detach | Take


def schedule(random: Random, streams: dict[str, list[Element]]) -> list[Take]:
    """The elements of all streams, each in its own order."""
    chains = {name: iter(elements) for name, elements in streams.items()}
    turns = [name for name, elements in streams.items() for _ in elements]
    random.shuffle(turns)
    return [Take(name, next(chains[name])) for name in turns]


def with_changes(
    random: Random, variant: Variant, events: Sequence[Event], taken: Sequence[Take]
) -> list[Action]:
    """Some inputs leave, never the first; others come, with what they are complete from; one that
    has left may come again.
    """
    actions: list[Action] = list(taken)
    names = sorted({action.name for action in taken})
    for name in names[1:]:
        if random.random() < 0.5:
            at = random.randint(0, len(actions))
            kept = [a for i, a in enumerate(actions) if i < at or not _is_of(a, name)]
            actions = [*kept[:at], Detach(name), *kept[at:]]
            if random.random() < 0.5:
                actions = _coming(random, variant, events, actions, name, at + 1)
    at = random.randint(0, len(actions))
    return _coming(random, variant, events, actions, "late", at)


def _is_of(action: Action, name: str) -> bool:
    return isinstance(action, Take) and action.name == name


def _coming(
    random: Random,
    variant: Variant,
    events: Sequence[Event],
    actions: list[Action],
    name: str,
    at: int,
) -> list[Action]:
    since = random.randint(0, 25)
    elements = presentation(random, variant, complete_from(events, since))
    places = sorted(random.randint(at, len(actions)) for _ in elements)
    result: list[Action] = [*actions[:at], Attach(name, since)]
    for i in range(at, len(actions) + 1):
        result += [Take(name, e) for e, place in zip(elements, places, strict=True) if place == i]
        result += actions[i : i + 1]
    return result
