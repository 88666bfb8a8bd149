"""Windows against the definition of DESIGN section 1."""

from .windows import Now, Range, Unbounded, round_up, tumble


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
