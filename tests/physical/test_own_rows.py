"""Which windows keep rows of their own behind a filter."""

from __future__ import annotations

import pytest

from reflow.compiler.physical.calls import KeepRows
from reflow.compiler.physical.program import PhysicalPlan
from reflow.compiler.pipeline import compile_text

STREAM = (
    "CREATE STREAM {} (ts BIGINT, k STRING, v INT, w INT{}, ORDER BY ts) FROM PARQUET 'in' "
    "WITH STATS (rate = 10, DISTINCT k = {}, DISTINCT v = 10){};\n"
)
JOIN = "SELECT a.v, b.w AS w2 FROM s [RANGE 9] AS a JOIN t [RANGE 9] AS b ON a.v = b.v WHERE {}"


def planned(query: str, kinds: int = 10, op: str = "", revisions: str = "") -> PhysicalPlan:
    streams = "".join(STREAM.format(name, op, kinds, revisions) for name in ("s", "t"))
    return compile_text(f"{streams}{query} INTO PARQUET 'out';").physical


def keeping(plan: PhysicalPlan) -> int:
    return sum(isinstance(step.call, KeepRows) for step in plan.steps)


@pytest.mark.parametrize(
    ("query", "windows", "archives"),
    [
        (JOIN.format("a.k = 'x' AND b.k = 'y'"), 2, 0),
        # What the other side reads is in the archive as it is.
        (JOIN.format("a.k = 'x'"), 1, 1),
        (JOIN.format("TRUE"), 0, 2),
        ("SELECT MAX(v) AS v FROM s [RANGE 9] WHERE k = 'x'", 1, 0),
        # Sums read what ends, and nothing else.
        ("SELECT SUM(v) AS v FROM s [RANGE 9] WHERE k = 'x'", 0, 1),
        # What an anti-join looks for is kept by key.
        (
            "SELECT a.v FROM s [RANGE 9] AS a WHERE NOT EXISTS "
            "(SELECT 1 FROM t [RANGE 9] AS b WHERE b.v = a.v AND b.k = 'x')",
            0,
            2,
        ),
        ("SELECT DISTINCT v FROM s [RANGE 9] WHERE k = 'x'", 0, 0),
    ],
)
def test_a_window_keeps_rows_that_are_read_while_they_are_valid(
    query: str, windows: int, archives: int
) -> None:
    plan = planned(query)
    assert keeping(plan) == windows
    assert sum(stream.keep is not None for stream in plan.streams) == archives
    assert sum(each.rule == "own_rows" and each.changed for each in plan.choices) == windows


def test_most_rows_are_read_from_the_archive() -> None:
    """Half of the rows, kept and folded, cost as much as all of them, read."""
    query = JOIN.format("a.k = 'x' AND b.k = 'y'")
    assert keeping(planned(query, kinds=3)) == 2
    assert keeping(planned(query, kinds=2)) == 0
    assert [each.changed for each in planned(query, kinds=2).choices] == [False, False]


def test_rows_that_may_be_corrected_are_read_from_the_archive() -> None:
    query = JOIN.format("a.k = 'x' AND b.k = 'y'")
    revisions = " REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 100"
    assert keeping(planned(query, op=", op STRING, KEY (w)", revisions=revisions)) == 0
