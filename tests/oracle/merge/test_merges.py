"""The reference merges keep what LMERGE promises, whatever the presentations of a stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeAlias

import pytest

from .base import Merge
from .cleanse import Cleanse
from .conditions import Step, chatter
from .elements import Element, Insert, Stable
from .epochs import canonical, run
from .in_order import R0, R1, R2, R2Duplicates
from .policies import (
    CHATTY,
    CONSERVATIVE,
    EAGER,
    FOLLOW_LEADER,
    HALF_FROZEN,
    Policy,
    fraction,
)
from .presentations import (
    IN_ORDER,
    VARIANTS,
    Action,
    Attach,
    Detach,
    Event,
    Take,
    Variant,
    cut,
    logical,
    presentation,
    schedule,
    with_changes,
    with_gap,
)
from .r3 import R3
from .r4 import R4
from .reconstitution import reconstitute
from .watch import Watch

MERGES: dict[Variant, type[Merge]] = {
    "R0": R0,
    "R1": R1,
    "R2": R2,
    "R2 duplicates": R2Duplicates,
    "R3": R3,
    "R4": R4,
}
POLICIES = (EAGER, CHATTY, HALF_FROZEN, CONSERVATIVE, FOLLOW_LEADER, fraction(0.5), fraction(1.0))
NAMES = ("a", "b", "c")
CASES = 10

# What may merge streams of each kind besides the variant itself.
GENERAL: dict[Variant, tuple[Variant, ...]] = {
    "R0": ("R1", "R2", "R2 duplicates", "R3", "R4"),
    "R1": ("R2 duplicates", "R4"),
    "R2": ("R2 duplicates", "R3", "R4"),
    "R2 duplicates": ("R4",),
    "R3": ("R4",),
    "R4": (),
}
PAIRS: list[tuple[Variant, Variant, Policy]] = [
    (kind, by, policy)
    for kind in VARIANTS
    for by in (kind, *GENERAL[kind])
    for policy in POLICIES
    if by not in IN_ORDER or policy == EAGER
]
Drawn: TypeAlias = tuple[Random, list[Event], dict[str, list[Element]]]


def ids(pair: tuple[Variant, Variant, Policy]) -> str:
    kind, by, policy = pair
    return f"{kind}-by-{by}-{policy.name}-{policy.share}"


def drawn(seed: int, kind: Variant) -> Drawn:
    """A logical stream and its presentations; sometimes two inputs are the same feed."""
    random = Random(seed)
    events = logical(random, kind)
    streams = {name: presentation(random, kind, events) for name in NAMES}
    if random.random() < 0.2:
        streams["c"] = list(streams["a"])
    return random, events, streams


def act(merge: Merge, watch: Watch, action: Action) -> Step:
    """One step of a merge, which the watch is told."""
    match action:
        case Attach(name=name, complete_from=since):
            watch.attach(name, since)
            step = Step([], merge.attach(name, since))
        case Detach(name=name):
            watch.detach(name)
            step = Step([], merge.detach(name))
        case Take(name=name, element=element):
            watch.received(name, [element])
            step = Step([element], merge.take(name, element))
    watch.sent(step.sent)
    return step


def acted(merge: Merge, actions: Sequence[Action]) -> Iterator[Step]:
    """The steps of a merge, each checked."""
    watch = Watch(NAMES)
    for action in actions:
        step = act(merge, watch, action)
        assert watch.faults() == [], action
        yield step


@pytest.mark.parametrize("pair", PAIRS, ids=ids)
def test_the_merge_is_the_logical_stream(pair: tuple[Variant, Variant, Policy]) -> None:
    """After every element C1 to C3 hold; at the end the TDB is that of the inputs, nothing is
    disputed, and only CHATTY says more than it must."""
    kind, by, policy = pair
    for seed in range(CASES):
        random, events, streams = drawn(seed, kind)
        merge = MERGES[by](NAMES, policy, random.choice([0, 0, 3]))
        steps = list(acted(merge, schedule(random, streams)))
        sent = [element for step in steps for element in step.sent]
        assert reconstitute(sent) == Counter(events), (seed, streams)
        assert merge.conflicts == 0, (seed, streams)
        if policy != CHATTY:
            assert chatter(steps) == [], (seed, streams)


@pytest.mark.parametrize("pair", PAIRS, ids=ids)
def test_inputs_come_and_go(pair: tuple[Variant, Variant, Policy]) -> None:
    """With one input that stays, the merge is still the logical stream (LMERGE V-B)."""
    kind, by, policy = pair
    for seed in range(CASES):
        random, events, streams = drawn(seed, kind)
        actions = with_changes(random, kind, events, schedule(random, streams))
        merge = MERGES[by](NAMES, policy, random.choice([0, 0, 3]))
        sent = [element for step in acted(merge, actions) for element in step.sent]
        assert reconstitute(sent) == Counter(events), (seed, actions)
        assert merge.conflicts == 0, (seed, actions)


@pytest.mark.parametrize("pair", PAIRS, ids=ids)
def test_in_epochs_it_is_the_same(pair: tuple[Variant, Variant, Policy]) -> None:
    """However the inputs are cut into epochs, C1 to C3 hold after each, and so does the end."""
    kind, by, policy = pair
    for seed in range(CASES):
        random, events, streams = drawn(seed, kind)
        epochs = cut(random, streams, random.randint(1, 4))
        merge, watch = MERGES[by](NAMES, policy), Watch(NAMES)
        steps = []
        for epoch, step in zip(epochs, run(merge, epochs), strict=True):
            steps.append(step)
            for name, elements in epoch.items():
                watch.received(name, elements)
            watch.sent(step.sent)
            assert watch.faults() == [], (seed, epochs)
        assert watch.output.tdb == Counter(events), (seed, epochs)
        if policy != CHATTY:
            assert chatter(steps) == [], (seed, epochs)


@pytest.mark.parametrize("by", ["R3", "R4"])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: f"{policy.name}-{policy.share}")
def test_inputs_that_disagree_leave_a_physical_stream(by: Variant, policy: Policy) -> None:
    """With gaps, and inputs that leave, what the merged stable has promised still stays; the last
    input that is ahead of the others decides."""
    disputed = 0
    for seed in range(4 * CASES):
        random, events, streams = drawn(seed, by)
        other = presentation(random, by, logical(random, by))
        streams = {"a": streams["a"], "b": with_gap(random, streams["b"]), "c": other}
        actions = with_changes(random, by, events, schedule(random, streams))
        merge, watch = MERGES[by](NAMES, policy, random.choice([0, 3])), Watch(NAMES)
        for action in actions:
            act(merge, watch, action)
        disputed += merge.conflicts
    assert disputed


@pytest.mark.parametrize("kind", VARIANTS)
def test_behind_cleanse_r1_merges_everything(kind: Variant) -> None:
    """LMERGE IV-G: order bought by buffering; all inputs then have the same ties in order."""
    for seed in range(CASES):
        random, events, streams = drawn(seed, kind)
        merge, watch = R1(NAMES), Watch(NAMES)
        cleanse = {name: Cleanse(adjusts=kind not in IN_ORDER) for name in NAMES}
        for took in schedule(random, streams):
            watch.received(took.name, [took.element])
            for given in cleanse[took.name].take(took.element):
                watch.sent(merge.take(took.name, given))
            assert watch.faults() == [], (seed, streams)
        assert watch.output.tdb == Counter(events), (seed, streams)


def test_the_canonical_order_of_an_epoch() -> None:
    epoch: dict[str, list[Element]] = {
        "a": [Stable(2), Insert("A", 5, 6), Stable(5)],
        "b": [Insert("B", 1, 9), Stable(1), Insert("A", 5, 6), Stable(3), Insert("C", 9, 10)],
        "c": [Stable(5)],
        "d": [],
    }
    assert canonical(epoch) == [
        ("a", Insert("A", 5, 6)),
        ("b", Insert("B", 1, 9)),
        ("b", Insert("A", 5, 6)),
        ("b", Insert("C", 9, 10)),
        ("b", Stable(3)),
        ("a", Stable(5)),
        ("c", Stable(5)),
    ]
