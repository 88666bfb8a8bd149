"""Windows against the definition of DESIGN section 1."""

from typing import Any

from .windows import (
    Interval,
    Log,
    Now,
    Range,
    Rows,
    Session,
    Unbounded,
    intervals,
    round_up,
    tumble,
)


def test_range_is_valid_from_its_order_value_for_its_length() -> None:
    assert Range(10).interval(3) == (3, 13)


def test_slide_rounds_both_ends_up() -> None:
    assert Range(10, 4).interval(3) == (4, 16)
    assert Range(10, 4).interval(4) == (4, 16)
    assert Range(10, 4).interval(7) == (8, 20)


def test_a_length_below_the_slide_may_leave_nothing() -> None:
    assert Range(2, 5).interval(1) == (5, 5)
    assert Range(2, 5).interval(4) == (5, 10)


def test_tumbling_windows_follow_each_other() -> None:
    assert [tumble(5).interval(t) for t in (0, 1, 5, 6)] == [(0, 5), (5, 10), (5, 10), (10, 15)]


def test_negative_values_round_up_towards_zero() -> None:
    assert round_up(-7, 5) == -5
    assert round_up(-5, 5) == -5


def test_now_and_unbounded() -> None:
    assert Now().interval(3) == (3, 4)
    assert Unbounded().interval(3) == (3, None)


def valid(window: Any, *rows: tuple[int, str]) -> list[Interval | None]:
    return intervals(window, [(at, {"k": key}) for at, key in rows])


A = [(1, "a"), (2, "a"), (2, "a"), (4, "a"), (7, "a")]


def test_a_row_leaves_with_the_nth_later_one() -> None:
    assert valid(Rows(2), *A) == [(1, 2), (2, 4), (2, 7), (4, None), (7, None)]
    assert valid(Rows(1), *A) == [(1, 2), None, (2, 4), (4, 7), (7, None)], "ties as they arrived"


def test_each_key_has_rows_of_its_own() -> None:
    mixed = [(1, "a"), (2, "b"), (3, "a"), (4, "b"), (5, "a")]
    found = valid(Rows(2, ("k",)), *mixed)
    assert found == [(1, 5), (2, None), (3, None), (4, None), (5, None)]


def test_a_window_by_rows_slides_at_every_mth_row() -> None:
    # At the second row (2) it holds rows 1 and 2, at the fourth (4) rows 2 to 4.
    found = valid(Rows(3, (), 2), *A)
    assert found == [(2, 4), (2, None), (4, None), (4, None), None]
    assert valid(Rows(1, (), 2), *A) == [None, (2, 4), None, (4, None), None]


def test_rows_leave_by_number_or_by_age() -> None:
    found = valid(Rows(2, ("k",), 1, 3), *A)
    assert found == [(1, 2), (2, 4), (2, 5), (4, 7), (7, 10)]


def test_a_session_lasts_as_long_as_no_gap_is_too_long() -> None:
    assert valid(Session(3, ("k",)), *A) == [(1, 7), (2, 7), (2, 7), (4, 7), (7, 10)]
    assert valid(Session(4, ("k",)), *A) == [(at, 11) for at, _ in A]


def test_a_log_with_a_key_replaces_and_deletes_rows() -> None:
    log = Log(("k",), "op", {"c": "insert", "u": "replace", "d": "delete"}, ("t",))
    told = [
        (1, "u"),
        (2, "c"),
        (3, "u"),
        (4, "d"),
        (4, "d"),
        (5, "u"),
        (6, "c"),
        (6, "c"),
        (7, "?"),
    ]
    elements = [(at, {"k": "a", "op": op, "t": at}) for at, op in told]
    assert intervals(log, elements) == [
        None, (2, 3), (3, 4), None, None, None, (6, 6), (6, None), None,
    ]  # fmt: skip


def test_a_log_without_a_key_deletes_a_copy_of_the_whole_row() -> None:
    log = Log((), "op", {"+": "insert", "-": "delete"}, ("t",))
    told = [(1, "-", 7), (2, "+", 7), (3, "+", 7), (4, "+", 8), (5, "-", 7), (6, "-", 9)]
    elements = [(at, {"x": x, "op": op, "t": at}) for at, op, x in told]
    assert intervals(log, elements) == [None, (2, 5), (3, None), (4, None), None, None]


def test_a_log_that_says_nothing_of_operations_inserts() -> None:
    elements = [(1, {"x": 1}), (2, {"x": 1})]
    assert intervals(Log(), elements) == [(1, None), (2, None)]
    assert intervals(Log(("x",)), elements) == [(1, 2), (2, None)]
