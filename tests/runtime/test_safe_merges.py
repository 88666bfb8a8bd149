"""Merges whose inputs break their promises at drawn places: with the safe variant from that epoch
on, the output is the logical stream (LMERGE IV), and C1 to C3 hold after every epoch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from reflow.runtime.deltas.merge.inputs import Input, Standing
from reflow.runtime.deltas.merge.operator import Merged, merge
from reflow.runtime.deltas.merge.policies import Policy
from reflow.runtime.deltas.merge.watch import Watch as Asked
from reflow.runtime.deltas.merge.watch import found
from reflow.runtime.deltas.merged import SAFE
from reflow.runtime.elements.columns import DAWN

from ..oracle.merge.elements import Element, Insert, Stable
from ..oracle.merge.presentations import Event, Variant, with_stables
from ..oracle.merge.watch import Watch
from .merging import Bench, Memory, Turn, framed, netted, ours, read, stable_of, theirs
from .test_merge_operators import epochs_of, many, told

pytestmark = pytest.mark.spark

BREAKS: dict[Variant, Variant] = {
    "R0": "R2 duplicates",
    "R1": "R2 duplicates",
    "R2": "R2 duplicates",
    "R3": "R4",
}
NAMES = ("a", "b", "c")


EPOCHS = 4


@dataclass(frozen=True)
class Drawn:
    """`events`: what all inputs say; `streams`: how, by epoch."""

    events: list[Event]
    streams: dict[str, list[list[Element]]]


def at_one_place(random: Random, variant: Variant) -> Drawn:
    """All inputs keep their promises up to the second or third epoch, where the last rows start
    together: some are equal, and each input has another order. Then they go on as they like.
    """
    kind = BREAKS[variant]
    before = many(random, variant, 3)
    at = 1 + max((event[1] for event in before), default=0)
    together: list[Event] = [("A", at, at + 2), ("B", at, at + 2), ("A", at, at + 2)]
    after = [(row, vs + at + 1, ve + at + 1) for row, vs, ve in many(random, kind, 3)]
    first = random.choice([1, 2])
    streams = {}
    for n, name in enumerate(NAMES):
        turned = [Insert(*event) for event in (*together[n:], *together[:n])]
        parts = (_unstable(random, variant, before), turned, _unstable(random, kind, after))
        elements = with_stables(random, [element for part in parts for element in part])
        places = [i for i, element in enumerate(elements) if element in turned]
        streams[name] = [
            *epochs_of(random, elements[: places[0]], first),
            elements[places[0] : places[-1] + 1],
            *epochs_of(random, elements[places[-1] + 1 :], EPOCHS - first - 1),
        ]
    return Drawn([*before, *together, *after], streams)


def _unstable(random: Random, variant: Variant, events: list[Event]) -> list[Element]:
    return [e for e in told(random, variant, events) if not isinstance(e, Stable)]


@pytest.mark.parametrize("variant", BREAKS)
def test_nothing_is_lost_when_a_promise_is_broken(spark: SparkSession, variant: Variant) -> None:
    drawn = at_one_place(Random(f"{variant} 1"), variant)
    bench: Any = Bench(spark, Memory(small=False))
    watch, standing = Watch(NAMES), Standing()
    stables = dict.fromkeys(NAMES, DAWN)
    at: str = variant
    switched = 0
    for n in range(EPOCHS):
        bench.number = n + 1
        brought = {name: drawn.streams[name][n] for name in NAMES}
        inputs = []
        for name, elements in netted(Turn(brought), in_order=variant != "R3").items():
            stables[name] = max(stables[name], ours(stable_of(elements)))
            frame = framed(spark, elements, placed=at == "R1")
            inputs.append(Input(name, frame, stables[name]))
        made, counts = run(bench, inputs, at, standing)
        if at == variant and found(counts, NAMES):
            bench.state.added = {}
            at, switched = SAFE[variant], n + 1
            made, _ = run(bench, inputs, at, standing, stored=variant)
        sent = read(made.elements)
        bench.state.commit()
        if made.stable > standing.stable:
            sent.append(Stable(theirs(made.stable)))
        standing = made.standing
        for name, elements in brought.items():
            watch.received(name, elements)
        watch.sent(sent)
        assert watch.faults() == [], n
    assert watch.output.tdb == Counter(drawn.events)
    # There was state of the first algorithm for the safe one.
    assert switched >= 2


def run(
    bench: Any, inputs: list[Input], variant: str, was: Standing, stored: str | None = None
) -> tuple[Merged, dict[str, int | None]]:
    """An epoch of the merge, and what its rows tell."""
    counts: dict[str, int | None] = {}

    def observe(frame: DataFrame, asked: Mapping[str, str]) -> DataFrame:
        texts = [f"{text} AS `{name}`" for name, text in asked.items()]
        counts.update(frame.selectExpr(*texts).collect()[0].asDict())
        return frame

    rest = ("merged", ["row"], inputs, variant, Policy(), 0, was)
    return merge(bench, *rest, stored=stored, watch=Asked(observe, NAMES)), counts
