"""The operators of MERGE OF put out what the reference does, epoch by epoch (LMERGE IV, V)."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable
from random import Random
from typing import Any, Final

import pytest
from pyspark.sql import DataFrame, SparkSession

from reflow.runtime.deltas.merge.cleanse import cleanse
from reflow.runtime.deltas.merge.inputs import Input, Standing
from reflow.runtime.deltas.merge.operator import merge
from reflow.runtime.deltas.merge.policies import Policy as Ours
from reflow.runtime.elements.columns import DAWN

from ..oracle.merge import rows
from ..oracle.merge.base import Merge
from ..oracle.merge.cleanse import Cleanse
from ..oracle.merge.elements import (
    INFINITY,
    Element,
    Insert,
    Key,
    Row,
    Stable,
    Time,
    allowed_stable,
)
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
from ..oracle.merge.r3 import R3
from ..oracle.merge.r4 import R4
from ..oracle.merge.reconstitution import delta
from ..oracle.merge.test_merges import MERGES
from ..oracle.merge.watch import Watch
from .merging import (
    Bench,
    Memory,
    Pair,
    Turn,
    framed,
    kept,
    netted,
    ours,
    read,
    stable_of,
    theirs,
)

POLICIES = (EAGER, CHATTY, HALF_FROZEN, CONSERVATIVE, FOLLOW_LEADER, fraction(0.5), fraction(1.0))
IN_ORDER: tuple[Variant, ...] = ("R0", "R1", "R2", "R2 duplicates")
KEYED: tuple[Variant, ...] = ("R3", "R4")
PLAYED: list[tuple[Variant, Policy]] = (
    [(variant, policy) for variant in KEYED for policy in POLICIES]
    if os.environ.get("REFLOW_MERGES") == "all"
    else [("R3", EAGER), ("R3", CONSERVATIVE), ("R4", CHATTY), ("R4", FOLLOW_LEADER)]
)
"""With and without inputs that disagree, and state that is written anew; `test_merge_entries` has
all policies.
"""


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
    paced: list[tuple[Time, Element]] = []
    for chain in chains.values():
        at: Time = -INFINITY
        for element in chain:
            at = max(at, min(allowed_stable([element]), 40) - random.random() * 8)
            paced.append((at, element))
    paced.sort(key=lambda each: each[0])
    return with_stables(random, [element for _, element in paced])


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
        streams["c"] = told(random, variant, many(random, variant, 6))

    def late(since: Time) -> list[Element]:
        return told(random, variant, complete_from(events, since))

    return scheduled(random, streams, epochs, disputes, late)


def turns_of_rows(
    random: Random, variant: Variant, events: list[Event], epochs: int, disputes: bool
) -> list[Turn]:
    """The same of rows that stay for ever; an input that is late brings what starts since then."""
    streams = {name: rows.told(random, events) for name in "abc"}
    if disputes:
        streams["c"] = rows.told(random, as_rows(many(random, variant, 6)))

    def late(since: Time) -> list[Element]:
        return rows.told(random, [event for event in events if event[1] >= since])

    return scheduled(random, streams, epochs, disputes, late)


def as_rows(events: list[Event]) -> list[Event]:
    return [(row, vs, INFINITY) for row, vs, _ in events]


def scheduled(
    random: Random,
    streams: dict[str, list[Element]],
    epochs: int,
    disputes: bool,
    late: Callable[[Time], list[Element]],
) -> list[Turn]:
    if disputes:
        streams["b"] = with_gap(random, streams["b"])
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
        elements = late(since)
        old = result[at]
        result[at] = Turn(old.brings, old.leaves, (*old.comes, (name, since)))
        parts = epochs_of(random, elements, epochs - at)
        for turn, part in zip(result[at:], parts, strict=True):
            turn.brings[name] = part
    return placed(result)


def placed(schedule: list[Turn]) -> list[Turn]:
    """The same with the inputs of every epoch in their order: those attached later behind."""
    order: list[str] = []
    result = []
    for turn in schedule:
        order = [name for name in order if name not in turn.leaves]
        order += [name for name, _ in turn.comes]
        brings = {name: turn.brings[name] for name in order if name in turn.brings}
        result.append(Turn(brings, turn.leaves, turn.comes))
    return result


def check(pair: Pair, schedule: list[Turn], events: list[Event], disputes: bool) -> None:
    """After every epoch: what is put out, the stable, the conflicts and the entries are the
    reference's, and conditions C1 to C3 hold; so does the end.
    """
    watch = Watch([])
    for n, turn in enumerate(schedule):
        expected = pair.expected(turn)
        sent = pair.found(turn)
        assert delta(sent) == delta(expected), n
        assert stable_of(sent) == stable_of(expected), n
        assert pair.conflicts == pair.reference.conflicts, n
        if pair.variant in KEYED:
            assert kept(pair.bench.state, "merged") == entries_of(pair.reference), n
        for name in turn.leaves:
            watch.detach(name)
        for name, since in turn.comes:
            watch.attach(name, since)
        for name, elements in turn.brings.items():
            watch.received(name, elements)
        watch.sent(sent)
        assert disputes or watch.faults() == [], n
    assert disputes or watch.output.tdb == Counter(events)


def entries_of(merge: Merge) -> set[tuple[Time, Row]]:
    """What the reference keeps, without what nobody has (any more) and may come yet."""
    assert isinstance(merge, R3 | R4)
    return {
        (vs, row)
        for (vs, row), node in merge.nodes.items()
        if vs < merge.frontier or node.out or node.disputed or any(node.ends.values())
    }


@pytest.mark.parametrize(("variant", "policy"), PLAYED, ids=str)
def test_r3_and_r4_are_the_reference(spark: SparkSession, variant: Variant, policy: Policy) -> None:
    """Half of them with inputs that disagree, half with state that is not written anew each epoch;
    `test_merge_entries` has more.
    """
    number = POLICIES.index(policy) + KEYED.index(variant)
    disputes, small = number % 2 == 0, number % 4 < 2
    random = Random(f"{variant} {policy}")
    events = many(random, variant, 25)
    schedule = turns(random, variant, events, 3, disputes)
    lag = random.choice([0, 0, 3])
    bench = Bench(spark, Memory(small))
    pair = Pair(bench, MERGES[variant]([], policy, lag), variant, policy, lag)
    check(pair, schedule, events, disputes)


@pytest.mark.parametrize("variant", KEYED)
def test_an_entry_is_written_again_only_when_it_changes(
    spark: SparkSession, variant: Variant
) -> None:
    """A is open for long; what comes besides, and stables before its end, leave it alone."""
    bench = Bench(spark, Memory(small=False))
    pair = Pair(bench, MERGES[variant]([], EAGER), variant, EAGER, 0)
    both = (("a", -INFINITY), ("b", -INFINITY))
    pair.found(Turn({"a": [Insert("A", 1, 90)], "b": [Insert("A", 1, 90)]}, comes=both))
    for n in range(2):
        pair.found(Turn({"a": [Insert(f"B{n}", 10 + n, 20), Stable(10 + n)]}))
    rows = [{row.row for row in frame.collect()} for frame in bench.state.frames["merged"]]
    assert rows == [{"A"}, {"B0"}, {"B1"}]


COUNTED: Final = 2
"""The epoch whose shuffles are counted: the first with state."""


class Uncut(Bench):
    """The plan of one epoch is whole, so that its shuffles can be counted."""

    def share(self, frame: DataFrame, at_once: bool = False) -> DataFrame:
        return frame if self.number == COUNTED else super().share(frame, at_once)


@pytest.mark.parametrize("variant", KEYED)
def test_entries_and_elements_are_laid_together_once(
    spark: SparkSession, variant: Variant, capsys: pytest.CaptureFixture[str]
) -> None:
    bench: Any = Uncut(spark)
    standing = Standing()
    for n, stable in enumerate((3, 6)):
        bench.number = n + 1
        lines = [Insert(f"A{n}", 5 + n, 9)]
        inputs = [Input(name, framed(spark, lines, placed=False), stable) for name in "ab"]
        made = merge(bench, "m", ["row"], inputs, variant, Ours(), 0, standing)
        bench.state.commit()
        standing = made.standing
    assert made.elements is not None
    capsys.readouterr()
    made.elements.explain()
    plan = capsys.readouterr().out
    assert plan.count("Exchange") == 1, plan


@pytest.mark.parametrize("variant", IN_ORDER)
def test_r0_to_r2_are_the_reference(spark: SparkSession, variant: Variant) -> None:
    random = Random(variant)
    events = many(random, variant, 8)
    schedule = turns(random, variant, events, 6, disputes=False)
    pair = Pair(Bench(spark), MERGES[variant]([], EAGER, 2), variant, EAGER, 2)
    pair.placed = variant == "R1"
    check(pair, schedule, events, disputes=False)


@pytest.mark.parametrize("variant", ["R1", "R2 duplicates"])
def test_counts_of_inputs_that_bring_nothing_stay_apart(
    spark: SparkSession, variant: Variant
) -> None:
    """Each has brought one event; then A brings its second, and B its second and third."""
    one = Insert("A", 1, 5)
    schedule = [
        Turn({"a": [one], "b": [one]}, comes=(("a", -INFINITY), ("b", -INFINITY))),
        Turn({"a": [one]}),
        Turn({"b": [one, one]}),
    ]
    pair = Pair(Bench(spark), MERGES[variant]([], EAGER), variant, EAGER, 0)
    pair.placed = variant == "R1"
    check(pair, schedule, [("A", 1, 5)] * 3, disputes=False)


def test_r1_keeps_the_order_of_ties_when_what_has_waited_joins(spark: SparkSession) -> None:
    both = [Insert("B", 12, 14), Insert("A", 12, 14)]
    schedule = [
        Turn(
            {"c": [Insert("B", 12, 14)], "late": [*both]},
            comes=(("a", -INFINITY), ("c", -INFINITY), ("late", 10)),
        ),
        Turn({"a": [*both, Stable(10)]}),
    ]
    pair = Pair(Bench(spark), MERGES["R1"]([], EAGER), "R1", EAGER, 0, placed=True)
    check(pair, schedule, [("B", 12, 14), ("A", 12, 14)], disputes=False)


def test_r0_to_r2_hold_nothing_back(spark: SparkSession) -> None:
    bench: Any = Bench(spark)
    with pytest.raises(ValueError, match="needs R3 or R4"):
        merge(bench, "m", ["row"], [], "R1", Ours("half frozen"), 0, Standing())


@pytest.mark.parametrize("adjusts", [True, False])
def test_cleanse_is_the_reference_and_r1_merges_what_it_gives(
    spark: SparkSession, adjusts: bool
) -> None:
    random = Random(8)
    events = many(random, "R4", 12)
    bench: Any = Bench(spark, Memory(small=adjusts))
    references = {name: Cleanse(adjusts) for name in "ab"}
    streams = {name: presented(random, events, adjusts) for name in "ab"}
    parts = {name: epochs_of(random, elements, 4) for name, elements in streams.items()}
    watch, standing = Watch("ab"), Standing()
    stables = dict.fromkeys("ab", DAWN)
    for n in range(4):
        bench.number = n + 1
        inputs = []
        for name, reference in references.items():
            taken = netted(Turn({name: parts[name][n]}), in_order=False)[name]
            given = [each for element in taken for each in reference.take(element)]
            stables[name] = max(stables[name], ours(stable_of(taken)))
            one = Input(name, framed(spark, taken, placed=False), stables[name])
            made = cleanse(bench, f"held.{name}", ["row"], one, adjusts)
            assert Counter(read(made.elements)) == Counter(e for e in given if e != given[-1])
            assert not given or Stable(theirs(made.stable)) == given[-1]
            watch.received(name, parts[name][n])
            inputs.append(made)
        merged = merge(bench, "merged", ["row"], inputs, "R1", Ours(), 0, standing)
        watch.sent([*read(merged.elements), Stable(theirs(merged.stable))])
        assert watch.faults() == []
        bench.state.commit()
        standing = merged.standing
    assert watch.output.tdb == Counter(events)


def presented(random: Random, events: list[Event], adjusts: bool) -> list[Element]:
    if adjusts:
        return told(random, "R4", events)
    inserts: list[Element] = [Insert(*event) for event in events]
    inserts.sort(key=lambda e: e.vs - random.random() * 6 if isinstance(e, Insert) else 0)
    return with_stables(random, inserts)
