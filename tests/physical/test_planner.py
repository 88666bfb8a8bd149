"""Forms, strategies, archives and plain programs, as the contract of programs says."""

from __future__ import annotations

from typing import Any

import pytest

from reflow.compiler.physical import FOR_EVER, PhysicalPlan
from reflow.compiler.physical.calls import GroupRows, Hold
from reflow.compiler.physical.lengths import length_shown
from reflow.compiler.pipeline import compile_text

STREAMS = """
CREATE STREAM s (t BIGINT, a INT, b STRING, x DOUBLE, ORDER BY t) FROM CSV 'in/s';
CREATE STREAM z (t BIGINT, c INT, d STRING, ORDER BY t WITHIN 3) FROM CSV 'in/z';
CREATE NRR r (k INT, name STRING, KEY (k)) FROM CSV 'in/r.csv';
"""


def plan(query: str) -> PhysicalPlan:
    return compile_text(STREAMS + query).physical


def ops(query: str) -> list[str]:
    return [step.op for step in plan(query).steps]


def keep(query: str) -> dict[str, int | None]:
    return {stream.name: stream.keep for stream in plan(query).streams}


def only(query: str, kind: type[Any]) -> Any:
    [call] = [step.call for step in plan(query).steps if isinstance(step.call, kind)]
    return call


@pytest.mark.parametrize(
    ("select", "by"),
    [
        ("COUNT(*), SUM(a), AVG(a) AS m FROM s [RANGE 5]", "accumulators"),
        ("MAX(a) FROM s [RANGE 5]", "contents"),
        ("SUM(x) FROM s [RANGE 5]", "contents"),
        ("AVG(CAST(x AS DECIMAL(10,2))) FROM s [RANGE 5]", "accumulators"),
        ("MAX(x) FROM s [RANGE 4 SLIDE 2]", "panes"),
        ("SUM(x) FROM s [TUMBLE 4]", "panes"),
        ("MAX(a) FROM s [UNBOUNDED]", "accumulators"),
        ("SUM(x) FROM s", "accumulators"),
        ("MAX(s.a) FROM s [RANGE 4 SLIDE 2], z [RANGE 4] WHERE s.a = z.c", "contents"),
        ("SUM(s.a) FROM s [RANGE 4 SLIDE 2], z [RANGE 4] WHERE s.a = z.c", "accumulators"),
        ("MAX(a) FROM (SELECT DISTINCT a FROM s [UNBOUNDED]) AS u", "contents"),
    ],
)
def test_how_a_group_is_kept(select: str, by: str) -> None:
    assert only(f"SELECT {select} INTO CONSOLE;", GroupRows).by == by


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT a FROM s [RANGE 5] INTO PARQUET 'o' AS CHANGELOG", {"s": None}),
        ("SELECT a FROM s [RANGE 5] INTO CONSOLE", {"s": 5}),
        ("SELECT a FROM s [NOW] INTO CONSOLE", {"s": 1}),
        ("SELECT a FROM s INTO CONSOLE", {"s": None}),
        ("SELECT a, COUNT(*) AS n FROM s [RANGE 9] GROUP BY a INTO CONSOLE", {"s": 9}),
        ("SELECT a, COUNT(*) AS n FROM s [RANGE 8 SLIDE 2] GROUP BY a INTO CONSOLE", {"s": None}),
        ("SELECT a, COUNT(*) AS n FROM s GROUP BY a INTO CONSOLE", {"s": None}),
        ("SELECT DISTINCT a FROM s [RANGE 5] INTO PARQUET 'o'", {"s": None}),
        (
            "SELECT a, c FROM s [RANGE 5], z [RANGE 7 SLIDE 2] WHERE a = c INTO PARQUET 'o'",
            {"s": 5, "z": 9},
        ),
        (
            "SELECT a, c FROM s [UNBOUNDED], z [RANGE 7] WHERE a = c INTO PARQUET 'o'",
            {"s": FOR_EVER, "z": 7},
        ),
        (
            "SELECT l.a FROM s [RANGE 5] AS l, s [RANGE 8] AS r WHERE l.a = r.a INTO PARQUET 'o'",
            {"s": 8},
        ),
        ("SELECT a, name FROM s [RANGE 5] JOIN r ON a = k INTO CONSOLE", {"s": None}),
    ],
)
def test_how_much_is_archived(query: str, expected: dict[str, int | None]) -> None:
    assert keep(f"{query};") == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT ISTREAM a FROM s [RANGE 5] INTO CONSOLE", "Scan Window ToPoints Report Sink"),
        ("SELECT ISTREAM a FROM s [UNBOUNDED] INTO CONSOLE", "Scan Window Sink"),
        ("SELECT a FROM s INTO CONSOLE", "Scan Sink"),
        ("SELECT a FROM s [RANGE 5] INTO CONSOLE", "Scan Window ToPoints Sink"),
        ("SELECT a FROM s [RANGE 5] INTO PARQUET 'o' AS CHANGELOG", "Scan Window Sink"),
        (
            "SELECT DISTINCT a FROM s [RANGE 5] INTO PARQUET 'o' AS CHANGELOG",
            "Scan Window Distinct Hold Sink",
        ),
        (
            "SELECT a, COUNT(*) AS n FROM (SELECT ISTREAM a FROM s [RANGE 5]) [RANGE 3] GROUP BY a"
            " INTO CONSOLE",
            "Scan Window ToPoints Report AsStream Window Group Sink",
        ),
        (
            "SELECT g.a FROM (SELECT a, COUNT(*) AS n FROM s [RANGE 5] GROUP BY a) AS g,"
            " z [RANGE 5] WHERE g.n = z.c INTO CONSOLE",
            "Scan Window Group Scan Window ToPoints Join Sink",
        ),
    ],
)
def test_steps_between_forms(query: str, expected: str) -> None:
    assert [op for op in ops(f"{query};") if op != "Project"] == expected.split()


@pytest.mark.parametrize(
    ("window", "emit", "until"),
    [
        ("RANGE 5", "FINAL", "complete"),
        ("RANGE 5", "FROZEN", "frozen"),
        ("RANGE 4 SLIDE 2", "CHANGES", "now"),
        ("RANGE 4 SLIDE 2", "FINAL", "complete"),
    ],
)
def test_what_holds_rows_back(window: str, emit: str, until: str) -> None:
    query = f"SELECT a FROM s [{window}] EMIT {emit} INTO PARQUET 'o' AS CHANGELOG;"
    assert only(query, Hold).until == until


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("SELECT a FROM s WHERE a > 1 INTO PARQUET 'o'", True),
        ("SELECT a FROM s UNION ALL SELECT c FROM z INTO JSON 'o' AS APPEND", True),
        ("SELECT ISTREAM a FROM s INTO PARQUET 'o' AS APPEND", True),
        ("SELECT a FROM s INTO CONSOLE", False),
        ("SELECT a FROM s INTO PARQUET 'o' AS CHANGELOG", False),
        ("SELECT a FROM s EMIT FINAL INTO PARQUET 'o' AS APPEND", False),
        ("SELECT a FROM s [RANGE 5] INTO PARQUET 'o'", False),
        ("SELECT a, name FROM s JOIN r ON a = k INTO PARQUET 'o' AS APPEND", False),
    ],
)
def test_plain_programs(query: str, plain: bool) -> None:
    assert plan(f"{query};").plain is plain


def test_only_columns_that_are_read_are_declared() -> None:
    [stream] = plan("SELECT a FROM s [RANGE 5] WHERE b = 'x' INTO CONSOLE;").streams
    assert stream.columns == ("a", "b")
    [stream] = plan("SELECT COUNT(*) AS n FROM s [RANGE 5] INTO CONSOLE;").streams
    assert stream.columns == ("t",)


def test_ids_are_numbered_in_topological_order() -> None:
    steps = plan("SELECT a, c FROM s [RANGE 5], z [RANGE 5] WHERE a = c INTO CONSOLE;").steps
    assert [int(step.id[1:]) for step in steps] == list(range(1, len(steps) + 1))
    for step in steps:
        assert all(int(source[1:]) < int(step.id[1:]) for source in step.inputs)


def test_the_fingerprint_follows_the_meaning_only() -> None:
    query = "SELECT a FROM s [RANGE {}] INTO LOG '{}';"
    first = plan(query.format(5, "one")).fingerprint
    assert first == plan(query.format(5, "other")).fingerprint
    assert first != plan(query.format(6, "one")).fingerprint
    assert len(first) == 16


def test_a_written_limit_ahead_is_told_from_the_default() -> None:
    text = "CREATE STREAM w (t TIMESTAMP, a INT, ORDER BY t) FROM CSV 'in' {};"
    query = " SELECT a FROM w [NOW] INTO CONSOLE;"
    [default] = compile_text(text.format("") + query).physical.streams
    assert (default.max_ahead, default.max_ahead_written) == (86_400_000_000, False)
    [written] = compile_text(text.format("MAX AHEAD 1 DAY") + query).physical.streams
    assert (written.max_ahead, written.max_ahead_written) == (86_400_000_000, True)


@pytest.mark.parametrize(
    ("length", "timestamps", "shown"),
    [
        (300_000_000, True, "5 MINUTES"),
        (5_400_000_000, True, "1 HOUR 30 MINUTES"),
        (86_400_000_001, True, "1 DAY 1 MICROSECOND"),
        (1_500_000, True, "1 SECOND 500 MILLISECONDS"),
        (2000, False, "2000"),
    ],
)
def test_lengths_for_people(length: int, timestamps: bool, shown: str) -> None:
    assert length_shown(length, timestamps) == shown


def test_an_answer_begins_with_the_streams_of_its_query() -> None:
    both = "SELECT COUNT(*) AS n FROM s [RANGE 5] INTO CONSOLE;"
    assert only(both, GroupRows).streams is None
    queries = f"{both} SELECT c FROM z [RANGE 5] INTO CONSOLE;"
    assert only(queries, GroupRows).streams == ("s",)
    keyed = "SELECT a, COUNT(*) AS n FROM s [RANGE 5] GROUP BY a INTO CONSOLE;"
    assert only(f"{keyed} SELECT c FROM z [RANGE 5] INTO CONSOLE;", GroupRows).streams is None
