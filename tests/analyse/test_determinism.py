"""What may come out differently when the same rows come again."""

from __future__ import annotations

import pytest

from .plans import over, root

COLUMNS = "(t BIGINT, a INT, b STRING)"
ORDERED = f"Scan s {COLUMNS} order t"
STRICT = f"{ORDERED} promises (strict)"
TIES = f"{ORDERED} promises (ties in order)"
FIRST = "Group by a make f = first(b) : STRING"
RELATION = "NrrJoin r (k INT, since BIGINT) key (k)"


def reasons(text: str) -> str:
    operator, facts = root(text)
    return "; ".join(facts.determinism[operator])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ORDERED, ""),
        (f"Scan s {COLUMNS}", "order values are stamped on arrival"),
        (over("Filter a > 1", ORDERED), ""),
        (over("Filter rand() > 0.5", ORDERED), "rand() > 0.5 gives another value each time"),
        (over("Project x = uuid() : STRING", ORDERED), "uuid() gives another value each time"),
        (over("RowsWindow 3 ticks", ORDERED), "rows of one instant count in the order of their"),
        (over("RowsWindow 3 ticks", STRICT), ""),
        (over("RowsWindow 3 ticks", TIES), ""),
        (over(FIRST, ORDERED), "rows of one instant count in the order of their"),
        (over(FIRST, TIES), ""),
        (over("Group by a make n = count(*) : BIGINT", ORDERED), ""),
        (
            over("SetOperation except all on a = a", ORDERED, ORDERED),
            "rows of one instant count in the order of their",
        ),
        (over("SetOperation except all", ORDERED, ORDERED), ""),
        (
            over(f"{RELATION} columns k = k on a = k", ORDERED),
            "a row meets the version that is there when it arrives",
        ),
        (over(f"{RELATION} version since columns k = k on a = k", ORDERED), ""),
    ],
)
def test_what_differs_is_said_where_it_arises(text: str, expected: str) -> None:
    found = reasons(text)
    assert found.startswith(expected)
    assert bool(found) == bool(expected)


def test_reasons_are_not_inherited() -> None:
    assert reasons(over("Distinct", over("RowsWindow 3 ticks", ORDERED))) == ""
