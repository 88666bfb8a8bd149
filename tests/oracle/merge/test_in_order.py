"""What R0 to R2 put out, element by element, and what CLEANSE makes of disorder."""

from __future__ import annotations

import pytest

from .base import Merge
from .cleanse import Cleanse
from .elements import INFINITY, Adjust, Element, Insert, Stable
from .in_order import R0, R1, R2, R2Duplicates
from .policies import HALF_FROZEN
from .test_policies import Taken, inserts, out


def test_r0_takes_the_next_event_from_whoever_brings_it() -> None:
    taken = inserts("a", ("A", 1, 5), ("B", 3, 4))
    taken += inserts("b", ("A", 1, 5), ("B", 3, 4), ("C", 7, 9)) + inserts("a", ("C", 7, 9))
    assert out(R0(["a", "b"]), taken) == [Insert("A", 1, 5), Insert("B", 3, 4), Insert("C", 7, 9)]


def test_r1_counts_the_events_of_an_instant() -> None:
    taken = inserts("a", ("A", 1, 5), ("A", 1, 5))
    taken += inserts("b", ("A", 1, 5), ("A", 1, 5), ("B", 1, 9), ("A", 2, 3))
    taken += inserts("a", ("B", 1, 9), ("A", 2, 3), ("C", 2, 3))
    expected = [("A", 1, 5), ("A", 1, 5), ("B", 1, 9), ("A", 2, 3), ("C", 2, 3)]
    assert out(R1(["a", "b"]), taken) == [Insert(*event) for event in expected]


def test_r2_knows_the_rows_of_an_instant() -> None:
    taken = inserts("a", ("A", 1, 5)) + inserts("b", ("B", 1, 9), ("A", 1, 5), ("A", 2, 5))
    taken += inserts("a", ("B", 1, 9), ("C", 2, 4), ("A", 2, 5))
    expected = [("A", 1, 5), ("B", 1, 9), ("A", 2, 5), ("C", 2, 4)]
    assert out(R2(["a", "b"]), taken) == [Insert(*event) for event in expected]
    assert out(R2Duplicates(["a", "b"]), taken) == [Insert(*event) for event in expected]


def test_r2_counts_duplicates() -> None:
    taken = inserts("a", ("A", 1, 5), ("B", 1, 9)) + inserts("b", ("B", 1, 9), ("A", 1, 5))
    taken += inserts("b", ("A", 1, 5)) + inserts("a", ("A", 1, 5), ("A", 1, 6))
    expected = [("A", 1, 5), ("B", 1, 9), ("A", 1, 5), ("A", 1, 6)]
    assert out(R2Duplicates(["a", "b"]), taken) == [Insert(*event) for event in expected]


@pytest.mark.parametrize("merge", [R0, R1, R2, R2Duplicates])
def test_r0_to_r2_add_nothing_to_what_is_stable_and_hold_nothing_back(merge: type[Merge]) -> None:
    taken: Taken = [("a", Stable(10)), *inserts("b", ("A", 9, 12), ("A", 10, 12))]
    assert out(merge(["a", "b"]), taken) == [Stable(10), Insert("A", 10, 12)]
    with pytest.raises(ValueError, match="needs R3 or R4"):
        merge(["a"], HALF_FROZEN)
    with pytest.raises(ValueError, match="inserts only"):
        merge(["a"]).take("a", Adjust("A", 1, 2, 3))


@pytest.mark.parametrize("merge", [R0, R1, R2, R2Duplicates])
def test_what_waits_for_an_input_to_join_comes_in_its_place(merge: type[Merge]) -> None:
    merged = merge(["a"])
    merged.attach("b", 10)
    assert out(merged, inserts("b", ("B", 12, 14), ("C", 15, 16))) == []
    assert out(merged, inserts("a", ("A", 9, 13))) == [Insert("A", 9, 13)]
    expected = [Stable(10), Insert("B", 12, 14), Insert("C", 15, 16)]
    assert merged.take("a", Stable(10)) == expected
    assert out(merged, inserts("a", ("B", 12, 14), ("C", 15, 16), ("D", 17, 18))) == [
        Insert("D", 17, 18)
    ]


@pytest.mark.parametrize("merge", [R0, R1, R2, R2Duplicates])
def test_what_waits_is_forgotten_with_its_input(merge: type[Merge]) -> None:
    merged = merge(["a"])
    merged.attach("b", 10)
    out(merged, inserts("b", ("B", 12, 14)))
    merged.detach("b")
    merged.attach("b", 10)
    assert merged.take("a", Stable(10)) == [Stable(10)]


@pytest.mark.parametrize("merge", [R1, R2Duplicates])
def test_an_input_that_comes_again_is_counted_anew(merge: type[Merge]) -> None:
    merged = merge(["a", "b"])
    taken = inserts("b", ("B", 3, 5)) + inserts("a", ("B", 3, 5))
    assert out(merged, taken) == [Insert("B", 3, 5)]
    merged.detach("b")
    merged.attach("b", -INFINITY)
    assert out(merged, inserts("b", ("B", 3, 5))) == []
    assert out(merged, inserts("b", ("B", 3, 5))) == [Insert("B", 3, 5)]


def test_cleanse_puts_in_order_what_is_frozen() -> None:
    cleanse = Cleanse()
    given: list[tuple[Element, list[Element]]] = [
        (Insert("B", 5, 30), []),
        (Insert("A", 2, 9), []),
        (Insert("A", 5, 7), []),
        (Stable(6), [Stable(2)]),
        (Adjust("A", 2, 9, 8), []),
        (Stable(10), [Insert("A", 2, 8), Stable(5)]),
        (Insert("C", 11, 12), []),
        (Adjust("B", 5, 30, 13), []),
        (Stable(15), [Insert("A", 5, 7), Insert("B", 5, 13), Insert("C", 11, 12), Stable(15)]),
        (Insert("D", 20, INFINITY), []),
        (Stable(INFINITY), [Insert("D", 20, INFINITY), Stable(INFINITY)]),
    ]
    assert [(element, cleanse.take(element)) for element, _ in given] == given


def test_cleanse_of_inserts_waits_for_starts_only() -> None:
    cleanse = Cleanse(adjusts=False)
    assert cleanse.take(Insert("B", 5, 30)) == cleanse.take(Insert("A", 2, 40)) == []
    expected = [Insert("A", 2, 40), Insert("B", 5, 30), Stable(6)]
    assert cleanse.take(Stable(6)) == expected
    with pytest.raises(ValueError, match="without adjusts"):
        cleanse.take(Adjust("B", 5, 30, 31))
