"""Forms, retractions, reach, needed columns, keys and growth of plans."""

from __future__ import annotations

import pytest

from reflow.compiler.analyse import analyse
from reflow.compiler.analyse.reach import Reach
from reflow.compiler.plan.lifetimes import HOUR
from reflow.compiler.plan.operators import Scan
from reflow.compiler.plan.parse import parse

from .plans import over, root

S = "Scan s (t BIGINT, a INT, b STRING) order t key (t)"
Z = "Scan z (u BIGINT, c INT, d STRING) order u key (c)"
WINDOW = f"Window range 5 ticks\n  {S}"
GROUP = f"Group by a make n = count(*) : BIGINT\n  Window range 5 ticks\n    {S}"


ROWS = f"RowsWindow 3 by (`a` : INT) ticks\n  {S}"
SESSION = f"SessionWindow 5 by (`b` : STRING) ticks\n  {S}"
OTHER = f"Window range 9 ticks\n  {Z}"

FORMS = [
    (S, "intervals", False, True),
    (WINDOW, "intervals", False, False),
    (over("Join on a = c", WINDOW, OTHER), "intervals", False, False),
    (over("Distinct", WINDOW), "intervals", False, False),
    (over("Distinct", S), "intervals", False, False),
    (GROUP, "points", True, False),
    (over("Filter n > 1", GROUP), "points", True, False),
    (over("Join on a = c", GROUP, OTHER), "points", True, False),
    (over("Distinct", GROUP), "points", True, False),
    (ROWS, "points", True, False),
    (over("Filter a > 1", SESSION), "points", True, False),
    (over("Report istream", WINDOW), "points", True, False),
    (over("Report istream", S), "intervals", False, True),
    # A late copy makes a DISTINCT row begin earlier: its elements are no reports.
    (over("Report istream", over("Distinct", S)), "points", True, False),
    (
        over("Window range 5 ticks", over("Report istream", over("Distinct", S))),
        "intervals",
        True,
        False,
    ),
    (over("Report rstream", S), "points", True, False),
    (over("Window range 5 ticks", over("Report istream", WINDOW)), "intervals", True, False),
    (
        over("Distinct", over("Window range 5 ticks", over("Report istream", WINDOW))),
        "points",
        True,
        False,
    ),
]


@pytest.mark.parametrize(("text", "form", "retracts", "appends"), FORMS)
def test_form_retractions_and_appends(text: str, form: str, retracts: bool, appends: bool) -> None:
    operator, facts = root(text)
    assert facts.forms[operator] == form
    assert facts.retracting[operator] is retracts
    assert facts.append_only[operator] is appends


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (S, False),
        (WINDOW, False),
        (f"Window range 5 slide 2 ticks\n  {S}", True),
        (over("Filter a > 1", f"Window range 5 slide 2 ticks\n  {S}"), True),
        (over("Join on a = c", f"Window range 5 slide 2 ticks\n  {S}", OTHER), True),
        (over("Distinct", WINDOW), True),
        (over("Distinct", S), False),
        (GROUP, False),
        (f"RowsWindow 3 slide 2 ticks\n  {S}", False),
    ],
)
def test_what_may_start_after_now(text: str, expected: bool) -> None:
    operator, facts = root(text)
    assert facts.ahead[operator] is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (S, {Reach("s", None)}),
        (WINDOW, {Reach("s", 5)}),
        (f"Window now ticks\n  {S}", {Reach("s", 1)}),
        (f"Window range 5 slide 2 ticks\n  {S}", {Reach("s", 7)}),
        (f"Window range 5 slide 2 zone UTC\n  {S}", {Reach("s", 7 + HOUR)}),
        (over("Union", WINDOW, OTHER), {Reach("s", 5), Reach("z", 9)}),
        (over("NrrJoin r (k INT) key (k) columns k = k on a = k", WINDOW), set()),
        (over("Join on a = c", WINDOW, OTHER), set()),
        (GROUP, set()),
        (f"RowsWindow 3 range 5 ticks\n  {S}", set()),
    ],
)
def test_how_far_back_the_archive_reaches(text: str, expected: set[Reach]) -> None:
    operator, facts = root(text)
    assert facts.reaches[operator] == expected


SLIDE = f"Window range 4 slide 2 ticks\n  {S}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SLIDE, True),
        (over("Filter a > 1", SLIDE), True),
        (over("NrrJoin r (k INT) key (k) columns k = k on a = k", SLIDE), True),
        (over("Union", SLIDE, f"Window range 6 slide 2 ticks\n  {Z}"), True),
        (over("Union", SLIDE, OTHER), False),
        (over("Join on a = c", SLIDE, OTHER), False),
        (over("Window range 4 slide 2 ticks", over("Report istream", WINDOW)), False),
        (WINDOW, False),
    ],
)
def test_linear_segments_below_slides(text: str, expected: bool) -> None:
    operator, facts = root(text)
    assert facts.sliding[operator] is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (S, ("t",)),
        (WINDOW, ("t",)),
        (over("Project k = t, a", S), ("k",)),
        (over("Project a", S), None),
        (over("Join on a = c", WINDOW, OTHER), ("t",)),
        (over("Join on t = u", WINDOW, OTHER), ("c",)),
        (over("Join on b = d", WINDOW, OTHER), ("t", "c")),
        (over("NrrJoin r (k INT) key (k) columns k = k on a = k", WINDOW), ("t",)),
        (over("NrrJoin r (k INT, l INT) key (k) columns l = l on a = l", WINDOW), None),
        (over("Distinct", over("Project a", WINDOW)), ("a",)),
        (GROUP, ("a",)),
        (f"Group by () make n = count(*) : BIGINT\n  {S}", ()),
        (over("Union", WINDOW, OTHER), None),
        (over("Report istream", WINDOW), None),
        (ROWS, ("t",)),
        (f"RowsWindow 1 by (`b` : STRING) ticks\n  {S}", ("b",)),
        (f"RowsWindow 1 ticks\n  {S}", ()),
        (f"RowsWindow 1 by (UPPER(`b`) : STRING) ticks\n  {S}", ("t",)),
    ],
)
def test_keys(text: str, expected: tuple[str, ...] | None) -> None:
    operator, facts = root(text)
    assert facts.keys[operator] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (over("Filter a > 1", S), "bounded"),
        (over("Join on a = c", WINDOW, OTHER), "bounded"),
        (over("Join on a = c", S, OTHER), "for ever"),
        (over("NrrJoin r (k INT) key (k) columns k = k on a = k", S), "bounded"),
        (over("Distinct", S), "with distinct values"),
        (over("Distinct", WINDOW), "bounded"),
        (f"Group by a make n = count(*) : BIGINT\n  {S}", "with distinct values"),
        (f"Group by () make n = count(*) : BIGINT\n  {S}", "bounded"),
        (over("Report rstream", S), "for ever"),
        (f"RowsWindow 3 slide 2 ticks\n  {S}", "bounded"),
        (ROWS, "with distinct values"),
        (f"RowsWindow 3 range 5 by (`a` : INT) ticks\n  {S}", "bounded"),
        (SESSION, "with the length of sessions"),
        (over("Distinct", SESSION), "with the length of sessions"),
        (over("Distinct", over("Union", ROWS, SESSION)), "with distinct values"),
        (over("Join on a = c", SESSION, Z), "for ever"),
        # One branch without end is enough, though the pattern of the union is WK.
        (over("Distinct", over("Union", S, WINDOW)), "with distinct values"),
        (over("Join on a = c", over("Union", S, WINDOW), OTHER), "for ever"),
        # Groups come as often as there are keys.
        (
            over("Join on n = c", f"Group by a make n = count(*) : BIGINT\n  {S}", OTHER),
            "with distinct values",
        ),
        (over("Join on n = c", f"Group by () make n = count(*) : BIGINT\n  {S}", OTHER), "bounded"),
    ],
)
def test_growth_of_state(text: str, expected: str) -> None:
    operator, facts = root(text)
    assert facts.growth[operator] == expected


def test_needed_columns_over_several_queries() -> None:
    plan = parse(
        "Sink q to memory as changelog emit changes columns (a)\n"
        "  Project a\n"
        f"    {S}\n"
        "Sink r to memory as changelog emit changes columns (n)\n"
        "  Group by () make n = count(*) : BIGINT\n"
        "    Filter b = 'x'\n"
        f"      {S}\n"
    )
    facts = analyse(plan)
    [scan] = [operator for operator in plan.operators() if isinstance(operator, Scan)]
    assert facts.needed[scan] == {"a", "b"}
    assert facts.readers[scan] == 2


@pytest.mark.parametrize("above", ["Distinct", "Report istream"])
def test_rows_that_are_compared_are_needed_whole(above: str) -> None:
    operator, facts = root(over("Project a", over(above, WINDOW)))
    assert facts.needed[operator.inputs[0].inputs[0]] == {"t", "a", "b"}


def test_a_count_window_asks_for_the_order_of_arrival_of_what_lies_below_it() -> None:
    text = over(
        "RowsWindow 3 by (`a` : INT) ticks", over("Filter b = 'x'", over("Project a, b", S))
    )
    operator, facts = root(over("Project a", text))
    window = operator.inputs[0]
    filter_, project, scan = (
        window.inputs[0],
        window.inputs[0].inputs[0],
        window.inputs[0].inputs[0].inputs[0],
    )
    asked = [facts.arrival[each] for each in (operator, window, filter_, project, scan)]
    assert asked == [False, False, True, True, True]
    assert facts.needed[project] == {"a", "b"}, "the filter's, the partition's"
    _, facts = root(over("Distinct", SESSION))
    assert not any(facts.arrival.values())


def test_rows_of_one_place_are_needed_whole() -> None:
    """Ties are decided by values that nobody else may read."""
    for below_it in (over("Union", S, S), over("Report istream", WINDOW)):
        operator, facts = root(over("Project a", over("RowsWindow 3 ticks", below_it)))
        assert facts.needed[operator.inputs[0].inputs[0]] == {"t", "a", "b"}
    operator, facts = root(over("Project a", over("RowsWindow 3 ticks", S)))
    assert facts.needed[operator.inputs[0].inputs[0]] == {"a"}
