"""Rows asserted against rows found, and how they are shown."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from reflow.cli.testing.compare import compare, is_near
from reflow.cli.testing.shown import shown_instant, shown_value


def test_rows_are_compared_as_often_as_they_are_there() -> None:
    compared = compare([(1,), (1,), (2,)], [(2,), (1,), (3,)])
    assert (compared.missing, compared.unexpected) == ([(1,)], [(3,)])
    assert sorted(compared.both) == [(1,), (2,)]
    assert not compared.equal
    assert compare([], []).equal and not compare([()], []).equal


def test_doubles_are_near_and_each_row_is_taken_once() -> None:
    third = 1 / 3
    assert compare([("a", 0.333333333333), ("a", 0.3333333334)], [("a", third), ("a", third)]).equal
    once = compare([(0.333333333333,), (0.333333333333,)], [(third,)])
    assert len(once.missing) == 1 and not once.unexpected


@pytest.mark.parametrize(
    ("left", "right", "near"),
    [
        (1.0, 1.0 + 1e-12, True),
        (1.0, 1.00001, False),
        (0.0, 1e-15, True),
        (Decimal("0.1"), 0.1, True),
        (Decimal("0.10"), Decimal("0.1"), True),
        (Decimal("0.1"), Decimal("0.10000000001"), False),
        (1, True, True),
        (None, 0.0, False),
        ("NaN", "NaN", True),
        ((1, (0.1 + 0.2,)), (1, (0.3,)), True),
        ((1, 2), (1, 2, 3), False),
    ],
)
def test_near(left: object, right: object, near: bool) -> None:
    assert is_near(left, right) is near


def test_values_are_shown_as_they_are_written() -> None:
    values = [None, True, 1, 1.5, Decimal("1.50"), "it's", date(2026, 1, 31), (1, None)]
    shown = [shown_value(value, "UTC") for value in values]
    assert shown == ["NULL", "TRUE", "1", "1.5", "1.50", "'it''s'", "'2026-01-31'", "(1, NULL)"]
    moment = datetime(2026, 1, 5, 8, 30, tzinfo=UTC)
    assert shown_value(moment, "Europe/Berlin") == "'2026-01-05 09:30:00'"
    assert shown_value(moment.replace(tzinfo=None), "Europe/Berlin") == "'2026-01-05 08:30:00'"
    assert shown_instant(1_000_001, True, "UTC") == "'1970-01-01 00:00:01.000001'"
    assert shown_instant(1_000_001, False, "UTC") == "1000001"
    assert shown_instant(2**62, True, "UTC") == str(2**62)
    assert shown_instant(None, True, "UTC") == "any"
