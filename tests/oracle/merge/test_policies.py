"""What R3 and R4 put out under each policy, element by element."""

from __future__ import annotations

import pytest

from .base import Merge
from .conditions import Step, chatter
from .elements import INFINITY, Adjust, Element, Insert, Stable, Time
from .in_order import R0, R1, R2, R2Duplicates
from .policies import (
    CHATTY,
    CONSERVATIVE,
    EAGER,
    FOLLOW_LEADER,
    HALF_FROZEN,
    Policy,
    fraction,
)
from .r3 import R3
from .r4 import R4

Taken = list[tuple[str, Element]]


def steps(merge: Merge, taken: Taken) -> list[list[Element]]:
    return [merge.take(name, element) for name, element in taken]


def test_the_counterexample_to_theorem_1() -> None:
    """DESIGN section 6: one insert comes in, and four elements go out; the property that counts
    inserts and adjusts holds."""
    taken: Taken = [("a", Insert("A", 1, 5))]
    for old, ve, t in ((5, 10, 7), (10, 15, 12), (15, 20, 17)):
        taken += [("a", Adjust("A", 1, old, ve)), ("a", Stable(t))]
    for merge in (R3(["a", "b"]), R4(["a", "b"])):
        sent = steps(merge, taken)
        inserts = [e for _, e in taken if isinstance(e, Insert)]
        out = [e for each in sent for e in each if not isinstance(e, Stable)]
        assert len(inserts) == 1 and len(out) == 4
        assert chatter([Step([e], s) for (_, e), s in zip(taken, sent, strict=True)]) == []


# Two inputs whose first guesses of A's end differ; a is ahead first, then b (our figures, in the
# manner of LMERGE Examples 3 to 5).
TWO: Taken = [
    ("a", Insert("A", 6, 20)),
    ("b", Insert("A", 6, 25)),
    ("b", Insert("B", 8, 10)),
    ("a", Adjust("A", 6, 20, 18)),
    ("a", Insert("B", 8, 10)),
    ("a", Stable(9)),
    ("b", Adjust("A", 6, 25, 18)),
    ("b", Stable(15)),
    ("b", Stable(19)),
]
NOTHING: list[Element] = []
A, B = Insert("A", 6, 20), Insert("B", 8, 10)


@pytest.mark.parametrize("merge", [R3, R4])
@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (
            EAGER,
            [
                [A],
                [],
                [B],
                [],
                [],
                [Stable(9)],
                [],
                [Stable(15)],
                [Adjust("A", 6, 20, 18), Stable(19)],
            ],
        ),
        (
            CHATTY,
            [
                [A],
                [],
                [B],
                [Adjust("A", 6, 20, 18)],
                [],
                [Stable(9)],
                [],
                [Stable(15)],
                [Stable(19)],
            ],
        ),
        (
            HALF_FROZEN,
            [
                [],
                [],
                [],
                [],
                [],
                [Insert("A", 6, 18), B, Stable(9)],
                [],
                [Stable(15)],
                [Stable(19)],
            ],
        ),
        (
            CONSERVATIVE,
            [[], [], [], [], [], [Stable(6)], [], [B], [Insert("A", 6, 18), Stable(19)]],
        ),
        (
            FOLLOW_LEADER,
            [
                [A],
                [],
                [],
                [],
                [B],
                [Stable(9)],
                [],
                [Stable(15)],
                [Adjust("A", 6, 20, 18), Stable(19)],
            ],
        ),
        (
            fraction(1.0),
            [
                *[[], [Insert("A", 6, 25)], [], [], [B], [Stable(9)], [], [Stable(15)]],
                [Adjust("A", 6, 25, 18), Stable(19)],
            ],
        ),
        (
            fraction(0.5),
            [
                [A],
                [],
                [B],
                [],
                [],
                [Stable(9)],
                [],
                [Stable(15)],
                [Adjust("A", 6, 20, 18), Stable(19)],
            ],
        ),
    ],
    ids=lambda p: f"{p.name}-{p.share}" if isinstance(p, Policy) else "",
)
def test_what_a_policy_puts_out(
    merge: type[Merge], policy: Policy, expected: list[list[Element]]
) -> None:
    assert steps(merge(["a", "b"], policy), TWO) == expected


def test_half_frozen_ends_are_adjusted_only_when_they_must() -> None:
    taken: Taken = [("a", A), ("a", Adjust("A", 6, 20, 30)), ("a", Stable(10)), ("a", Stable(20))]
    assert steps(R3(["a"]), taken)[2:] == [[Stable(10)], [Stable(20)]]
    assert steps(R3(["a"]), [*taken, ("a", Stable(21))])[4] == [Adjust("A", 6, 20, 30), Stable(21)]


@pytest.mark.parametrize("merge", [R0, R1, R2, R2Duplicates, R3, R4])
def test_the_merged_stable_lags_behind(merge: type[Merge]) -> None:
    lagging = merge(["a", "b"], EAGER, lag=5)
    assert lagging.take("a", Stable(10)) == [Stable(5)]
    assert lagging.take("b", Insert("A", 6, 9)) == [Insert("A", 6, 9)]
    assert lagging.take("b", Stable(9)) == []
    assert lagging.take("b", Stable(INFINITY)) in (
        [Stable(INFINITY)],
        [Adjust("A", 6, 9, 6), Stable(INFINITY)],
    )


def inserts(name: str, *events: tuple[str, Time, Time]) -> Taken:
    return [(name, Insert(*event)) for event in events]


def out(merge: Merge, taken: Taken) -> list[Element]:
    return [element for each in steps(merge, taken) for element in each]


@pytest.mark.parametrize("merge", [R3, R4])
def test_chatty_passes_a_cancel_on_when_no_input_has_the_row(merge: type[Merge]) -> None:
    merged = merge(["a", "b"], CHATTY)
    assert out(merged, inserts("a", ("A", 6, 20)) + inserts("b", ("A", 6, 20))) == [A]
    assert merged.take("a", Adjust("A", 6, 20, 6)) == []
    assert merged.take("b", Adjust("A", 6, 20, 6)) == [Adjust("A", 6, 20, 6)]
    assert merged.take("a", Stable(10)) == [Stable(10)]


def test_chatty_adjusts_each_copy_once() -> None:
    merged = R4(["a", "b"], CHATTY)
    assert out(merged, 2 * inserts("a", ("A", 6, 20)) + 2 * inserts("b", ("A", 6, 20))) == [A, A]
    later = Adjust("A", 6, 20, 25)
    assert merged.take("a", later) == [later]
    assert merged.take("b", later) == []
    assert merged.take("b", later) == [later]


@pytest.mark.parametrize("merge", [R3, R4])
def test_a_fraction_is_one_of_the_inputs_that_are_attached(merge: type[Merge]) -> None:
    """Of three and of two, 60 % are two; what has left has no row."""
    merged = merge(["a", "b", "c"], fraction(0.6))
    assert out(merged, inserts("a", ("A", 6, 20))) == merged.detach("a") == []
    assert out(merged, inserts("b", ("A", 6, 20))) == []
    assert out(merged, inserts("c", ("A", 6, 25))) == [Insert("A", 6, 25)]
    assert out(merged, inserts("b", ("B", 7, 9))) == []
    assert merged.detach("c") == [Insert("B", 7, 9)]
