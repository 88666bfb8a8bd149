"""What R3 and R4 do to their entries is what the reference does: the SQL text of many drawn epochs,
read as DuckDB's. Spark runs fewer of them (`test_merge_operators`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
import pytest
import sqlglot

from reflow.runtime.deltas.merge.flight import Flight
from reflow.runtime.deltas.merge.inputs import Course, Input, Standing, course
from reflow.runtime.deltas.merge.keyed import Keyed
from reflow.runtime.deltas.merge.policies import Policy as Ours
from reflow.runtime.elements.columns import DAWN

from ..oracle.merge.elements import INFINITY, Adjust, Element, Insert, Stable
from ..oracle.merge.policies import CHATTY, CONSERVATIVE, HALF_FROZEN, Policy, fraction
from ..oracle.merge.presentations import Variant
from ..oracle.merge.r3 import R3
from ..oracle.merge.r4 import R4
from ..oracle.merge.reconstitution import delta
from .merging import Turn, expected_of, joins_late, netted, ours, stable_of, theirs
from .test_merge_operators import (
    KEYED,
    POLICIES,
    as_rows,
    entries_of,
    epochs_of,
    many,
    told,
    turns,
    turns_of_rows,
)

KEYED_BY: Mapping[Variant, type[R3] | type[R4]] = {"R3": R3, "R4": R4}
Key: TypeAlias = tuple[int, str]
Weights: TypeAlias = Counter[tuple[str, float, float]]

MACROS = (
    "CREATE MACRO get(a, i) AS list_extract(a, i + 1)",
    "CREATE MACRO array_repeat(x, n) AS list_transform(range(n), LAMBDA q: x)",
)


class Entries:
    """The entries of a merge, kept in memory and worked on by DuckDB."""

    def __init__(self, variant: Variant, policy: Policy, lag: int, by_start: bool = False) -> None:
        ours = Ours(policy.name, policy.share)
        self.keyed = Keyed("m", ("row",), variant == "R4", ours, by_start)
        self.lag = lag
        self.prunes = True
        self.standing = Standing()
        self.stored: dict[Key, dict[str, Any]] = {}
        self.conflicts = 0
        self.since: dict[str, float] = {}
        self.stables: dict[str, int] = {}
        self.duck = duckdb.connect()
        for macro in MACROS:
            self.duck.execute(macro)

    def take(self, turn: Turn) -> tuple[Weights, int]:
        """What changes in the output, and the stable."""
        for name in turn.leaves:
            del self.since[name]
            self.stables.pop(name, None)
        self.since.update(turn.comes)
        given = netted(turn, in_order=False)
        for name, elements in given.items():
            stable = max(self.stables.get(name, DAWN), ours(stable_of(elements)))
            self.stables[name] = stable
        inputs = [
            Input(name, None, self.stables.get(name, DAWN), ours(since))
            for name, since in self.since.items()
        ]
        run = course(self.standing, inputs, self.lag, self.keyed.policy.is_conservative)
        names = [each.name for each in inputs]
        told_by = {names.index(name): told for name, es in given.items() if (told := list(es))}
        worked = self._worked(names, told_by, run)
        changes = self._changes(worked)
        stable = self._stable(worked, run)
        self.standing = Standing(run.end.members, run.end.frontier, stable)
        return changes, stable

    def _worked(
        self, names: list[str], told_by: Mapping[int, list[Element]], run: Course
    ) -> list[dict[str, Any]]:
        was = self.standing.names
        anew = names != list(was) or (self.keyed.policy.looks_again and run.leads_anew)
        lines: dict[Key, dict[str, Any]] = {
            key: {"_known": True, "_was": entry}
            for key, entry in self.stored.items()
            if anew or not self.prunes or entry["_ve"] < run.bound
        }
        for place, elements in told_by.items():
            for element in elements:
                if isinstance(element, Stable):
                    continue
                key = (ours(element.vs), str(element.row))
                was_entry = self.stored.get(key)
                line = lines.setdefault(key, {"_known": key in self.stored, "_was": was_entry})
                self._tell(line, place, element)
        if not lines:
            return []
        table = self._table(lines, sorted(told_by))
        self.duck.register("source", table)
        flight = Flight(("row", "_vs"), len(names), tuple(sorted(told_by)))
        places = [was.index(name) if name in was else None for name in names]
        text = self.keyed._worked(flight, "source", places, run, names)
        found = self.duck.sql(sqlglot.transpile(text, read="spark", write="duckdb")[0])
        rows = found.to_arrow_table().to_pylist()
        for key in lines:
            self.stored.pop(key, None)
        for row in rows:
            if row["_kept"]:
                parts = ("_ve", "_ends", "_out", "_disputed")
                self.stored[row["_vs"], row["row"]] = {part: row[part] for part in parts}
        return list(rows)

    def _tell(self, line: dict[str, Any], place: int, element: Element) -> None:
        match element:
            case Insert(ve=ve):
                told = {"kind": "insert", "_ve": ours(ve), "_old": None}
            case Adjust(old=old, ve=ve):
                told = {"kind": "adjust", "_ve": ours(ve), "_old": ours(old)}
            case Stable():
                return
        if self.keyed.multiset:
            copies = line.setdefault(f"_x{place}", [])
            same = [each for each in copies if {**each, "n": 0} == {**told, "n": 0}]
            copies += [] if same else [{**told, "n": 0}]
            (same or copies)[-1]["n"] += 1
        else:
            line[f"_x{place}"] = told

    def _table(self, lines: Mapping[Key, dict[str, Any]], telling: Iterable[int]) -> pa.Table:
        """What `Keyed._gathered` makes."""
        element = pa.struct(
            [("kind", pa.string()), ("_ve", pa.int64()), ("_old", pa.int64()), ("n", pa.int64())]
        )
        copies = pa.list_(pa.struct([("ve", pa.int64()), ("n", pa.int64())]))
        end = copies if self.keyed.multiset else pa.int64()
        ends = [("_ve", pa.int64()), ("_ends", pa.list_(end)), ("_out", end)]
        fields = [("row", pa.string()), ("_vs", pa.int64()), ("_known", pa.bool_())]
        fields.append(("_was", pa.struct([*ends, ("_disputed", pa.bool_())])))
        told = pa.list_(element) if self.keyed.multiset else element
        fields += [(f"_x{place}", told) for place in telling]
        none: list[Any] | None = [] if self.keyed.multiset else None
        empty = {f"_x{place}": none for place in telling}
        rows = [{"row": row, "_vs": vs, **empty, **line} for (vs, row), line in lines.items()]
        return pa.Table.from_pylist(rows, schema=pa.schema(fields))

    def _changes(self, worked: list[dict[str, Any]]) -> Weights:
        result: Weights = Counter()
        for row in worked:
            was = row["_was"] or {"_out": None, "_disputed": False}
            for out, sign in ((was["_out"], -1), (row["_out"], 1)):
                for ve, n in ends_of(out):
                    result[row["row"], row["_vs"], theirs(ve)] += sign * n
            self.conflicts += row["_disputed"] and not was["_disputed"]
        return Counter({event: weight for event, weight in result.items() if weight})

    def _stable(self, worked: list[dict[str, Any]], run: Course) -> int:
        if not self.keyed.policy.is_conservative or run.bound == DAWN:
            return run.end.stable
        t = run.end.frontier
        held = min((row["_vs"] for row in worked if row["_kept"] and row["_vs"] < t), default=t)
        return max(run.end.stable, held)


def ends_of(out: Any) -> list[tuple[int, int]]:
    """The ends of an output, each with its copies."""
    if isinstance(out, list):
        return [(each["ve"], each["n"]) for each in out]
    return [] if out is None else [(out, 1)]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: f"{p.name}-{p.share}")
@pytest.mark.parametrize("variant", KEYED)
@pytest.mark.parametrize("disputes", [False, True], ids=["agree", "dispute"])
def test_entries_are_the_reference(variant: Variant, policy: Policy, disputes: bool) -> None:
    """In every other epoch only those that elements tell of or a stable moves past are looked at,
    as where there are many.
    """
    random = Random(f"{variant} {policy} {disputes}")
    schedule = turns(random, variant, many(random, variant, 15), 5, disputes)
    agree(variant, policy, random.choice([0, 3]), schedule, random)


@pytest.mark.parametrize("disputes", [False, True], ids=["agree", "dispute"])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: f"{p.name}-{p.share}")
def test_many_copies_are_the_reference(policy: Policy, disputes: bool) -> None:
    """R4 takes equal elements of an epoch together, the reference one by one."""
    random = Random(f"{policy} {disputes}")
    events = [
        (random.choice("AB"), random.choice([3, 6]), random.choice([9, 12])) for _ in "x" * 30
    ]
    streams = {name: told(random, "R4", sorted(events, key=lambda e: e[1])) for name in "abc"}
    if disputes:
        streams["b"] = told(random, "R4", sorted(events[::2], key=lambda e: e[1]))
    schedule = [
        Turn(dict(zip("abc", parts, strict=True)))
        for parts in zip(*(epochs_of(random, es, 4) for es in streams.values()), strict=True)
    ]
    schedule[0] = Turn(schedule[0].brings, comes=come("a", "b", "c"))
    agree("R4", policy, 0, schedule, random)


@pytest.mark.parametrize("policy", [p for p in POLICIES if p != CONSERVATIVE], ids=str)
@pytest.mark.parametrize("variant", KEYED)
@pytest.mark.parametrize("disputes", [False, True], ids=["agree", "dispute"])
def test_rows_settle_by_start_as_in_the_reference(
    variant: Variant, policy: Policy, disputes: bool
) -> None:
    """Also rows that come late, and inputs that join with the rows from some time on. (A merge of
    rows takes CONSERVATIVE as HALF FROZEN: `test_rows` of the reference.)
    """
    random = Random(f"{variant} {policy} {disputes} rows")
    events = as_rows(many(random, variant, 15))
    schedule = turns_of_rows(random, variant, events, 5, disputes)
    agree(variant, policy, random.choice([0, 3]), schedule, random, by_start=True)


def agree(
    variant: Variant,
    policy: Policy,
    lag: int,
    schedule: list[Turn],
    random: Random,
    by_start: bool = False,
) -> list[Weights]:
    """What changes in every epoch, which is the reference's."""
    reference = KEYED_BY[variant]([], policy, lag, by_start)
    joins_late(reference)
    entries = Entries(variant, policy, lag, by_start)
    result = []
    for n, turn in enumerate(schedule):
        entries.prunes = random.random() < 0.5
        sent = expected_of(reference, turn, in_order=False)
        changes, stable = entries.take(turn)
        assert changes == delta(sent), n
        assert stable == ours(reference.stable), n
        assert entries.conflicts == reference.conflicts, n
        assert set(entries.stored) == entries_of(reference), n
        result.append(changes)
    return result


def come(*names: str, since: float = -INFINITY) -> tuple[tuple[str, float], ...]:
    return tuple((name, since) for name in names)


def a(vs: float, ve: float) -> Insert:
    return Insert("A", vs, ve)


@pytest.mark.parametrize("variant", KEYED)
def test_chatty_changes_nothing_before_the_merged_stable(variant: Variant) -> None:
    schedule = [
        Turn({"a": [a(1, 20), Stable(10)], "b": [a(1, 20)]}, comes=come("a", "b")),
        Turn({"b": [Adjust("A", 1, 20, 5)]}),
        Turn({"b": [Adjust("A", 1, 5, 25)]}),
    ]
    changes = agree(variant, CHATTY, 0, schedule, Random(1))
    assert changes[1] == Counter()


@pytest.mark.parametrize("variant", KEYED)
def test_what_comes_out_late_has_the_end_that_the_leader_says(variant: Variant) -> None:
    """Of inputs that have not joined, that of the first by name."""
    schedule = [
        Turn({"a": [a(6, 20)], "b": [a(6, 25), Stable(3)]}, comes=come("a", "b", "c")),
        Turn({}, leaves=("c",)),
    ]
    assert agree(variant, fraction(1.0), 0, schedule, Random(1))[1] == {("A", 6, 25): 1}
    late = come("z", "y", since=50)
    schedule = [
        Turn({"z": [a(6, 20)], "y": [a(6, 25)]}, comes=(*come("a", "b"), *late)),
        Turn({}, leaves=("a",)),
    ]
    assert agree(variant, fraction(0.6), 0, schedule, Random(1))[1] == {("A", 6, 25): 1}


@pytest.mark.parametrize("variant", KEYED)
def test_what_was_not_denied_may_be_brought_by_another(variant: Variant) -> None:
    """CONSERVATIVE has not put it out; who brought it has left."""
    schedule = [
        Turn({"a": [a(1, 20), Stable(10)]}, comes=come("a", "b")),
        Turn({}, leaves=("a",)),
        Turn({"b": [a(1, 20), Stable(30)]}),
    ]
    assert agree(variant, CONSERVATIVE, 0, schedule, Random(1))[2] == {("A", 1, 20): 1}


@pytest.mark.parametrize("variant", KEYED)
def test_a_row_is_disputed_once(variant: Variant) -> None:
    schedule = [
        Turn({"a": [a(1, 20), Stable(2)], "b": [Stable(2)]}, comes=come("a", "b")),
        Turn({}, leaves=("a",)),
        Turn({"c": [a(1, 20), Stable(2)]}, comes=come("c")),
    ]
    agree(variant, HALF_FROZEN, 5, schedule, Random(1))
