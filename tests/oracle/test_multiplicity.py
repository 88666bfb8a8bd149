"""Multiplicity functions and their differences."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

from .multiplicity import answer, canonical_row, difference, from_changes, map_rows, net


def test_changes_of_one_instant_are_netted() -> None:
    assert from_changes([(1, 1, ["a"]), (3, -1, ["a"]), (3, 1, ["a"])]) == {("a",): {1: 1}}


def test_pieces_that_touch_are_one_event() -> None:
    split = from_changes([(1, 1, ["a"]), (4, -1, ["a"]), (4, 1, ["a"]), (9, -1, ["a"])])
    assert split == from_changes([(1, 1, ["a"]), (9, -1, ["a"])])


def test_a_cut_leaves_out_later_instants() -> None:
    assert net({("a",): {1: 1, 9: -1}}, until=8) == {("a",): {1: 1}}


def test_answer_counts_what_is_valid() -> None:
    changes = from_changes([(1, 2, ["a"]), (3, -1, ["a"]), (4, -1, ["a"])])
    assert [answer(changes, t)[("a",)] for t in (0, 1, 3, 4)] == [0, 2, 1, 0]


def test_values_are_compared_by_meaning() -> None:
    noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    elsewhere = noon.astimezone(timezone(timedelta(hours=5)))
    assert canonical_row([noon, 1.0, Decimal("2.50")]) == canonical_row(
        [elsewhere, 1, Decimal("2.5")]
    )
    assert canonical_row([0.1 + 0.2]) == canonical_row([0.3])
    assert str(canonical_row([-0.0])[0]) == "0.0"


def test_renamed_rows_add_up() -> None:
    assert map_rows({(1,): {5: 1}, (2,): {5: 1, 7: -1}}, lambda row: ()) == {(): {5: 2, 7: -1}}


def test_the_difference_names_the_first_instant_and_the_rows() -> None:
    expected = from_changes([(1, 1, ["a"]), (4, 1, ["b"])])
    actual = from_changes([(1, 1, ["a"]), (5, 1, ["b"])])
    shown = difference(expected, actual)
    assert "1 rows differ, first at instant 4" in shown
    assert "+1@4" in shown and "+1@5" in shown
    assert difference(expected, dict(expected)) == ""
