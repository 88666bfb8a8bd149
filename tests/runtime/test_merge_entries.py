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

from ..oracle.merge.elements import Adjust, Element, Insert, Stable
from ..oracle.merge.policies import Policy
from ..oracle.merge.presentations import Variant
from ..oracle.merge.reconstitution import delta
from ..oracle.merge.test_merges import MERGES
from .merging import Turn, expected_of, joins_late, netted, ours, stable_of, theirs
from .test_merge_operators import KEYED, POLICIES, entries_of, many, turns

Key: TypeAlias = tuple[int, str]
Weights: TypeAlias = Counter[tuple[str, float, float]]

MACROS = (
    "CREATE MACRO get(a, i) AS list_extract(a, i + 1)",
    "CREATE MACRO array_repeat(x, n) AS list_transform(range(n), LAMBDA q: x)",
)


class Entries:
    """The entries of a merge, kept in memory and worked on by DuckDB."""

    def __init__(self, variant: Variant, policy: Policy, lag: int) -> None:
        self.keyed = Keyed("m", ("row",), variant == "R4", Ours(policy.name, policy.share))
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
        # An array's members count from 0 in Spark's lambdas.
        text = text.replace("(v, i) -> i ", "(v, i) -> i - 1 ")
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
            line.setdefault(f"_x{place}", []).append(told)
        else:
            line[f"_x{place}"] = told

    def _table(self, lines: Mapping[Key, dict[str, Any]], telling: Iterable[int]) -> pa.Table:
        """What `Keyed._gathered` makes."""
        element = pa.struct([("kind", pa.string()), ("_ve", pa.int64()), ("_old", pa.int64())])
        end = pa.list_(pa.int64()) if self.keyed.multiset else pa.int64()
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
                for ve in out or [] if isinstance(out, list) else [] if out is None else [out]:
                    result[row["row"], row["_vs"], theirs(ve)] += sign
            self.conflicts += row["_disputed"] and not was["_disputed"]
        return Counter({event: weight for event, weight in result.items() if weight})

    def _stable(self, worked: list[dict[str, Any]], run: Course) -> int:
        if not self.keyed.policy.is_conservative or run.bound == DAWN:
            return run.end.stable
        t = run.end.frontier
        held = min((row["_vs"] for row in worked if row["_kept"] and row["_vs"] < t), default=t)
        return max(run.end.stable, held)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: f"{p.name}-{p.share}")
@pytest.mark.parametrize("variant", KEYED)
@pytest.mark.parametrize("disputes", [False, True], ids=["agree", "dispute"])
def test_entries_are_the_reference(variant: Variant, policy: Policy, disputes: bool) -> None:
    """In every other epoch only those that elements tell of or a stable moves past are looked at,
    as where there are many.
    """
    random = Random(f"{variant} {policy} {disputes}")
    schedule = turns(random, variant, many(random, variant, 15), 5, disputes)
    lag = random.choice([0, 3])
    reference = MERGES[variant]([], policy, lag)
    joins_late(reference)
    entries = Entries(variant, policy, lag)
    for n, turn in enumerate(schedule):
        entries.prunes = random.random() < 0.5
        sent = expected_of(reference, turn, in_order=False)
        changes, stable = entries.take(turn)
        assert changes == delta(sent), n
        assert stable == ours(reference.stable), n
        assert entries.conflicts == reference.conflicts, n
        assert set(entries.stored) == entries_of(reference), n
