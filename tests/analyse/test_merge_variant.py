"""Which algorithm merges copies of a stream (LMERGE IV), and what keeps it from a cheaper one."""

from __future__ import annotations

import pytest

from reflow.compiler.analyse.merge_variant import MergeVariant, Variant, merge_variant
from reflow.compiler.analyse.stream_properties import Properties

from .plans import over, root
from .test_stream_properties import (
    COUNT,
    COUNTS,
    LATE,
    LATE_KEYED,
    ORDERED,
    STRICT,
    TIES,
    ticks,
)


def found(text: str, emit: str = "changes") -> MergeVariant:
    operator, facts = root(text, emit)
    return merge_variant({"q": facts.properties[operator]})


EXAMPLES: list[tuple[str, str, Variant]] = [
    ("a windowed count over a stream in order", over(COUNT, ticks(5, ORDERED)), "R0"),
    ("a count over a window that moves by steps", over(COUNT, ticks(10, ORDERED, 5)), "R0"),
    ("elements in order with ties in an order that repeats, as of a Top-k", TIES, "R1"),
    ("a strict stream whose window moves by steps", ticks(10, STRICT, 5), "R1"),
    ("groups over a stream in order", over(COUNTS, ORDERED), "R2"),
    ("groups over a stream with disorder", over(COUNTS, LATE), "R3"),
    ("a keyed stream with disorder, selected", over("Filter a > 1", LATE_KEYED), "R3"),
    ("the same, without its key", over("Project b = b : STRING", LATE_KEYED), "R4"),
]


@pytest.mark.parametrize(
    ("title", "text", "variant"), EXAMPLES, ids=[title for title, *_ in EXAMPLES]
)
def test_the_variant_follows_from_the_properties(title: str, text: str, variant: Variant) -> None:
    """LMERGE IV-G, from the most restricted case to the general one: its six examples as we know
    them, and two with steps."""
    assert found(text).name == variant


def test_what_is_held_until_it_is_complete_is_merged_cheaper() -> None:
    assert found(over(COUNT, LATE)).name == "R3"
    assert found(over(COUNT, LATE), "final").name == "R0"


STRICTLY = Properties(disorder=0, strict=True, loose=False, repeated=False)
IN_TIES = Properties(disorder=0, loose=False)
IN_ORDER = Properties(disorder=0)
KEYED = Properties(disorder=0, repeated=False)
TOLD_LATER = Properties(disorder=0, adjusted=True, repeated=False)
CORRECTED = Properties(disorder=7, corrected=True, repeated=False)
UNORDERED = Properties(disorder=None)


@pytest.mark.parametrize(
    ("properties", "name", "lacks"),
    [
        (STRICTLY, "R0", {}),
        (IN_TIES, "R1", {"R0": ["elements start together"]}),
        (
            IN_ORDER,
            "R2",
            {"R0": ["elements start together"], "R1": ["ties in any order"]},
        ),
        (
            TOLD_LATER,
            "R3",
            {
                "R0": ["elements start together", "ends told later"],
                "R1": ["ties in any order", "ends told later"],
                "R2": ["ends told later"],
            },
        ),
        (
            CORRECTED,
            "R3",
            {
                "R0": ["out of order", "corrected by late rows"],
                "R1": [
                    "out of order",
                    "ties in any order",
                    "corrected by late rows",
                ],
                "R2": ["out of order", "corrected by late rows"],
            },
        ),
        (
            UNORDERED,
            "R4",
            {
                "R0": ["in no order"],
                "R1": ["in no order", "ties in any order"],
                "R2": ["in no order"],
                "R3": ["equal rows start together"],
            },
        ),
    ],
)
def test_every_cheaper_variant_has_its_reasons(
    properties: Properties, name: Variant, lacks: dict[str, list[str]]
) -> None:
    variant = merge_variant({"a": properties})
    assert variant.name == name
    assert {each: list(reasons) for each, reasons in variant.cheaper} == lacks


def test_the_input_that_promises_least_decides() -> None:
    variant = merge_variant({"a": STRICTLY, "b": KEYED, "c": TOLD_LATER})
    assert variant.name == "R3"
    assert dict(variant.cheaper) == {
        "R0": (
            "b: elements start together",
            "c: elements start together",
            "c: ends told later",
        ),
        "R1": ("b: ties in any order", "c: ties in any order", "c: ends told later"),
        "R2": ("c: ends told later",),
    }
    # What one lacks for R3 counts only where R2 is out of the question.
    assert merge_variant({"a": STRICTLY, "b": IN_ORDER}).name == "R2"
    assert merge_variant({"b": IN_ORDER, "c": TOLD_LATER}).name == "R4"
