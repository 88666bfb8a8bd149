"""FEEDBACK: of which streams rows are skipped, and how far behind the merged frontier."""

from __future__ import annotations

import pytest

from reflow.compiler.physical.calls import Merged
from reflow.compiler.pipeline import compile_text
from reflow.grammar.diagnostic import CqlError

STREAM = "CREATE STREAM {} (t BIGINT, k STRING, ORDER BY t WITHIN 3{}) FROM JSON '{}' {};"
BASE = "".join(STREAM.format(name, "", name, "") for name in "abcd")
QUERY = "CREATE QUERY q AS SELECT k FROM m INTO LOG 'q';"


def skips(text: str, base: str = BASE) -> dict[str, dict[str, int]]:
    streams = compile_text(base + text).physical.streams
    return {each.name: dict(each.skips) for each in streams if each.skips}


def of_view(query: str) -> dict[str, int]:
    """Of a view as one of two inputs."""
    text = f"CREATE VIEW v AS {query}; CREATE STREAM m MERGE OF v, b FEEDBACK;{QUERY}"
    found = skips(text)
    assert found.pop("b") == {"m": 0}
    return {name: need for name, given in found.items() for need in given.values()}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT t, k FROM a WHERE k > 'x'", {"a": 0}),
        ("ISTREAM (SELECT t, k FROM a)", {"a": 0}),
        ("ISTREAM (SELECT t, k FROM a [RANGE 10])", {"a": 11}),
        ("ISTREAM (SELECT t, k FROM a [RANGE 10 SLIDE 4])", {"a": 15}),
        ("DSTREAM (SELECT MAX(t) AS t, k FROM a [RANGE 10] GROUP BY k)", {"a": 11}),
        ("ISTREAM (SELECT t, k FROM a [PARTITION BY k ROWS 2 RANGE 7])", {"a": 8}),
        (
            "ISTREAM (SELECT a.t, c.k FROM a [RANGE 10], c [RANGE 30] WHERE a.k = c.k)",
            {"a": 11, "c": 31},
        ),
        ("SELECT t, k FROM a UNION ALL SELECT t, k FROM c", {"a": 0, "c": 0}),
    ],
)
def test_how_far_an_input_looks_back(query: str, expected: dict[str, int]) -> None:
    assert of_view(query) == expected


@pytest.mark.parametrize(
    ("first", "need"), [("SELECT t, k FROM a", 0), ("ISTREAM (SELECT t, k FROM a [RANGE 10])", 11)]
)
def test_views_of_views_are_looked_at_once(first: str, need: int) -> None:
    """There are 2 ** 40 ways through them."""
    text = f"CREATE VIEW v0 AS {first};" + "".join(
        f"CREATE VIEW v{i + 1} AS SELECT t, k FROM v{i} UNION ALL SELECT t, k FROM v{i};"
        for i in range(40)
    )
    text += f"CREATE STREAM m MERGE OF v40, b FEEDBACK;{QUERY}"
    assert skips(text) == {"a": {"m": need}, "b": {"m": 0}}


def test_a_window_over_reports_looks_back_through_both() -> None:
    text = "CREATE VIEW r AS ISTREAM (SELECT t, k FROM a [RANGE 10]);"
    text += "CREATE VIEW v AS ISTREAM (SELECT t, k FROM r [RANGE 5]);"
    text += f"CREATE STREAM m MERGE OF v, b FEEDBACK;{QUERY}"
    assert skips(text) == {"a": {"m": 17}, "b": {"m": 0}}


@pytest.mark.parametrize(
    "query",
    [
        "ISTREAM (SELECT MAX(t) AS t, k FROM a [UNBOUNDED] GROUP BY k)",
        "ISTREAM (SELECT t, k FROM a [ROWS 3])",
        "ISTREAM (SELECT t, k FROM a [SESSION 5 BY k])",
        "ISTREAM (SELECT a.t, c.k FROM a [RANGE 10], c [UNBOUNDED] WHERE a.k = c.k)",
        "SELECT t, k FROM a [RANGE 10]",
    ],
)
def test_inputs_that_may_need_any_row_are_refused(query: str) -> None:
    with pytest.raises(CqlError, match="RF3016"):
        of_view(query)


def test_streams_that_others_read_or_that_are_corrected_are_not_skipped() -> None:
    merge = "CREATE STREAM m MERGE OF a, b FEEDBACK;"
    other = "CREATE QUERY other AS SELECT k FROM b INTO LOG 'other';"
    assert skips(merge + QUERY + other) == {"a": {"m": 0}}
    twice = "CREATE VIEW v AS SELECT t, k FROM a WHERE k = 'x';"
    both = f"{twice} CREATE STREAM m MERGE OF v, a FEEDBACK;{QUERY}"
    assert skips(both) == {}
    kept = STREAM.format("a", "", "a", "ARCHIVE KEEP 5") + STREAM.format("b", "", "b", "")
    assert skips(merge + QUERY, kept) == {"b": {"m": 0}}


def test_an_outer_frontier_reaches_the_streams_of_an_inner_merge() -> None:
    inner = (
        "CREATE STREAM i MERGE OF a, b{};CREATE VIEW v AS ISTREAM (SELECT t, k FROM i [RANGE 4]);"
    )
    text = inner + f"CREATE STREAM m MERGE OF v, c FEEDBACK;{QUERY}"
    outer = {"a": {"m": 5}, "b": {"m": 5}, "c": {"m": 0}}
    assert skips(text.format("")) == outer
    both = {"a": {"m": 5, "m.v.i": 0}, "b": {"m": 5, "m.v.i": 0}, "c": {"m": 0}}
    assert skips(text.format(" FEEDBACK")) == both


WRITES = "CREATE QUERY {} AS {} INTO PARQUET '{}' AS ELEMENTS;"


def heeds(text: str, base: str = BASE) -> dict[str, dict[str, int]]:
    streams = compile_text(base + text).physical.streams
    return {each.name: dict(each.heeds) for each in streams if each.heeds}


def test_streams_of_elements_skip_what_their_readers_have_merged() -> None:
    rows = WRITES.format("q", "SELECT k FROM a WHERE k > 'x'", "q")
    assert heeds(rows) == {"a": {"q": 0}}
    windows = WRITES.format("r", "ISTREAM (SELECT k FROM a [RANGE 10])", "r")
    assert heeds(rows + windows) == {"a": {"q": 0, "r": 11}}
    assert heeds("SET feedback = 'off';" + rows) == {}
    (told,) = [
        step.reason for step in compile_text(BASE + windows).physical.steps if step.id[0] == "k"
    ]
    assert told.endswith(
        "; feedback: skips rows of a that lie more than 11 before what all readers have merged"
    )


@pytest.mark.parametrize(
    "other",
    [
        "CREATE QUERY other AS SELECT k FROM a INTO LOG 'other';",
        "CREATE QUERY other AS SELECT k FROM a INTO PARQUET 'other' AS APPEND;",
        WRITES.format("other", "SELECT k FROM a [RANGE 10]", "other"),
        WRITES.format("other", "ISTREAM (SELECT k FROM a [ROWS 10])", "other"),
    ],
)
def test_what_others_read_is_not_skipped_for_readers_of_elements(other: str) -> None:
    rows = WRITES.format("q", "SELECT k FROM a UNION ALL SELECT k FROM b", "q")
    assert heeds(rows + other) == {"b": {"q": 0}}


def test_what_may_be_corrected_is_not_skipped_for_readers_of_elements() -> None:
    kept = STREAM.format("a", "", "a", "ARCHIVE KEEP 5")
    assert heeds(WRITES.format("q", "SELECT k FROM a", "q"), kept) == {}


def test_it_can_be_switched_off_and_explain_tells() -> None:
    merge = f"CREATE STREAM m MERGE OF a, b FEEDBACK;{QUERY}"

    def told(text: str) -> str:
        steps = compile_text(BASE + text).physical.steps
        return next(step.reason for step in steps if isinstance(step.call, Merged))

    assert skips("SET feedback = 'off';" + merge) == {}
    assert told("SET feedback = 'off';" + merge).endswith("; feedback: off")
    assert "feedback: skips rows of a that lie before the merged frontier, of b" in told(merge)
    assert "feedback" not in told(merge.replace(" FEEDBACK", ""))
