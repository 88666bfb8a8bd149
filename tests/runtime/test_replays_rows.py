"""Corrections by REPLAY below windows by count, against answers counted by hand."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reflow.compiler.pipeline import compile_text
from reflow.runtime.deltas import touched
from reflow.runtime.state import store

from ..harness.engine import Run
from ..oracle.multiplicity import answer
from .test_replays import revisions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXT = """
CREATE STREAM s (t BIGINT, id BIGINT, g INT, x INT, op STRING, KEY (id), ORDER BY t)
FROM JSON '{dir}/in' REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 1000;
CREATE STREAM z (t BIGINT, y INT, ORDER BY t) FROM JSON '{dir}/z';
"""
QUERIES = {
    "rows": "SELECT g, x FROM s [ROWS 3]",
    "sums": "SELECT g, SUM(x) AS total, COUNT(*) AS n FROM s [PARTITION BY g ROWS 2] GROUP BY g",
    "aged": "SELECT g, x FROM s [PARTITION BY g ROWS 2 RANGE 9]",
    "pairs": "SELECT a.x, b.x AS y FROM s [PARTITION BY g ROWS 2] AS a, s [RANGE 6] AS b"
    " WHERE a.g = b.g",
    # Nothing corrects the rows of the window: it is replayed because those beside it are.
    "beside": "SELECT s.x, z.y FROM s [RANGE 4], z [ROWS 2]",
    "both": "SELECT a.x, b.x AS y FROM s [ROWS 2] AS a, s [PARTITION BY g ROWS 1] AS b",
}


def text(technique: str, *queries: str) -> str:
    return TEXT + "\n".join(
        f"CREATE QUERY {name} AS {QUERIES[name]} REVISE BY {technique}"
        f" INTO PARQUET '{{dir}}/out/{name}' AS CHANGELOG;"
        for name in queries
    )


@dataclass
class Table:
    """The rows that stand, in order of their instants and of arrival."""

    rows: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    arrived: dict[int, int] = field(default_factory=dict)
    others: list[tuple[int, int]] = field(default_factory=list)

    def take(self, change: dict[str, Any]) -> None:
        key = change["id"]
        if change["op"] == "d":
            del self.rows[key]
            return
        at = self.rows[key][0] if change["op"] == "u" else change["t"]
        self.rows[key] = (at, change["g"], change["x"])
        self.arrived.setdefault(key, len(self.arrived))

    def upto(self, at: int) -> list[tuple[int, int, int]]:
        keys = sorted(self.rows, key=lambda key: (self.rows[key][0], self.arrived[key]))
        return [self.rows[key] for key in keys if self.rows[key][0] <= at]

    def last(self, at: int, rows: int, by_group: bool) -> list[tuple[int, int, int]]:
        found = self.upto(at)
        if not by_group:
            return found[-rows:]
        groups = {g for _, g, _ in found}
        return [row for g in groups for row in [r for r in found if r[1] == g][-rows:]]

    def answer(self, query: str, at: int) -> Counter[tuple[int, ...]]:
        young = [row for row in self.upto(at) if row[0] > at - 6]
        two = self.last(at, 2, True)
        match query:
            case "rows":
                return Counter((g, x) for _, g, x in self.last(at, 3, False))
            case "sums":
                groups = {g: [x for _, other, x in two if other == g] for _, g, _ in two}
                return Counter((g, sum(xs), len(xs)) for g, xs in groups.items())
            case "aged":
                return Counter((g, x) for t, g, x in two if t > at - 9)
            case "beside":
                known = [(t, y) for t, y in self.others if t <= at][-2:]
                return Counter((x, y) for t, _, x in young if t > at - 4 for _, y in known)
            case "pairs":
                return Counter((a[2], b[2]) for a in two for b in young if a[1] == b[1])
            case _:
                left, right = self.last(at, 2, False), self.last(at, 1, True)
                return Counter((a[2], b[2]) for a in left for b in right)


def epochs(seed: int) -> Iterator[list[dict[str, Any]]]:
    """Rows in order, and such as come late, are replaced or deleted, of any age."""
    draw = random.Random(seed)
    now, count = 10, 0
    standing: list[int] = []
    for _ in range(5):
        rows: list[dict[str, Any]] = []
        earlier = list(standing)
        for _ in range(draw.randint(1, 6)):
            now += draw.choice([0, 1, 1, 4])
            kind = draw.choice(["new", "new", "late", "u", "d", "d"])
            new = {"g": draw.randint(0, 2), "x": draw.randint(1, 99)}
            if kind in ("new", "late") or not earlier:
                late = draw.randint(1, 30) if kind == "late" else 0
                count += 1
                rows.append({"op": "c", "id": count, "t": max(now - late, 0), **new})
                standing.append(count)
            else:
                key = earlier.pop(draw.randrange(len(earlier)))
                rows.append({"op": kind, "id": key, "t": now, **new})
                if kind == "d":
                    standing.remove(key)
        yield rows


def play(run: Run, seed: int, queries: tuple[str, ...]) -> None:
    table = Table()
    for number, rows in enumerate(epochs(seed)):
        for each in rows:
            table.take(each)
        at = max(t for t, *_ in [*table.rows.values(), *table.others])
        table.others += [(at, number), (at, number + 100)]
        run.epoch({"s": rows, "z": [{"t": t, "y": y} for t, y in table.others[-2:]]})
        if number == 2:
            run.restart()
        for query in queries:
            told = run.changes(query)
            for at in range(run.now + 1):
                found = answer(told, at)
                assert found == table.answer(query, at), (query, number, at)
    assert run.dead_letters == 0


def test_auto_replays_windows_by_count() -> None:
    """As REPLAY MINIMAL does; but not one that moves at every other row, nor one of reports."""
    found = [compile_text(text(each, *QUERIES)).physical for each in ("REPLAY MINIMAL", "AUTO")]
    assert found[0].replay is not None and found[0].replay == found[1].replay
    assert found[0].fingerprint == found[1].fingerprint
    reported = f"SELECT x FROM ISTREAM({QUERIES['pairs']}) [ROWS 4]"
    for query in ("SELECT x FROM s [ROWS 4 SLIDE 2]", reported):
        direct = f"{TEXT} CREATE QUERY q AS {query} INTO PARQUET 'q' AS CHANGELOG;"
        assert compile_text(direct).physical.replay is None


@pytest.mark.spark
def test_a_slice_begins_at_the_correction(spark: SparkSession, tmp_path: Path) -> None:
    """What the window held before is recorded, and not read from the archive of the stream; what is
    recorded is corrected as well, and tells the next correction what stood then.
    """
    run = Run(spark, text("REPLAY MINIMAL", "rows"), tmp_path)
    table = Table()
    made = [{"op": "c", "id": n, "t": n, "g": 0, "x": n} for n in range(60)]
    corrections = (
        [{"op": "d", "id": 50, "t": None, "g": None, "x": None}],
        [{"op": "c", "id": 90, "t": 49, "g": 1, "x": 500}],
        [{"op": "u", "id": 90, "t": 49, "g": 2, "x": 501}, made[59] | {"op": "d"}],
    )
    for rows in (made[:40], made[40:], *corrections):
        run.epoch({"s": rows})
        for each in rows:
            table.take(each)
        told = run.changes("rows")
        assert all(answer(told, at) == table.answer("rows", at) for at in range(60))
    for each in revisions(run):
        # The three rows that come next, and no more than all that came since, and corrections.
        assert 3 <= each["rows_replayed"] <= 60 - 49 + 5


FINAL = """
CREATE QUERY final AS SELECT g, x FROM s [RANGE 6] EMIT FINAL
INTO PARQUET '{dir}/out/final' AS CHANGELOG;
"""


@pytest.mark.spark
@pytest.mark.parametrize("technique", ["REPLAY MINIMAL", "REPLAY ALL"])
def test_answers_are_those_counted_by_hand(
    spark: SparkSession, tmp_path: Path, technique: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All slices, and state and records of which only the keys that change are read."""
    if technique == "REPLAY ALL":
        for name, value in (("SMALL", -1), ("FOLD_AFTER", 2)):
            monkeypatch.setattr(store, name, value)
        monkeypatch.setattr(touched, "LARGE_STATE", -1)
    queries = tuple(QUERIES) if technique == "REPLAY MINIMAL" else ("rows", "sums", "beside")
    run = Run(spark, text(technique, *queries) + FINAL, tmp_path)
    play(run, 1, queries)
    # Held until it is complete, by a file whose rows have their place in the order of arrival.
    assert run.changes("final")
