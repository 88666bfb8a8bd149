"""Which rows are absurdly far ahead of the rest of their epoch, and which come after a pause."""

from __future__ import annotations

from reflow.runtime.elements.columns import DAWN
from reflow.runtime.elements.validate import ahead_limit as limit_of
from reflow.runtime.elements.validate import rejection

HOUR = 3_600_000_000
DAY = 24 * HOUR


def ahead_limit(
    counts: list[tuple[int, int, int]],
    now: int,
    ahead: int,
    written: bool,
    first: int | None = None,
) -> int | None:
    return limit_of(counts, now, first, ahead, written)


def days(*rows: int) -> list[tuple[int, int, int]]:
    """Stretches of a day: day number -> rows; each from its second to its third hour."""
    return [(d * DAY + HOUR, d * DAY + 2 * HOUR, n) for d, n in enumerate(rows) if n]


def test_a_single_absurd_row_is_cut_off_behind_the_last_sound_one() -> None:
    counts = [*days(500, 500), (9_000 * DAY, 9_000 * DAY, 1)]
    assert ahead_limit(counts, DAWN, DAY, written=False) == DAY + 2 * HOUR


def test_one_row_in_a_hundred_may_be_absurd_and_more_are_a_fact() -> None:
    far = 9_000 * DAY
    assert ahead_limit([*days(494), (far, far, 6)], DAWN, DAY, written=False) is None
    assert ahead_limit([*days(495), (far, far, 5)], DAWN, DAY, written=False) == 2 * HOUR


def test_a_weekend_without_rows_is_no_absurdity() -> None:
    counts = days(900, 900, 900, 900, 900, 0, 0, 3)
    assert ahead_limit(counts, DAWN, DAY, written=False) is None


def test_a_weekend_within_an_epoch_is_judged_by_the_whole_history() -> None:
    """The last rows of Friday and the first ones of Monday may come in one epoch."""
    monday = [*days(0, 0, 0, 0, 200), (7 * DAY, 7 * DAY + HOUR, 2)]
    assert ahead_limit(monday, 4 * DAY, DAY, written=False, first=0) is None
    assert ahead_limit(monday, 4 * DAY, DAY, written=False, first=4 * DAY) == 4 * DAY + 2 * HOUR


def test_an_epoch_that_lies_ahead_as_a_whole_has_no_rest_to_be_ahead_of() -> None:
    """A row a week, each in an epoch of its own."""
    assert ahead_limit([(7 * DAY, 7 * DAY, 1)], 0, DAY, written=False, first=0) is None


def test_a_sparse_stream_keeps_its_rows() -> None:
    yearly = [(year * 365 * DAY, year * 365 * DAY, 1) for year in range(1, 6)]
    assert ahead_limit(yearly, DAWN, DAY, written=False) is None


def test_a_written_limit_counts_whatever_the_gaps_before_it() -> None:
    yearly = [(year * 365 * DAY, year * 365 * DAY, 1) for year in range(1, 6)]
    assert ahead_limit(yearly, DAWN, DAY, written=True) == 4 * 365 * DAY
    assert ahead_limit(yearly, DAWN, 366 * DAY, written=True) is None


def test_the_first_row_of_a_stream_has_nothing_to_be_ahead_of() -> None:
    assert ahead_limit([(9_000 * DAY, 9_000 * DAY, 1)], DAWN, DAY, written=True) is None


def test_a_lone_row_is_measured_against_what_was_committed() -> None:
    lone = [(9_000 * DAY, 9_000 * DAY, 1)]
    assert ahead_limit(lone, DAY, DAY, written=True) == DAY


def test_rows_behind_now_do_not_lower_the_limit() -> None:
    counts = [*days(500), (9_000 * DAY, 9_000 * DAY, 1)]
    assert ahead_limit(counts, 3 * DAY, DAY, written=False) == 3 * DAY


def test_nothing_to_judge() -> None:
    assert ahead_limit([], DAWN, DAY, written=True) is None


def test_before_the_first_element_no_row_is_late() -> None:
    assert "late" not in rejection("_corrupt", "_vs", DAWN)
    assert "THEN 'late'" in rejection("_corrupt", "_vs", 7)


def test_a_row_that_does_not_parse_is_malformed_before_it_is_anything_else() -> None:
    text = rejection("_corrupt", "_vs", 7)
    assert text.index("malformed") < text.index("no order value") < text.index("late")
