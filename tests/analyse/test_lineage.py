"""Lineage: how far an input reaches, and how far back its outputs look, operator by operator."""

from __future__ import annotations

import pytest

from reflow.compiler.analyse.lineage import Lineage, lineage_of
from reflow.compiler.plan.parse import parse

from .plans import below, over

S = "Scan s (t BIGINT, a INT, b STRING) order t"
Z = "Scan z (u BIGINT, c INT, d STRING) order u"
HOUR = 3_600_000_000


def lineage(text: str) -> dict[str, Lineage]:
    plan = parse(f"Sink q to memory as changelog emit changes columns (x)\n{below(text)}")
    return lineage_of(plan.sinks[0])


def window(kind: str, source: str = S) -> str:
    return over(f"Window {kind} ticks", source)


@pytest.mark.parametrize(
    ("kind", "length"),
    [
        ("now", 1),
        ("range 1", 1),
        ("range 5", 5),
        # An end at 5 + t goes up to the next multiple of 3: at most 2 later.
        ("range 5 slide 3", 7),
        ("range 5 slide 1", 5),
    ],
)
@pytest.mark.parametrize(
    "operator",
    ["", "Filter a > 1", "Project a", "Distinct", "Group by a make n = count(*) : BIGINT"],
)
def test_a_window_reaches_as_far_as_it_looks_back(operator: str, kind: str, length: int) -> None:
    text = window(kind)
    found = lineage(over(operator, text) if operator else text)
    assert found == {"s": Lineage(length, length)}


def test_days_of_a_time_zone_may_be_longer_by_an_hour() -> None:
    day = 24 * HOUR
    text = over(f"Window range {day} slide {day} zone Europe/Berlin", S)
    assert lineage(text)["s"].reach == 2 * day + HOUR - 1


@pytest.mark.parametrize(
    "operator",
    [
        "Join on a = c",
        "SemiJoin semi on a = c",
        "SemiJoin anti on a = c",
        "SetOperation except all",
        "SetOperation except all on a = c",
        "SetOperation intersect",
    ],
)
def test_an_input_reaches_as_its_own_window_and_needs_the_longest(operator: str) -> None:
    text = over(operator, window("range 5"), window("range 8", Z))
    assert lineage(text) == {"s": Lineage(5, 8), "z": Lineage(8, 8)}


def test_the_longest_path_of_a_stream_counts() -> None:
    text = over("Union", window("range 5"), window("range 9"))
    assert lineage(text) == {"s": Lineage(9, 9)}


@pytest.mark.parametrize("kind", ["istream", "dstream", "rstream"])
def test_a_report_looks_one_instant_back(kind: str) -> None:
    assert lineage(over(f"Report {kind}", window("range 5"))) == {"s": Lineage(6, 6)}


def test_windows_over_reports_add_up() -> None:
    inner = over("Report istream", window("range 5"))
    assert lineage(over("Window range 3 ticks", inner)) == {"s": Lineage(8, 8)}
    twice = over("Report dstream", over("Window range 3 ticks", inner))
    assert lineage(twice) == {"s": Lineage(9, 9)}


def test_a_row_of_a_stream_comes_once() -> None:
    for text in (S, over("Filter a > 1", S), over("Union", S, over("Filter a > 1", S))):
        assert lineage(text) == {"s": Lineage(1, 1)}
    assert lineage(over("Report istream", window("unbounded"))) == {"s": Lineage(1, 1)}


@pytest.mark.parametrize(
    "text",
    [
        over("Distinct", window("unbounded")),
        over("Group by a make n = count(*) : BIGINT", window("unbounded")),
        over("Report rstream", window("unbounded")),
        over("Report istream", over("Distinct", window("unbounded"))),
    ],
)
def test_without_a_window_there_is_no_bound(text: str) -> None:
    found = lineage(text)["s"]
    assert found == Lineage(None, None)
    assert not found.bounded


def test_one_stream_without_a_window_is_enough_to_need_all() -> None:
    text = over("Join on a = c", window("range 5"), window("unbounded", Z))
    assert lineage(text) == {"s": Lineage(5, None), "z": Lineage(None, None)}


def test_a_stream_beside_a_window_is_an_answer() -> None:
    """UNION ALL of the two: the stream's rows stay in it."""
    text = over("Union", window("range 5"), Z)
    assert lineage(text) == {"s": Lineage(5, None), "z": Lineage(None, None)}


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("RowsWindow 3 slide 2 ticks", "number of rows"),
        ("RowsWindow 3 by (`a` : INT) slide 2 ticks", "number of rows"),
        ("RowsWindow 3 slide 2 range 5 ticks", "number of rows"),
        ("SessionWindow 5 by (`a` : INT) ticks", "session"),
    ],
)
def test_where_rows_decide_it_says_so(kind: str, why: str) -> None:
    text = over("Union", over(kind, S), window("range 4", Z))
    found = lineage(text)
    assert found["s"].reach is None and found["z"].reach == 4
    for each in found.values():
        assert each.need is None and why in (each.why_not or "") and not each.bounded


def test_a_window_by_count_records_what_it_reaches() -> None:
    """Its rows at an instant are recorded; of a window by time beside it, they are counted back."""
    assert lineage(over("RowsWindow 3 by (`a` : INT) ticks", S)) == {
        "s": Lineage(1, 1, rows=3, of_rows=3)
    }
    joined = lineage(over("Union", over("RowsWindow 3 ticks", S), window("range 4", Z)))
    assert joined == {
        "s": Lineage(1, 4, rows=3, of_rows=3),
        "z": Lineage(4, 4, of_rows=3),
    }
    # Rows that are no stream's own may be moved themselves.
    above = lineage(over("RowsWindow 2 ticks", over("RowsWindow 3 ticks", S)))["s"]
    assert above.need is None and "number of rows" in (above.why_not or "")


def test_an_age_bounds_a_window_by_rows() -> None:
    assert lineage(over("RowsWindow 3 by (`a` : INT) range 5 ticks", S)) == {"s": Lineage(5, 5)}


def test_what_relations_hold_is_older_than_any_window() -> None:
    log = "Scan r (t BIGINT, a INT, b STRING) order t promises (changes of a relation)"
    text = over("Join on a = c", over("Relation key (a)", log), window("range 5", Z))
    found = lineage(text)
    assert (found["z"].reach, found["z"].need, found["r"].reach) == (5, None, None)
    assert "relation r" in (found["z"].why_not or "")


def test_the_version_that_a_row_met_is_not_kept() -> None:
    join = "NrrJoin v (k INT) key (k) columns k = k on a = k"
    found = lineage(over(join, window("range 5")))["s"]
    assert (found.reach, found.need) == (5, 5)
    assert "version of v" in (found.why_not or "") and not found.bounded
