"""Forms under SET execution: which edges turn into points where negative tuples are wanted."""

from __future__ import annotations

import pytest

from reflow.compiler.pipeline import compile_text

STREAMS = """
CREATE STREAM s (t BIGINT, a INT, b STRING, ORDER BY t) FROM CSV 'in/s';
CREATE STREAM z (t BIGINT, c INT, d STRING, ORDER BY t) FROM CSV 'in/z';
CREATE NRR r (k INT, name STRING, KEY (k)) FROM CSV 'in/r.csv';
"""
JOIN = "SELECT a FROM s [RANGE 5], z [RANGE 7] WHERE a = c"
INTO = " INTO PARQUET 'o' AS CHANGELOG"


def kinds(execution: str, query: str) -> str:
    text = f"SET execution = '{execution}';{STREAMS}{query};"
    steps = compile_text(text).physical.steps
    return " ".join(f"{step.op}:{step.form[0]}" for step in steps if step.op != "Project")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT a FROM s [RANGE 5]" + INTO, "Scan:i Window:i ToPoints:p Sink:p"),
        (
            JOIN + INTO,
            "Scan:i Window:i ToPoints:p Scan:i Window:i ToPoints:p Join:p Sink:p",
        ),
        (
            "SELECT DISTINCT a FROM s [RANGE 5]" + INTO,
            "Scan:i Window:i ToPoints:p Distinct:p Sink:p",
        ),
        # No δ*, though nothing is taken back.
        ("SELECT DISTINCT a FROM s" + INTO, "Scan:i ToPoints:p Distinct:p Sink:p"),
        # What nothing leaves needs no negative tuple.
        ("SELECT a FROM s [UNBOUNDED]" + INTO, "Scan:i Window:i Sink:i"),
        # A negative tuple would not meet the version again that its row had met.
        (
            "SELECT a, name FROM s [RANGE 5] JOIN r ON a = k" + INTO,
            "Scan:i Window:i NrrJoin:i ToPoints:p Sink:p",
        ),
        # Appended rows show no ends.
        (
            "SELECT a FROM s [RANGE 5] EMIT FINAL INTO PARQUET 'o' AS APPEND",
            "Scan:i Window:i Hold:i Sink:i",
        ),
    ],
)
def test_negative_tuples_begin_at_the_windows(query: str, expected: str) -> None:
    assert kinds("nt", query) == expected


def test_direct_execution_changes_no_form_but_stores_the_input_of_distinct() -> None:
    for query in (JOIN, "SELECT DISTINCT a FROM s [RANGE 5]"):
        assert kinds("direct", query + INTO) == kinds("upa", query + INTO)
    text = f"SET execution = 'direct';{STREAMS}SELECT DISTINCT a FROM s [RANGE 5]{INTO};"
    physical = compile_text(text).physical
    assert {stream.name: stream.keep for stream in physical.streams} == {"s": 5}
    assert ("spark.sql.parquet.filterPushdown", "false") in physical.settings


def test_only_update_patterns_let_a_row_look_up_the_current_one() -> None:
    grouped = "(SELECT c, COUNT(*) AS n FROM z [RANGE 7] GROUP BY c) AS g"
    query = f"SELECT s.a, g.n FROM s [RANGE 5], {grouped} WHERE s.a = g.c{INTO};"
    for execution, points in (("upa", 0), ("direct", 1), ("nt", 2)):
        found = kinds(execution, query.rstrip(";")).split()
        assert found.count("ToPoints:p") == points
