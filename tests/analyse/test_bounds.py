"""By what the state of each operator is bounded."""

from __future__ import annotations

import pytest

from reflow.compiler.analyse.bounds import (
    Bound,
    Endless,
    Incomplete,
    Lasting,
    LastRows,
    OneRow,
    OpenSessions,
    Values,
)

from .plans import over, root

S = "Scan s (t BIGINT, a INT, b STRING) order t"
Z = "Scan z (u BIGINT, c INT, d STRING) order u"
SHORT, LONG = f"Window range 5 ticks\n  {S}", f"Window range 9 ticks\n  {Z}"
FIVE, NINE = Lasting(5, False), Lasting(9, False)
COUNTS = "Group by a make n = count(*) : BIGINT"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (S, ()),
        (over("Filter a > 1", S), ()),
        (SHORT, ()),
        (over("RowsWindow 3 by (`a` : INT) ticks", S), (LastRows(3, ("`a`",)),)),
        (over("RowsWindow 3 by (`a` : INT) range 7 ticks", S), (Lasting(7, False),)),
        (over("SessionWindow 5 by (`b` : STRING) ticks", S), (OpenSessions(5, False),)),
        (over("Join on a = c", SHORT, LONG), (FIVE, NINE)),
        (over("Join on a = c", SHORT, Z), (FIVE, Endless())),
        # A pair ends with the row that ends first.
        (over("Distinct", over("Join on a = c", SHORT, LONG)), (FIVE,)),
        (over("Distinct", over("Join on a = c", S, LONG)), (NINE,)),
        (over("Distinct", S), (Values(("t", "a", "b")),)),
        (over("Distinct", over("Union", SHORT, S)), (Values(("t", "a", "b")),)),
        (over("Distinct", over("Window range 5 slide 3 ticks", S)), (Lasting(8, False),)),
        (over("Distinct", over("Window now ticks", S)), (Lasting(1, False),)),
        (over("Group by () make n = count(*) : BIGINT", S), (OneRow(),)),
        (over(COUNTS, S), (Values(("a",)),)),
        (over(COUNTS, SHORT), (FIVE,)),
        (over("Group by a make n = collect_list(b) : ARRAY<STRING>", S), (Endless(),)),
        (over("SemiJoin anti on a = c", SHORT, Z), (FIVE, Values(("u", "c", "d")))),
        (over("SetOperation except all", SHORT, LONG), (FIVE, NINE)),
        (over("SetOperation except all on a = c", S, LONG), (Endless(), NINE)),
        (over("Report istream", SHORT), (Incomplete(),)),
        (over("Report rstream", SHORT), (FIVE,)),
    ],
)
def test_state_is_as_large_as_its_bound(text: str, expected: tuple[Bound, ...]) -> None:
    operator, facts = root(text)
    assert facts.bounds[operator] == expected


@pytest.mark.parametrize("text", [over("Join on a = c", SHORT, Z), over("Distinct", S)])
def test_what_grows_is_not_bounded_by_time(text: str) -> None:
    """The two analyses agree: growth without end has a bound that is no length of time."""
    operator, facts = root(text)
    assert facts.growth[operator] != "bounded"
    assert any(isinstance(each, Endless | Values) for each in facts.bounds[operator])
