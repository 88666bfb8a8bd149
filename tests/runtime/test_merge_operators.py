"""The operators of MERGE OF put out what the reference does, epoch by epoch (LMERGE IV, V)."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import pytest
from pyspark.sql import SparkSession

from ..oracle.merge.elements import INFINITY, Element, Insert, Key, Stable, Time
from ..oracle.merge.policies import (
    CHATTY,
    CONSERVATIVE,
    EAGER,
    FOLLOW_LEADER,
    HALF_FROZEN,
    Policy,
    fraction,
)
from ..oracle.merge.presentations import (
    Event,
    Variant,
    complete_from,
    logical,
    presentation,
    with_gap,
    with_stables,
)
from ..oracle.merge.reconstitution import delta
from ..oracle.merge.test_merges import MERGES
from ..oracle.merge.watch import Watch
from .merging import Bench, Memory, Pair, Turn, stable_of

POLICIES = (EAGER, CHATTY, HALF_FROZEN, CONSERVATIVE, FOLLOW_LEADER, fraction(0.5), fraction(1.0))
IN_ORDER: tuple[Variant, ...] = ("R0", "R1", "R2", "R2 duplicates")
KEYED: tuple[Variant, ...] = ("R3", "R4")


def many(random: Random, variant: Variant, cases: int) -> list[Event]:
    """The events of many logical streams at once. Those of R3 and R4 lie side by side, as rows of
    different names; those in order mostly one after the other.
    """
    events: list[Event] = []
    for case in range(cases):
        aside = 0 if variant in KEYED else 12 * case
        for row, vs, ve in logical(random, variant):
            named = f"{row}{case}" if variant in KEYED else row
            events.append((named, vs + aside, ve + aside))
    if variant == "R0":
        events = list({vs: (row, vs, ve) for row, vs, ve in events}.values())
    if variant == "R2":
        events = list({(row, vs): (row, vs, ve) for row, vs, ve in events}.values())
    return sorted(events, key=lambda event: event[1])


def told(random: Random, variant: Variant, events: list[Event]) -> list[Element]:
    """A presentation of many events, whose stables go along with it."""
    elements = presentation(random, variant, events)
    if variant not in KEYED:
        return elements
    chains: dict[Key, list[Element]] = defaultdict(list)
    for element in elements:
        if not isinstance(element, Stable):
            chains[element.vs, element.row].append(element)
    placed: list[tuple[Time, Element]] = []
    for chain in chains.values():
        at: Time = -INFINITY
        for element in chain:
            ends = [] if isinstance(element, Insert) else [element.old, element.ve]
            least = min(element.vs if isinstance(element, Insert) else INFINITY, *ends, 40)
            at = max(at, least - random.random() * 8)
            placed.append((at, element))
    placed.sort(key=lambda each: each[0])
    return with_stables(random, [element for _, element in placed])


def epochs_of(random: Random, elements: list[Element], epochs: int) -> list[list[Element]]:
    places = sorted(random.randint(0, len(elements)) for _ in range(epochs - 1))
    bounds = [0, *places, len(elements)]
    return [elements[bounds[i] : bounds[i + 1]] for i in range(epochs)]


def turns(
    random: Random, variant: Variant, events: list[Event], epochs: int, disputes: bool
) -> list[Turn]:
    """Three inputs; one leaves and comes again, another is late. With disputes, one lacks events
    and another tells of others.
    """
    streams = {name: told(random, variant, events) for name in "abc"}
    if disputes:
        streams["b"] = with_gap(random, streams["b"])
        streams["c"] = told(random, variant, many(random, variant, 6))
    result = [Turn({}) for _ in range(epochs)]
    result[0] = Turn({}, comes=tuple((name, -INFINITY) for name in "abc"))
    for name, elements in streams.items():
        for turn, part in zip(result, epochs_of(random, elements, epochs), strict=True):
            turn.brings[name] = part
    leaves, again = sorted(random.sample(range(1, epochs), 2))
    for turn in result[leaves:]:
        del turn.brings["b"]
    result[leaves] = Turn(result[leaves].brings, leaves=("b",))
    for name, at in (("b", again), ("late", random.randint(1, again))):
        since = random.choice([-INFINITY, random.randint(0, 20), random.randint(0, 60)])
        elements = told(random, variant, complete_from(events, since))
        old = result[at]
        result[at] = Turn(old.brings, old.leaves, (*old.comes, (name, since)))
        parts = epochs_of(random, elements, epochs - at)
        for turn, part in zip(result[at:], parts, strict=True):
            turn.brings[name] = part
    return result


def check(pair: Pair, schedule: list[Turn], events: list[Event], disputes: bool) -> None:
    watch = Watch([])
    for n, turn in enumerate(schedule):
        expected = pair.expected(turn)
        sent = pair.found(turn)
        assert delta(sent) == delta(expected), n
        assert stable_of(sent) == stable_of(expected), n
        assert pair.conflicts == pair.reference.conflicts, n
        for name in turn.leaves:
            watch.detach(name)
        for name, since in turn.comes:
            watch.attach(name, since)
        for name, elements in turn.brings.items():
            watch.received(name, elements)
        watch.sent(sent)
        if not disputes:
            assert watch.faults() == [], n
    if not disputes:
        assert watch.output.tdb == Counter(events)
    else:
        assert pair.conflicts


@pytest.mark.parametrize("disputes", [False, True], ids=["agree", "dispute"])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: f"{p.name}-{p.share}")
@pytest.mark.parametrize("variant", KEYED)
def test_r3_and_r4_are_the_reference(
    spark: SparkSession, variant: Variant, policy: Policy, disputes: bool
) -> None:
    random = Random(f"{variant} {policy} {disputes}")
    events = many(random, variant, 25)
    schedule = turns(random, variant, events, 5, disputes)
    lag = random.choice([0, 0, 3])
    bench = Bench(spark, Memory(small=random.random() < 0.5))
    pair = Pair(bench, MERGES[variant]([], policy, lag), variant, policy, lag)
    check(pair, schedule, events, disputes)


@pytest.mark.parametrize("variant", IN_ORDER)
def test_r0_to_r2_are_the_reference(spark: SparkSession, variant: Variant) -> None:
    random = Random(variant)
    events = many(random, variant, 8)
    schedule = turns(random, variant, events, 5, disputes=False)
    bench = Bench(spark)
    pair = Pair(bench, MERGES[variant]([], EAGER, 2), variant, EAGER, 2, placed=True)
    check(pair, schedule, events, disputes=False)
