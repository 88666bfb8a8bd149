"""Merges of rows that stay for ever settle by start: a row is decided when the merged stable passes
it, and its entry leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import pytest

from .conditions import Step, chatter
from .elements import INFINITY, Adjust, Insert, Stable, Time
from .policies import CHATTY, CONSERVATIVE, HALF_FROZEN, Policy
from .presentations import Action, Event, Variant, schedule, with_gap
from .r3 import R3
from .r4 import R4
from .reconstitution import TDB
from .rows import changing, rows, told
from .test_merges import POLICIES, act
from .watch import Watch

CASES = 40
BY: dict[Variant, type[R3] | type[R4]] = {"R3": R3, "R4": R4}


def named(policy: Policy) -> str:
    return f"{policy.name}-{policy.share}"


def decided(tdb: TDB, stable: Time) -> TDB:
    return Counter({event: n for event, n in tdb.items() if event[1] < stable and n})


def played(merge: R3 | R4, names: Sequence[str], actions: Sequence[Action]) -> Iterator[Watch]:
    """After each action what has been put out, and no entry of a row that is decided is kept."""
    watch = Watch(names)
    for action in actions:
        act(merge, watch, action)
        assert all(vs >= merge.frontier for vs, _ in merge.nodes), action
        yield watch


@pytest.mark.parametrize("variant", ["R3", "R4"])
@pytest.mark.parametrize("policy", POLICIES, ids=named)
def test_rows_before_the_merged_stable_are_those_of_the_logical_stream(
    variant: Variant, policy: Policy
) -> None:
    """Inputs come, with the rows from some time on, and go; an input that is behind for long tells
    of rows that are decided.
    """
    for seed in range(CASES):
        random = Random(seed)
        events = rows(random, variant)
        streams = {name: told(random, events) for name in "abc"}
        merge = BY[variant]("abc", policy, random.choice([0, 0, 3]), by_start=True)
        for watch in played(merge, "abc", changing(random, events, streams)):
            stable = watch.output.stable
            assert decided(watch.output.tdb, stable) == decided(Counter(events), stable), seed
        assert watch.output.tdb == Counter(events), seed
        assert watch.output.stable == INFINITY
        assert (merge.nodes, merge.conflicts) == ({}, 0), seed


@pytest.mark.parametrize("variant", ["R3", "R4"])
@pytest.mark.parametrize("policy", POLICIES, ids=named)
def test_what_is_decided_stays_though_others_say_otherwise(
    variant: Variant, policy: Policy
) -> None:
    """What is put out is a physical stream, whoever leads later."""
    conflicts = 0
    for seed in range(CASES):
        random = Random(seed)
        events = rows(random, variant)
        streams = {"a": told(random, events), "b": with_gap(random, told(random, events))}
        streams["c"] = told(random, rows(random, variant))
        merge = BY[variant]("abc", policy, random.choice([0, 3]), by_start=True)
        before: tuple[TDB, Time] = (Counter(), -INFINITY)
        for watch in played(merge, "abc", changing(random, events, streams)):
            tdb, stable = before
            assert decided(watch.output.tdb, stable) == decided(tdb, stable), seed
            before = (watch.output.tdb, watch.output.stable)
        conflicts += merge.conflicts
    assert conflicts


@pytest.mark.parametrize("variant", ["R3", "R4"])
@pytest.mark.parametrize("policy", [p for p in POLICIES if p != CHATTY], ids=named)
def test_no_more_is_said_than_must_be(variant: Variant, policy: Policy) -> None:
    for seed in range(CASES):
        random = Random(seed)
        events = rows(random, variant)
        merge, watch = BY[variant]("abc", policy, by_start=True), Watch("abc")
        actions = schedule(random, {name: told(random, events) for name in "abc"})
        assert chatter([act(merge, watch, action) for action in actions]) == [], seed


@pytest.mark.parametrize("variant", ["R3", "R4"])
def test_the_leader_decides_when_its_stable_passes_the_row(variant: Variant) -> None:
    """B is the leader's, A is not; what others say of either later changes nothing."""
    a, b = Insert("A", 5, INFINITY), Insert("B", 6, INFINITY)
    merge = BY[variant](["one", "two"], HALF_FROZEN, by_start=True)
    assert merge.take("two", a) == merge.take("one", b) == []
    assert merge.take("one", Stable(9)) == [b, Stable(9)]
    assert merge.nodes == {}
    assert merge.take("two", Adjust("A", 5, INFINITY, 5)) == merge.take("two", b) == []
    assert merge.take("two", Stable(12)) == [Stable(12)]


@pytest.mark.parametrize("variant", ["R3", "R4"])
def test_conservative_is_half_frozen(variant: Variant) -> None:
    """A row that is decided is certain."""
    for seed in range(CASES):
        random = Random(seed)
        events: list[Event] = rows(random, variant)
        actions = changing(random, events, {name: told(random, events) for name in "abc"})
        sent = []
        for policy in (CONSERVATIVE, HALF_FROZEN):
            merge = BY[variant]("abc", policy, by_start=True)
            watch = Watch("abc")
            steps: list[Step] = [act(merge, watch, action) for action in actions]
            sent.append([step.sent for step in steps])
        assert sent[0] == sent[1]
