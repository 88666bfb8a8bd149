"""What R3 and R4 make of rows that inputs lack, dispute or have in several copies."""

from __future__ import annotations

import pytest

from .base import Merge
from .elements import Adjust, Insert, Stable
from .in_order import R0, R1, R2, R2Duplicates
from .policies import CONSERVATIVE, FOLLOW_LEADER
from .r3 import R3
from .r4 import R4
from .test_policies import Taken, inserts, out


def test_r4_adjusts_as_many_copies_as_it_must() -> None:
    merge = R4(["a", "b"])
    taken = inserts("a", ("A", 1, 5), ("A", 1, 9), ("A", 1, 20)) + inserts("b", ("A", 1, 6))
    taken += inserts("b", ("A", 1, 9), ("A", 1, 30), ("A", 1, 40))
    assert out(merge, taken) == [
        *(Insert("A", 1, ve) for ve in (5, 9, 20)),
        Insert("A", 1, 40),
    ]
    assert merge.take("b", Stable(10)) == [Adjust("A", 1, 5, 6), Stable(10)]
    assert merge.take("b", Stable(50)) == [Adjust("A", 1, 20, 30), Stable(50)]


@pytest.mark.parametrize("merge", [R3, R4])
def test_what_the_leader_lacks_is_cancelled(merge: type[Merge]) -> None:
    """LMERGE V-C, as we read it: a missing element is a disagreement, the larger frontier wins."""
    merged = merge(["a", "b"])
    assert out(merged, inserts("a", ("A", 5, 20))) == [Insert("A", 5, 20)]
    assert merged.take("a", Stable(5)) == [Stable(5)]
    assert merged.take("b", Stable(8)) == [Adjust("A", 5, 20, 5), Stable(8)]
    assert merged.conflicts == 0  # a may cancel it, too
    assert merged.take("a", Stable(9)) == [Stable(9)]


@pytest.mark.parametrize("merge", [R3, R4])
def test_the_larger_frontier_wins(merge: type[Merge]) -> None:
    merged = merge(["a", "b"])
    taken = inserts("a", ("A", 1, 20)) + inserts("b", ("A", 1, 8), ("B", 2, 9))
    out(merged, [*taken, ("b", Stable(7))])
    assert merged.take("a", Stable(12)) == [Adjust("B", 2, 9, 7), Stable(12)]
    assert merged.conflicts == 1  # B; of A's end b may still say something else
    assert merged.take("b", Stable(9)) == []
    assert merged.conflicts == 2
    assert merged.take("b", Stable(21)) == [Adjust("A", 1, 20, 12), Stable(21)]
    assert merged.conflicts == 2


@pytest.mark.parametrize("merge", [R3, R4])
def test_of_equal_frontiers_the_first_in_merge_of_leads(merge: type[Merge]) -> None:
    merged = merge(["a", "b"], FOLLOW_LEADER)
    assert out(merged, [("b", Stable(3)), ("a", Stable(3))]) == [Stable(3)]
    assert out(merged, inserts("b", ("A", 5, 9))) == []
    assert out(merged, inserts("a", ("B", 5, 9))) == [Insert("B", 5, 9)]
    # The rows of a new leader come with it.
    assert merged.take("b", Stable(4)) == [Stable(4), Insert("A", 5, 9)]


@pytest.mark.parametrize("merge", [R0, R1, R2, R2Duplicates, R3, R4])
def test_an_input_joins_when_the_merged_stable_reaches_it(merge: type[Merge]) -> None:
    """LMERGE V-B: until then its stable does not count, as it may lack what others bring."""
    merged = merge(["a"])
    assert merged.attach("b", 10) == []
    assert out(merged, [*inserts("b", ("B", 6, 12)), ("b", Stable(14))]) in (
        [],
        [Insert("B", 6, 12)],
    )
    taken = inserts("a", ("A", 4, 9), ("B", 6, 12))
    assert Insert("A", 4, 9) in out(merged, taken)
    assert merged.take("a", Stable(9)) == [Stable(9)]
    assert merged.take("a", Stable(10)) == [Stable(10), Stable(14)]
    merged.detach("a")
    assert out(merged, inserts("b", ("C", 15, 16))) == [Insert("C", 15, 16)]
    assert merged.take("b", Stable(20)) == [Stable(20)]
    assert merged.conflicts == 0


def test_r4_adds_no_copy_to_what_is_half_frozen() -> None:
    merged = R4(["a", "b"])
    assert out(merged, [*inserts("a", ("A", 5, 20)), ("a", Stable(10))])
    assert out(merged, 2 * inserts("b", ("A", 5, 20))) == []
    assert merged.take("b", Stable(9)) == []
    assert merged.conflicts == 1


def test_r4_puts_out_each_frozen_copy_once() -> None:
    merged = R4(["a"], CONSERVATIVE)
    taken = inserts("a", ("A", 5, 8), ("A", 5, 30))
    assert out(merged, [*taken, ("a", Stable(10))]) == [Insert("A", 5, 8), Stable(5)]
    assert merged.take("a", Stable(20)) == []
    assert merged.take("a", Stable(31)) == [Insert("A", 5, 30), Stable(31)]


def test_an_input_that_joined_lacks_copies_that_were_fully_frozen() -> None:
    """Nothing is disputed: not what ended before, nor what b, which is behind, may yet adjust."""
    merged = R4(["a", "b"])
    merged.attach("c", 20)
    taken: Taken = inserts("a", ("A", 5, 15), ("A", 5, 30)) + inserts("b", ("A", 5, 22))
    taken += [*inserts("b", ("A", 5, 30)), *inserts("c", ("A", 5, 30)), ("a", Stable(21))]
    assert Stable(21) in out(merged, taken)
    assert out(merged, [("c", Stable(12)), ("b", Stable(12))]) == []
    assert out(merged, [("b", Adjust("A", 5, 22, 15)), ("c", Stable(25))]) == [Stable(25)]
    assert out(merged, [("b", Stable(24)), ("a", Stable(31))]) == [Stable(31)]
    assert merged.conflicts == 0
