"""The clock: frontiers never go back, and say who holds them back."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from reflow.runtime.elements.columns import DAWN
from reflow.runtime.ledger.clock import Clock

WITHIN = {"a": 0, "b": 5}
NOBODY: frozenset[str] = frozenset()


def after(
    *epochs: Mapping[str, tuple[int, int]],
    idle: frozenset[str] = NOBODY,
    within: Mapping[str, int] = WITHIN,
) -> Clock:
    """The clock after some epochs; `idle` holds in the last."""
    clock = Clock()
    for number, seen in enumerate(epochs, 1):
        clock = clock.advance(seen, idle if number == len(epochs) else NOBODY, within)
    return clock


def test_now_is_the_largest_order_value_of_any_stream() -> None:
    assert after({"a": (1, 7), "b": (2, 30)}).now == 30


def test_complete_waits_for_a_stream_that_has_shown_nothing() -> None:
    clock = after({"a": (1, 100)})
    assert clock.now == 100
    assert clock.complete == DAWN
    assert clock.held_back_by(WITHIN) == "b"


def test_complete_is_the_least_promise() -> None:
    clock = after({"a": (1, 40), "b": (2, 30)})
    assert clock.complete == clock.frozen == clock.closed == 25
    assert clock.held_back_by(WITHIN) == "b"


def test_an_idle_stream_holds_nobody_back() -> None:
    clock = after({"a": (1, 40)}, idle=frozenset({"b"}))
    assert clock.complete == 40
    assert clock.held_back_by(WITHIN) == "a"


def test_a_stream_that_wakes_up_behind_the_others_does_not_move_complete_back() -> None:
    clock = after({"a": (1, 40)}, idle=frozenset({"b"}))
    woken = clock.advance({"b": (10, 12)}, NOBODY, WITHIN)
    assert woken.complete == 40
    assert woken.held_back_by(WITHIN) == "b"


def test_where_all_are_idle_complete_stays() -> None:
    clock = after({"a": (1, 40), "b": (2, 30)}, {}, idle=frozenset({"a", "b"}))
    assert clock.complete == 25
    assert clock.held_back_by(WITHIN) is None


def test_first_is_the_least_value_of_some_streams_even_if_it_came_later() -> None:
    clock = after({"a": (10, 20), "b": (8, 9)}, {"a": (9, 21), "b": (6, 7)})
    assert clock.first(["a"]) == 9
    assert clock.first(["a", "b"]) == 6
    assert clock.first(["c"]) is None


def test_a_drain_closes_the_instant_now_and_leaves_rows_within_the_bound_welcome() -> None:
    clock = after({"a": (1, 40), "b": (2, 30)})
    drained = clock.drained(None, strict=False)
    assert (drained.now, drained.closed) == (40, 41)
    assert drained.complete == drained.frozen == 25


def test_a_strict_drain_makes_later_rows_at_now_late() -> None:
    drained = after({"a": (1, 40), "b": (2, 30)}).drained(None, strict=True)
    assert drained.closed == drained.complete == drained.frozen == 41


def test_until_moves_now_but_never_back() -> None:
    clock = after({"a": (1, 40), "b": (2, 30)})
    assert clock.drained(90, strict=False).now == 90
    assert clock.drained(90, strict=False).closed == 91
    assert clock.drained(10, strict=False).now == 40


def test_a_drain_before_the_first_element_changes_nothing() -> None:
    assert Clock().drained(None, strict=True) == Clock()
    assert Clock().drained(7, strict=False).now == 7


def test_after_a_drain_closed_stays_until_complete_passes_it() -> None:
    drained = after({"a": (1, 40), "b": (2, 30)}).drained(None, strict=False)
    later = drained.advance({"a": (41, 42)}, NOBODY, WITHIN)
    assert (later.closed, later.complete) == (41, 25)
    far = later.advance({"a": (99, 99), "b": (99, 99)}, NOBODY, WITHIN)
    assert far.closed == far.complete == 94


def test_json_keeps_the_clock() -> None:
    clock = after({"a": (1, 40), "b": (2, 30)}, {}, idle=frozenset({"b"})).drained(90, strict=False)
    assert Clock.from_json(clock.to_json()) == clock
    assert Clock.from_json(Clock().to_json()) == Clock()


ranges = st.tuples(st.integers(-50, 50), st.integers(0, 50)).map(lambda r: (r[0], r[0] + r[1]))
epochs = st.tuples(
    st.dictionaries(st.sampled_from(sorted(WITHIN)), ranges),
    st.frozensets(st.sampled_from(sorted(WITHIN))),
    st.sampled_from(["", "drain", "strict", "until"]),
)


@given(st.lists(epochs, max_size=8))
def test_no_frontier_ever_goes_back_and_their_order_holds(history: list[object]) -> None:
    clock = Clock()
    for seen, idle, end in history:  # type: ignore[misc]
        moved = clock.advance(seen, idle, WITHIN)
        if end:
            moved = moved.drained(60 if end == "until" else None, strict=end == "strict")
        assert moved.now >= clock.now
        assert moved.complete >= clock.complete
        assert moved.closed >= clock.closed
        assert moved.frozen >= clock.frozen
        assert moved.frozen <= moved.complete <= moved.closed <= max(moved.now + 1, DAWN)
        clock = moved


def followed(*epochs: Mapping[str, tuple[int, int]], bound: int | None) -> Clock:
    """The clock of stream `a` after some epochs, beside a relation `r` that does not move it."""
    clock = Clock()
    for seen in epochs:
        clock = clock.advance(seen, NOBODY, {"a": 0}, {"r": bound})
    return clock


def test_a_relation_moves_no_clock() -> None:
    clock = followed({"a": (1, 10), "r": (2, 99)}, bound=0)
    assert (clock.now, clock.complete) == (10, 10)
    assert followed({"r": (2, 99)}, bound=0).now == DAWN


def test_a_change_ahead_of_its_time_is_not_shown_yet() -> None:
    ahead = followed({"a": (5, 10), "r": (12, 99)}, bound=0)
    assert ahead.first(["r"]) is None
    assert ahead.advance({"a": (20, 20)}, NOBODY, {"a": 0}, {"r": 0}).first(["r"]) == 12


def test_the_disorder_of_a_relation_holds_complete_behind_now() -> None:
    assert followed({"a": (1, 10)}, bound=4).complete == 6


def test_a_relation_without_an_order_changes_at_now() -> None:
    assert followed({"a": (5, 10), "r": (0, 0)}, bound=None).first(["r"]) == 10


def test_what_comes_before_the_clock_is_there_from_its_first_instant_on() -> None:
    assert followed({"r": (DAWN, DAWN)}, bound=None).first(["r"]) is None
    assert followed({"r": (DAWN, DAWN)}, {"a": (5, 10)}, bound=None).first(["r"]) == 5
    moved = followed({"r": (DAWN, DAWN)}, bound=None).drained(7, strict=False)
    assert moved.first(["r"]) == 7


def test_what_is_frozen_lies_behind_the_rows_that_are_counted() -> None:
    clock = Clock().raised({"a": DAWN}).advance({"a": (1, 7)}, NOBODY, {"a": 0})
    assert (clock.complete, clock.frozen, clock.floor("a")) == (7, DAWN, DAWN)
    clock = clock.raised({"a": 5}).advance({"a": (8, 9)}, NOBODY, {"a": 0})
    assert (clock.complete, clock.frozen) == (9, 5)
    assert Clock.from_json(clock.to_json()) == clock


def test_the_floor_of_the_rows_that_are_counted_never_goes_back() -> None:
    clock = Clock().raised({"a": 5}).advance({"a": (1, 7)}, NOBODY, {"a": 0})
    assert clock.raised({"a": 3}).floor("a") == 5


def test_the_rows_that_are_counted_may_all_be_incomplete() -> None:
    clock = Clock().raised({"b": 9}).advance({"b": (9, 10)}, NOBODY, {"b": 5})
    assert (clock.complete, clock.frozen) == (5, 5)


def told(*epochs: tuple[Mapping[str, tuple[int, int]], int]) -> Clock:
    """The clock after epochs of an ordinary stream `a` and a stream of elements `b`, each with the
    largest stable of `b`.
    """
    clock = Clock()
    for seen, stable in epochs:
        clock = clock.advance(seen, NOBODY, {"a": 0, "b": 0}, stables={"b": stable})
    return clock


def test_elements_promise_no_more_than_their_last_stable() -> None:
    clock = told(({"a": (1, 40), "b": (5, 60)}, DAWN))
    assert (clock.now, clock.complete) == (60, DAWN)
    clock = told(({"a": (1, 40), "b": (5, 60)}, 20), ({}, 15))
    assert (clock.now, clock.complete, clock.frozen) == (60, 20, 20)
    assert clock.settled("b") == 20
    assert Clock.from_json(clock.to_json()) == clock


def test_a_stable_moves_now_and_is_no_first_instant() -> None:
    clock = told(({}, 70))
    assert (clock.now, clock.first(["a", "b"])) == (70, None)
    assert clock.complete == DAWN, "`a` has shown nothing"


def test_a_strict_drain_settles_elements_as_well() -> None:
    clock = told(({"a": (1, 40), "b": (5, 60)}, 20)).drained(None, strict=True)
    assert (clock.stable("b"), clock.settled("b")) == (20, 61)
