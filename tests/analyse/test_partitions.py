"""By which column of each stream an answer falls apart, operator by operator."""

from __future__ import annotations

import pytest

from reflow.compiler.analyse.partitions import partition_of
from reflow.compiler.plan.parse import parse

from .plans import below, over

ROWS = "Scan s (t BIGINT, a INT, b STRING, x DOUBLE) order t"
S = over("Window range 5 ticks", ROWS)
Z = over("Window range 5 ticks", "Scan z (u BIGINT, c INT, d STRING, e BIGINT) order u")


def partition(*texts: str) -> dict[str, str]:
    sinks = (
        f"Sink q{n} to memory as changelog emit changes columns (x)\n{below(text)}"
        for n, text in enumerate(texts)
    )
    return partition_of(parse("\n".join(sinks)).sinks)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (over("Group by b make n = count(*) : BIGINT", S), {"s": "b"}),
        (over("Group by k = b make n = count(*) : BIGINT", S), {"s": "b"}),
        (over("Join on b = d", S, Z), {"s": "b", "z": "d"}),
        (over("SetOperation except all", S, S), {"s": "t"}),
        # Rows of one value push out each other.
        (over("RowsWindow 3 by (`b` : STRING) ticks", ROWS), {"s": "b"}),
        (over("RowsWindow 3 ticks", over("Filter b = 'x'", ROWS)), {"s": "b"}),
    ],
)
def test_what_is_equal_lies_together(text: str, found: dict[str, str]) -> None:
    assert partition(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (over("Group by () make n = count(*) : BIGINT", over("Filter b = 'x'", S)), {"s": "b"}),
        (over("Join", over("Filter a = 1", S), over("Filter c = 1", Z)), {"s": "a", "z": "c"}),
        # Another value on the other side; of the other side all; compared as numbers.
        (over("Join", over("Filter a = 1", S), over("Filter c = 2", Z)), {}),
        (over("Join", over("Filter a = 1", S), Z), {}),
        (over("Group by () make n = count(*) : BIGINT", over("Filter b = 1", S)), {}),
        (over("Group by () make n = count(*) : BIGINT", over("Filter b = 'x' OR a = 1", S)), {}),
    ],
)
def test_of_what_a_filter_lets_through(text: str, found: dict[str, str]) -> None:
    assert partition(text) == found


@pytest.mark.parametrize(
    "text",
    [
        # Rows of any value push out the others, whichever are let through then.
        over("RowsWindow 3 ticks", ROWS),
        over("Filter b = 'x'", over("RowsWindow 3 ticks", ROWS)),
        # One row over all.
        over("Group by () make n = count(*) : BIGINT", S),
        # Not the value itself.
        over("Group by k = upper(b) : STRING make n = count(*) : BIGINT", S),
        # Zeros of floating-point numbers are two values, and one group.
        over("Group by x make n = count(*) : BIGINT", S),
        # Compared after a cast.
        over("Join on a = e", S, Z),
        # All pairs meet.
        over("Join", S, Z),
    ],
)
def test_what_is_not_the_same_value_does_not(text: str) -> None:
    assert partition(text) == {}
