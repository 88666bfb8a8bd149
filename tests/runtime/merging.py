"""Runs the operators of MERGE OF on small epochs, beside the reference (`tests.oracle.merge`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from reflow.runtime.deltas.merge.inputs import Input, Standing
from reflow.runtime.deltas.merge.operator import merge
from reflow.runtime.deltas.merge.policies import Policy as Ours
from reflow.runtime.deltas.merge.watch import Watch
from reflow.runtime.elements.columns import DAWN, FOREVER
from reflow.runtime.elements.deltas import Slice, shuffled, union
from reflow.runtime.epoch.tuning import tune

from ..oracle.merge.base import Merge
from ..oracle.merge.elements import INFINITY, Adjust, Element, Insert, Key, Stable, Time
from ..oracle.merge.epochs import canonical
from ..oracle.merge.policies import Policy
from ..oracle.merge.reconstitution import delta

SCHEMA = "row STRING, _kind STRING, _vs BIGINT, _ve BIGINT, _old BIGINT"
POSITIONED = f"{SCHEMA}, _pos BIGINT"
Line = tuple[Any, ...]


def ours(t: Time) -> int:
    return FOREVER if t == INFINITY else DAWN if t == -INFINITY else int(t)


def theirs(t: int) -> Time:
    return INFINITY if t == FOREVER else -INFINITY if t == DAWN else t


def net(elements: Sequence[Element]) -> list[Element]:
    """What an epoch's elements of one input come to, as AS ELEMENTS would write them: within a row
    and start what goes and what comes are paired in order. Adjusts first.
    """
    goes: dict[Key, list[Time]] = defaultdict(list)
    comes: dict[Key, list[Time]] = defaultdict(list)
    for (row, vs, ve), weight in sorted(delta(elements).items(), key=lambda item: repr(item[0])):
        side = comes if weight > 0 else goes
        side[vs, row] += [ve] * abs(weight)
    result: list[Element] = []
    for key in sorted(goes.keys() | comes.keys(), key=repr):
        vs, row = key
        old, new = sorted(goes[key]), sorted(comes[key])
        for i in range(max(len(old), len(new))):
            if i < len(old):
                result.append(Adjust(row, vs, old[i], new[i] if i < len(new) else vs))
            else:
                result.append(Insert(row, vs, new[i]))
    return sorted(result, key=_turn)


def _turn(element: Element) -> tuple[Any, ...]:
    match element:
        case Adjust(row=row, vs=vs, old=old, ve=ve):
            return (0, vs, repr(row), ve, old)
        case Insert(row=row, vs=vs, ve=ve):
            return (1, vs, repr(row), ve, 0)
    raise TypeError(element)


@dataclass
class Memory:
    """State in memory. `small`: all of it is written anew every epoch."""

    small: bool = True
    frames: dict[str, list[DataFrame]] = field(default_factory=dict)
    added: dict[str, list[DataFrame]] = field(default_factory=dict)

    def read(self, name: str, wanted: Slice | None = None) -> DataFrame | None:
        frame = union(*self.frames.get(name, []))
        condition = None if wanted is None else wanted.condition()
        return frame if frame is None or condition is None else frame.where(condition)

    def is_small(self, name: str) -> bool:
        return self.small

    def rows(self, name: str) -> int:
        return 0 if self.small else 10**9

    def replace(self, name: str, frame: DataFrame) -> None:
        self.added[name] = [frame.localCheckpoint(eager=False)]

    def add(self, name: str, frame: DataFrame, fold: Callable[[DataFrame], DataFrame]) -> None:
        before = self.frames.get(name, [])
        if len(before) > 2:
            both = union(*before, frame)
            assert both is not None
            self.added[name] = [fold(both).localCheckpoint(eager=False)]
        else:
            self.added[name] = [*before, frame.localCheckpoint(eager=False)]

    def commit(self) -> None:
        self.frames.update(self.added)
        self.added = {}


@dataclass
class Bench:
    """As much of an epoch as the operators ask for."""

    spark: SparkSession
    state: Memory = field(default_factory=Memory)
    number: int = 0
    _views: int = 0

    def __post_init__(self) -> None:
        tune(self.spark, small=True)

    def share(self, frame: DataFrame, at_once: bool = False) -> DataFrame:
        return frame.localCheckpoint(eager=False)

    def spread(self, frame: DataFrame, columns: Sequence[str]) -> DataFrame:
        return shuffled(frame, columns)

    def view(self, frame: DataFrame) -> str:
        self._views += 1
        frame.createOrReplaceTempView(f"bench_{self._views}")
        return f"bench_{self._views}"

    def sql(self, text: str) -> DataFrame:
        return self.spark.sql(text)


def framed(spark: SparkSession, elements: Sequence[Element], placed: bool) -> DataFrame | None:
    """Elements as an operator takes them; `placed`: with their order."""
    lines: list[Line] = []
    for place, element in enumerate(elements):
        match element:
            case Insert(row=row, vs=vs, ve=ve):
                lines.append((row, "insert", ours(vs), ours(ve), None, place))
            case Adjust(row=row, vs=vs, old=old, ve=ve):
                lines.append((row, "adjust", ours(vs), ours(ve), ours(old), place))
    if not lines:
        return None
    if placed:
        return spark.createDataFrame(lines, POSITIONED)
    return spark.createDataFrame([line[:-1] for line in lines], SCHEMA)


def read(frame: DataFrame | None) -> list[Element]:
    """Elements as an operator gives them."""
    lines = [] if frame is None else frame.select("row", "_kind", "_vs", "_ve", "_old").collect()
    result: list[Element] = []
    for row, kind, vs, ve, old in lines:
        if kind == "insert":
            assert old is None
            result.append(Insert(row, vs, theirs(ve)))
        else:
            result.append(Adjust(row, vs, theirs(old), theirs(ve)))
    return result


@dataclass(frozen=True)
class Turn:
    """An epoch: who leaves, who comes and what it is complete from, and what the inputs bring."""

    brings: dict[str, list[Element]]
    leaves: tuple[str, ...] = ()
    comes: tuple[tuple[str, Time], ...] = ()


def netted(turn: Turn, in_order: bool) -> dict[str, list[Element]]:
    """An epoch's elements as they are taken, each input's last stable behind."""
    result = {}
    for name, elements in turn.brings.items():
        told = [e for e in elements if not isinstance(e, Stable)]
        stables = [e for e in elements if isinstance(e, Stable)]
        result[name] = [*(told if in_order else net(told)), *stables[-1:]]
    return result


@dataclass
class Pair:
    """The operators and the reference, side by side."""

    bench: Bench
    reference: Merge
    variant: str
    policy: Policy
    lag: int
    placed: bool = False
    standing: Standing = field(default_factory=Standing)
    since: dict[str, Time] = field(default_factory=dict)
    stables: dict[str, int] = field(default_factory=dict)
    conflicts: int = 0

    def __post_init__(self) -> None:
        joins_late(self.reference)

    def expected(self, turn: Turn) -> list[Element]:
        """What the reference puts out."""
        return expected_of(self.reference, turn, self.variant not in ("R3", "R4"))

    def found(self, turn: Turn) -> list[Element]:
        """What the operators put out, the stable behind."""
        for name in turn.leaves:
            del self.since[name]
            self.stables.pop(name, None)
        self.since.update(turn.comes)
        given = netted(turn, self.variant not in ("R3", "R4"))
        inputs = []
        for name, since in self.since.items():
            elements = given.get(name, [])
            for element in elements:
                if isinstance(element, Stable):
                    self.stables[name] = max(self.stables.get(name, DAWN), ours(element.t))
            frame = framed(self.bench.spark, elements, self.placed)
            inputs.append(Input(name, frame, self.stables.get(name, DAWN), ours(since)))
        self.bench.number += 1
        policy = Ours(self.policy.name, self.policy.share)
        before = self.standing.stable
        made = merge(
            self.bench,  # type: ignore[arg-type]
            *("merged", ["row"], inputs, self.variant, policy, self.lag, self.standing),
            watch=Watch(self._observe),
        )
        elements = read(made.elements)
        self.bench.state.commit()
        self.standing = made.standing
        stable = [Stable(theirs(made.stable))] if made.stable > before else []
        return [*elements, *stable]

    def _observe(self, frame: DataFrame, asked: Mapping[str, str]) -> DataFrame:
        if "conflicts" in asked:
            self.conflicts += frame.selectExpr(asked["conflicts"]).collect()[0][0]
        return frame


def expected_of(reference: Merge, turn: Turn, in_order: bool) -> list[Element]:
    """What the reference puts out in an epoch."""
    sent = []
    if reference.policy.name == "conservative":
        reference.joins_now = True  # type: ignore[attr-defined]
        reference._advance()
        sent += reference._flush()
    for name in turn.leaves:
        sent += reference.detach(name)
    for name, since in turn.comes:
        sent += reference.attach(name, since)
    reference.joins_now = False  # type: ignore[attr-defined]
    for name, element in canonical(netted(turn, in_order)):
        sent += reference.take(name, element)
    return sent


def joins_late(reference: Merge) -> None:
    """With CONSERVATIVE an input joins when an epoch begins."""
    if reference.policy.name != "conservative":
        return
    joins = reference._joins

    def maybe() -> None:
        if getattr(reference, "joins_now", True):
            joins()

    reference._joins = maybe  # type: ignore[method-assign]


def stable_of(elements: Iterable[Element]) -> Time:
    return max((e.t for e in elements if isinstance(e, Stable)), default=-INFINITY)


def kept(memory: Memory, name: str) -> set[tuple[int, str]]:
    """The (vs, row) of the entries that are stored."""
    frame = memory.read(name)
    if frame is None:
        return set()
    weights: dict[tuple[int, str], int] = defaultdict(int)
    for vs, row, weight in frame.select("_vs", "row", "_w").collect():
        weights[vs, row] += weight
    assert set(weights.values()) <= {0, 1}
    return {key for key, weight in weights.items() if weight}
