"""Physical streams, and the conditions that judge merges."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from .conditions import Step, c1, c2, c3, chatter
from .elements import INFINITY, Adjust, Element, Insert, Stable
from .presentations import VARIANTS, Variant, logical, presentation
from .reconstitution import Broken, Physical, delta, reconstitute
from .watch import Watch


def physical(*elements: Element) -> Physical:
    stream = Physical()
    for element in elements:
        stream.add(element)
    return stream


def test_two_physical_streams_of_one_logical_stream() -> None:
    """The subject of LMERGE Tables I and II; the figures are ours: A lives in [6, 12), B in
    [8, 10). One stream guesses ends and adjusts them, the other brings B first and is sure."""
    one: list[Element] = [
        Insert("A", 6, INFINITY),
        Insert("B", 8, 11),
        Stable(8),
        Adjust("A", 6, INFINITY, 12),
        Adjust("B", 8, 11, 10),
        Stable(13),
    ]
    other: list[Element] = [Insert("B", 8, 10), Insert("A", 6, 12), Stable(13)]
    assert reconstitute(one) == reconstitute(other) == Counter({("A", 6, 12): 1, ("B", 8, 10): 1})
    assert reconstitute(one[:3]) == Counter({("A", 6, INFINITY): 1, ("B", 8, 11): 1})


def test_an_adjust_to_its_start_is_a_cancel() -> None:
    assert reconstitute([Insert("A", 1, 5), Insert("A", 1, 5), Adjust("A", 1, 5, 1)]) == Counter(
        {("A", 1, 5): 1}
    )


def test_the_delta_of_some_elements() -> None:
    elements: list[Element] = [
        Insert("A", 1, 5),
        Insert("B", 1, 5),
        Adjust("B", 1, 5, 1),
        Stable(1),
    ]
    elements += [Adjust("A", 1, 5, 7), Adjust("C", 1, 8, 9), Insert("D", 2, 8), Insert("D", 2, 8)]
    assert delta(elements) == {
        ("A", 1, 7): 1,
        ("C", 1, 8): -1,
        ("C", 1, 9): 1,
        ("D", 2, 8): 2,
    }


@pytest.mark.parametrize(
    "last",
    [
        Insert("B", 9, 20),
        Insert("B", 12, 12),
        Adjust("A", 5, 20, 9),
        Adjust("A", 5, 20, 5),
        Adjust("F", 1, 5, 12),
        Adjust("A", 5, 21, 22),
        Adjust("A", 6, 20, 22),
    ],
    ids=repr,
)
def test_what_a_physical_stream_may_not_say(last: Element) -> None:
    stream = physical(Insert("F", 1, 5), Insert("A", 5, 20), Stable(10), Adjust("A", 5, 20, 30))
    stream.add(Adjust("A", 5, 30, 20))
    with pytest.raises(Broken):
        stream.add(last)


@pytest.mark.parametrize("variant", VARIANTS)
def test_presentations_say_the_logical_stream(variant: Variant) -> None:
    kinds = set()
    for seed in range(60):
        random = Random(seed)
        events = logical(random, variant)
        elements = presentation(random, variant, events)
        assert reconstitute(elements) == Counter(events)
        starts = [e.vs for e in elements if isinstance(e, Insert)]
        kinds |= {type(element) for element in elements}
        if variant == "R0":
            assert starts == sorted(set(starts))
        elif variant in ("R1", "R2", "R2 duplicates"):
            assert starts == sorted(starts)
        if variant != "R1" and variant != "R2 duplicates" and variant != "R4":
            assert len({(row, vs) for row, vs, _ in events}) == len(events)
    assert (Adjust in kinds) == (variant in ("R3", "R4"))


def test_r1_presentations_have_their_ties_in_one_order_and_r2_presentations_do_not() -> None:
    def orders(variant: Variant) -> set[int]:
        random = Random(5)
        events = [("A", 1, 4), ("B", 1, 5), ("C", 1, 3), ("A", 2, 4), ("B", 2, 6)]
        drawn = (presentation(random, variant, events) for _ in range(20))
        return {hash(tuple(e for e in each if isinstance(e, Insert))) for each in drawn}

    assert len(orders("R1")) == 1
    assert len(orders("R2")) > 1


GIVEN = physical(Insert("A", 1, 5), Insert("B", 4, 20), Insert("C", 12, 14), Stable(10))
AGREES = (Insert("B", 4, 15), Insert("A", 1, 5), Insert("D", 11, 12))


def test_an_output_is_compatible_with_what_its_inputs_have_promised() -> None:
    """In the manner of LMERGE Examples 3 to 5 (the figures are ours): ends that are half frozen
    may differ, and so may all that is unfrozen."""
    output = physical(*AGREES, Stable(10))
    assert c1(output, 10) == c2(output, GIVEN) == c3(output, GIVEN) == []


def test_c1_is_broken_by_a_stable_that_no_input_has_said() -> None:
    output = physical(*AGREES, Stable(11))
    assert c1(output, 10) and c1(output, 11) == []


@pytest.mark.parametrize(
    "elements",
    [
        (Insert("A", 1, 6), Insert("B", 4, 15)),
        (Insert("B", 4, 15),),
        (Insert("A", 1, 5), Insert("A", 1, 5), Insert("B", 4, 15)),
        (Insert("A", 1, 5), Insert("E", 2, 3), Insert("B", 4, 15)),
        (Insert("A", 1, 5), Insert("B", 4, 9)),
    ],
    ids=repr,
)
def test_c2_is_broken_by_fully_frozen_events_that_differ(elements: tuple[Element, ...]) -> None:
    assert c2(physical(*elements, Stable(10)), GIVEN)
    assert c2(physical(*elements), GIVEN) == []


@pytest.mark.parametrize(
    "elements",
    [
        (Insert("A", 1, 5),),
        (Insert("A", 1, 5), Insert("B", 4, 9)),
        (Insert("A", 1, 5), Insert("B", 4, 20), Insert("E", 9, 20)),
        (Insert("A", 1, 5), Insert("B", 4, 20), Insert("B", 4, 20)),
    ],
    ids=repr,
)
def test_c3_is_broken_by_half_frozen_events_that_differ(elements: tuple[Element, ...]) -> None:
    assert c3(physical(*elements, Stable(10)), GIVEN)
    assert c3(physical(*elements), GIVEN) == []


def test_an_input_that_joins_is_held_to_what_it_is_complete_from() -> None:
    late = physical(Insert("B", 4, 20), Insert("C", 12, 14), Stable(10))
    output = physical(*AGREES, Stable(10))
    assert c2(output, late)
    assert c2(output, late, 6) == c3(output, late, 6) == []
    assert c2(output, late, 5)
    # Before the time is reached nothing can be said of what is half frozen.
    assert c3(physical(*AGREES, Stable(10)), physical(Stable(10)), 12) == []


def test_the_watch_sees_what_a_merge_does_wrong() -> None:
    def faults(*sent: Element) -> list[str]:
        watch = Watch(["a", "b"])
        watch.received("a", [Insert("A", 1, 5), Insert("B", 4, 20), Stable(10)])
        watch.received("b", [Insert("A", 1, 5), Stable(3)])
        watch.detach("a")
        watch.sent(sent)
        return [fault[:2] for fault in watch.faults()]

    assert faults(Insert("A", 1, 5), Insert("B", 4, 15), Stable(10)) == []
    assert faults(Insert("A", 1, 5), Insert("B", 4, 15), Stable(11)) == ["C1"]
    assert faults(Insert("A", 1, 6), Insert("B", 4, 15), Stable(10)) == ["C2"]
    assert faults(Insert("A", 1, 5), Stable(10)) == ["C3"]
    assert faults(Insert("B", 4, 15), Stable(2)) == ["C3", "C3"]


A = Insert("A", 1, 5)
LATER = Adjust("A", 1, 5, 7)


@pytest.mark.parametrize(
    "steps",
    [
        [Step([A], [A, A])],
        [Step([A], []), Step([LATER], [A, LATER, Adjust("A", 1, 7, 8), Stable(3)])],
        [Step([A, A], [A]), Step([Stable(3)], [LATER, Adjust("A", 1, 7, 8), Stable(3)])],
        [Step([A], [A]), Step([LATER], [LATER])],
    ],
)
def test_chatter_is_seen(steps: list[Step]) -> None:
    """More than was received; two adjusts with one stable; an adjust without one."""
    assert chatter(steps)


def test_no_chatter() -> None:
    assert chatter([Step([A], [A]), Step([LATER], []), Step([Stable(3)], [LATER, Stable(3)])]) == []
    two = [
        Step([A, A], [A, A]),
        Step([LATER] * 2, []),
        Step([Stable(3)], [LATER, LATER, Stable(3)]),
    ]
    assert chatter(two) == []
