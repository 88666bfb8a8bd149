"""Joins that read the current rows off the state of their group, and whose changes nobody takes."""

from __future__ import annotations

import pytest

from reflow.compiler.analyse import Facts, analyse
from reflow.compiler.plan.operators import Join
from reflow.compiler.plan.parse import parse

from .plans import over

S = "Scan s (t BIGINT, a INT, b STRING, r DOUBLE) order t"
NOW = f"Window now ticks\n  {S}"
LONG = f"Window range 5 ticks\n  {S}"
SUMS = over("Group by b make n = count(*) : BIGINT", LONG)
NAMED = over("Project k = b, n", SUMS)
MOST = over("Project k = b, n", over("Group by b make n = max(a) : INT", LONG))
BY_DOUBLE = over("Project k = r, n", over("Group by r make n = count(*) : BIGINT", LONG))
SINK = "Sink {} to memory as changelog emit changes columns (x)"


def facts(*queries: str) -> Facts:
    return analyse(parse("\n".join(over(SINK.format(f"q{n}"), q) for n, q in enumerate(queries))))


def shown(found: Facts) -> list[str]:
    """The kinds of the operators whose changes nobody takes."""
    return sorted(type(operator).__name__ for operator in found.silent)


READ_OFF = over("Join on b = k", NOW, NAMED)


def test_rows_of_one_tick_take_no_changes_of_their_group() -> None:
    found = facts(READ_OFF)
    assert [(type(join), at) for join, at in found.read_off.items()] == [(Join, 1)]
    assert shown(found) == ["Group", "Project"]


def test_the_sides_may_be_exchanged() -> None:
    found = facts(over("Join on k = b", NAMED, NOW))
    assert list(found.read_off.values()) == [0]
    assert shown(found) == ["Group", "Project"]


def test_what_another_query_shows_is_made() -> None:
    found = facts(READ_OFF, NAMED)
    (join,) = found.read_off
    assert shown(found) == []
    assert found.reads_off(join, join.inputs[1])
    assert not found.reads_off(join, join.inputs[0])


def test_two_joins_may_read_one_group_off() -> None:
    other = over("Join on b = k where n > 3", NOW, NAMED)
    assert shown(facts(READ_OFF, other)) == ["Group", "Project"]


def test_another_part_of_the_query_may_take_them() -> None:
    wanted = over("Project m = k, n2 = n", over("Filter n > 3", NAMED))
    text = over("Join on b = m", over("Join on b = k", NOW, NAMED), over("Distinct", wanted))
    assert "Group" not in shown(facts(text))


@pytest.mark.parametrize(
    "text",
    [
        # Rows that live longer meet the changes.
        over("Join on b = k", LONG, NAMED),
        # Contents of a window are no sums.
        over("Join on b = k", NOW, MOST),
        # Another zero than the row that asks.
        over("Join on r = k", NOW, BY_DOUBLE),
        # Not the whole key.
        over("Join on a = n", NOW, NAMED),
    ],
)
def test_others_take_them(text: str) -> None:
    found = facts(text)
    assert (found.read_off, found.silent) == ({}, frozenset())
