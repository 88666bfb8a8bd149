"""Where NULLs are: the columns of a plan's output that always are, and those that never are."""

from __future__ import annotations

import pytest

from .plans import over, root

S = "Scan s (t BIGINT, a INT, b STRING) order t"
Z = "Scan z (u BIGINT, c INT, d STRING) order u"
W = f"Window range 5 ticks\n  {S}"
V = f"Window range 9 ticks\n  {Z}"
ALONE = over("Project a, c = CAST(NULL AS INT) : INT", W)
R = "NrrJoin r (k STRING, v INT){} key (k) columns k = k, v = v on b = k"


@pytest.mark.parametrize(
    ("text", "always", "never"),
    [
        (S, "", "t"),
        ("Scan s (t BIGINT, a INT)", "", ""),
        (over("Filter a > 1", W), "", "t a"),
        (over("Filter a > 1 OR b = 'x'", W), "", "t"),
        (over("Filter a IS NULL", W), "", "t"),
        (ALONE, "c", ""),
        (over("Project a, n = 1 : INT, m = a + 1 : INT", over("Filter a > 1", W)), "", "a n"),
        (over("Project t, m = COALESCE(a, 0) : INT, x = t > 3 : BOOLEAN", W), "", "t m x"),
        (over("Union", ALONE, ALONE), "c", ""),
        (over("Union", ALONE, over("Project a, c = 3 : INT", over("Filter a > 1", W))), "", ""),
        (over("Join on a = c where b < d", W, V), "", "t u a b c d"),
        (over("SemiJoin on a = c where b < d", W, V), "", "t a b"),
        (over("SemiJoin anti on a = c where b < d", W, V), "", "t"),
        (over(R.format(""), W), "", "t b k"),
        (over(R.format(" outer"), W), "", "t"),
        (over("Group by a make n = count(*) : BIGINT, m = max(t) : BIGINT", W), "", "n"),
        (over("Group by t make m = max(a) : INT", W), "", "t"),
        (over("Distinct", over("Filter a > 1", W)), "", "t a"),
        (over("Report istream", W), "", "t"),
    ],
)
def test_where_nulls_are(text: str, always: str, never: str) -> None:
    operator, facts = root(text)
    found = facts.nulls[operator]
    assert (found.always, found.never) == (set(always.split()), set(never.split()))
