"""Forms, strategies, archives and plain programs, as the contract of programs says."""

from __future__ import annotations

from typing import Any

import pytest

from reflow.compiler.physical import FOR_EVER, PhysicalPlan
from reflow.compiler.physical.calls import Deliver, GroupRows, Hold, Select
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
        ("SUM(x) FROM s [RANGE 5]", "accumulators"),
        ("AVG(CAST(x AS DECIMAL(10,2))) FROM s [RANGE 5]", "accumulators"),
        ("MAX(x) FROM s [RANGE 4 SLIDE 2]", "panes"),
        ("SUM(x) FROM s [TUMBLE 4]", "panes"),
        ("MAX(x) FROM ISTREAM (SELECT x FROM s WHERE a > 1) [RANGE 4 SLIDE 2] AS i", "panes"),
        ("MAX(a) FROM ISTREAM (SELECT DISTINCT a FROM s) [RANGE 4 SLIDE 2] AS i", "contents"),
        ("MAX(a) FROM (SELECT a FROM s UNION ALL SELECT c FROM z [RANGE 4]) AS u", "contents"),
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


def test_reports_of_distinct_rows_are_made_of_points() -> None:
    query = "SELECT a FROM ISTREAM (SELECT DISTINCT a FROM s) [RANGE 5] AS i INTO PARQUET 'o';"
    assert ops(query) == [
        "Scan", "Project", "Distinct", "ToPoints", "Report", "AsStream", "Window", "Sink",
    ]  # fmt: skip


def test_pieces_of_a_row_are_not_appended_one_by_one() -> None:
    append = "INTO PARQUET 'o' AS APPEND"
    assert "ToPoints" in ops(f"SELECT DISTINCT a FROM s [RANGE 5] {append};")
    assert "ToPoints" not in ops(f"SELECT a FROM s [RANGE 5] {append};")
    assert "ToPoints" not in ops("SELECT DISTINCT a FROM s [RANGE 5] INTO PARQUET 'o';")


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        ("SELECT a FROM s", False),
        ("SELECT a FROM s [RANGE 5]", False),
        ("SELECT s.a FROM s [RANGE 5], z [RANGE 5] WHERE s.a = z.c", False),
        ("SELECT DISTINCT c FROM z [RANGE 5]", True),
        ("SELECT a, COUNT(*) AS n FROM s [RANGE 5] GROUP BY a", True),
        ("SELECT ISTREAM c FROM z [RANGE 5]", True),
    ],
)
def test_what_is_appended_for_good(select: str, expected: bool) -> None:
    """Only where a later row could ask for a correction are later rows refused after a drain."""
    physical = plan(f"{select} EMIT FINAL INTO PARQUET 'o' AS APPEND;")
    assert [query.final_append for query in physical.queries] == [expected]


def test_queries_that_begin_at_different_elements_do_not_share_a_row_over_nothing() -> None:
    count = "SELECT COUNT(*) AS n FROM s [RANGE 5]"
    physical = plan(
        f"CREATE QUERY p AS {count};"
        f"CREATE QUERY q AS SELECT x.n, z.c FROM ({count}) AS x, z [RANGE 5];"
    )
    calls = [step.call for step in physical.steps if isinstance(step.call, GroupRows)]
    assert [call.streams for call in calls] == [("s",), None]
    again = plan(f"CREATE QUERY p AS {count}; CREATE QUERY q AS {count} HAVING COUNT(*) > 1;")
    assert [step.op for step in again.steps].count("Group") == 1


def test_names_of_the_runtime_do_not_meet_those_of_the_user() -> None:
    stream = "CREATE STREAM u (t BIGINT, _id INT, _vs_r INT, ORDER BY t) FROM CSV 'in/u';"
    physical = plan(f"{stream} SELECT x._id, y._vs_r AS _w FROM u [RANGE 5] x, u [RANGE 3] y;")
    made = [
        name for s in physical.steps if isinstance(s.call, Select) for name, _ in s.call.columns
    ]
    assert made and not [name for name in made if name.startswith("_")]
    [deliver] = [step.call for step in physical.steps if isinstance(step.call, Deliver)]
    assert deliver.names == ("_id", "_w")


def test_views_of_views_take_no_time_without_bounds() -> None:
    views = "CREATE VIEW v0 AS SELECT a FROM s [RANGE 5];" + "".join(
        f"CREATE VIEW v{i + 1} AS SELECT a FROM v{i} UNION ALL SELECT a + 1 AS a FROM v{i};"
        for i in range(48)
    )
    assert len(plan(f"{views} SELECT a FROM v48;").steps) < 200


def test_a_long_chain_of_views_becomes_no_expression_without_bounds() -> None:
    views = "CREATE VIEW v0 AS SELECT a FROM s;" + "".join(
        f"CREATE VIEW v{i + 1} AS SELECT a * 2 + 1 AS a FROM v{i} WHERE a < {i};" for i in range(24)
    )
    physical = plan(f"{views} SELECT a FROM v24;")
    texts = [sql for s in physical.steps if isinstance(s.call, Select) for _, sql in s.call.columns]
    assert texts and max(map(len, texts)) < 1000


@pytest.mark.parametrize("around", ["abs({})", "({} + 1)", "CASE WHEN a > 1 THEN {} END"])
def test_the_deepest_nesting_of_the_grammar_compiles(around: str) -> None:
    text = "a"
    for _ in range(45):
        text = around.format(text)
    assert plan(f"SELECT {text} AS x FROM s [RANGE 5] WHERE NOT {text} > 3;").steps
