"""Which outputs of a program are shared, and which are computed at once."""

from __future__ import annotations

import pytest

from reflow.compiler.physical.program import Step
from reflow.compiler.physical.sharing import LEVELS
from reflow.compiler.pipeline import compile_text

STREAMS = """
SET optimizer = 'off';
CREATE STREAM s (t BIGINT, a INT, ORDER BY t) FROM CSV 'in/s';
CREATE STREAM z (t BIGINT, c INT, ORDER BY t) FROM CSV 'in/z';
"""


def joins(number: int) -> str:
    """FROM with so many joins, each on the one before."""
    others = (f" JOIN z [RANGE 5] AS z{i} ON s.a = z{i}.c" for i in range(number))
    return f"s [RANGE 5] AS s{''.join(others)}"


def steps(*queries: str, views: str = "") -> list[Step]:
    into = "INTO PARQUET 'out/q{}' AS CHANGELOG;"
    made = [f"CREATE QUERY q{i} AS {query} {into.format(i)}" for i, query in enumerate(queries)]
    return list(compile_text("\n".join([STREAMS, views, *made])).physical.steps)


def levels(made: list[Step]) -> list[int]:
    """The numbers, from 1, of the joins that are computed."""
    found = [step for step in made if type(step.call).__name__ == "JoinPairs"]
    return [number for number, step in enumerate(found, start=1) if step.computed]


def computed(made: list[Step]) -> list[str]:
    """The kinds of steps that are computed."""
    return [type(step.call).__name__ for step in made if step.computed]


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1, []), (LEVELS - 1, []), (LEVELS, [LEVELS]), (2 * LEVELS + 1, [LEVELS, 2 * LEVELS])],
)
def test_every_so_many_levels_one_is_computed(number: int, expected: list[int]) -> None:
    made = steps(f"SELECT s.a, COUNT(*) AS n FROM {joins(number)} GROUP BY s.a")
    assert levels(made) == expected


def test_what_only_sinks_read_is_not_computed() -> None:
    assert computed(steps(f"SELECT s.a + 1 AS b FROM {joins(LEVELS)} WHERE z0.c > 3")) == []
    assert computed(steps(f"SELECT s.a FROM {joins(LEVELS + 1)}")) == ["JoinPairs"]


def test_steps_without_state_are_no_levels() -> None:
    view = f"CREATE VIEW v AS SELECT s.a + 1 AS b FROM {joins(LEVELS - 1)} WHERE s.a > 3;"
    query = "SELECT b FROM v UNION ALL SELECT c FROM z [RANGE 5] AS z"
    assert computed(steps(f"SELECT DISTINCT b FROM ({query}) AS u", views=view)) == []


def test_a_group_is_left_to_those_who_look_its_rows_up() -> None:
    """What is built on its report is computed instead."""
    view = f"""
    CREATE VIEW v AS
    ISTREAM (SELECT s.a, COUNT(*) AS n FROM {joins(LEVELS - 1)} GROUP BY s.a);
    """
    query = "SELECT v.n, z.c FROM v [RANGE 5] AS v JOIN z [RANGE 5] AS z ON v.a = z.c"
    assert computed(steps(query, views=view)) == ["ReportRows"]


@pytest.mark.parametrize("number", [LEVELS - 1, LEVELS])
def test_a_join_that_two_read_is_shared_and_may_be_computed(number: int) -> None:
    made = steps(
        f"SELECT s.a, COUNT(*) AS n FROM {joins(number)} GROUP BY s.a",
        f"ISTREAM (SELECT s.a FROM {joins(number)})",
    )
    assert [step.computed for step in made if step.shared] == [number == LEVELS]
