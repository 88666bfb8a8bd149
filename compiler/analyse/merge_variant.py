"""Which algorithm merges copies of a stream: the cheapest whose needs all inputs meet (LMERGE IV;
DESIGN section 6).

In: the properties of each input. Out: the variant, and of each cheaper one what it lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, TypeAlias

from reflow.grammar.value import value

from ..plan.operators.merges import Policy
from .stream_properties import Properties

Variant = Literal["R0", "R1", "R2", "R3", "R4"]
Need: TypeAlias = Callable[[Properties], str]


@value
class MergeVariant:
    """`cheaper`: the variants that cost less, cheapest first, each with what it lacks."""

    name: Variant
    cheaper: tuple[tuple[Variant, tuple[str, ...]], ...] = ()


def merge_variant(inputs: Mapping[str, Properties], policy: Policy = "eager") -> MergeVariant:
    """The cheapest algorithm for these inputs, by name. One that does not promise what is needed
    decides; of several inputs, the reasons say which. A policy that waits for stables, or for
    other inputs, is one of R3 and R4 (LMERGE V-A).
    """
    cheaper: list[tuple[Variant, tuple[str, ...]]] = []
    for variant, needs in _NEEDS:
        lacks = tuple(_lacking(inputs, needs))
        if variant in ("R0", "R1", "R2") and policy not in ("eager", "chatty"):
            lacks = (*lacks, f"POLICY {policy.upper()}")
        if not lacks:
            return MergeVariant(variant, tuple(cheaper))
        cheaper.append((variant, lacks))
    return MergeVariant("R4", tuple(cheaper))


def _lacking(inputs: Mapping[str, Properties], needs: tuple[Need, ...]) -> Iterator[str]:
    for name, properties in inputs.items():
        of = f"{name}: " if len(inputs) > 1 else ""
        yield from (f"{of}{lack}" for lack in (need(properties) for need in needs) if lack)


def _in_order(properties: Properties) -> str:
    if properties.in_order:
        return ""
    return "in no order" if properties.disorder is None else "out of order"


def _strictly_in_order(properties: Properties) -> str:
    if properties.strict or not properties.in_order:
        return _in_order(properties)
    return "elements start together"


def _ties_in_order(properties: Properties) -> str:
    return "ties in any order" if properties.loose else ""


def _all_said_at_once(properties: Properties) -> str:
    return "ends told later" if properties.adjusted else ""


def _nothing_taken_back(properties: Properties) -> str:
    return "corrected by late rows" if properties.corrected else ""


def _keyed(properties: Properties) -> str:
    return "equal rows start together" if properties.repeated else ""


# R2 counts equal elements where there are some.
_NEEDS: tuple[tuple[Variant, tuple[Need, ...]], ...] = (
    ("R0", (_strictly_in_order, _all_said_at_once, _nothing_taken_back)),
    ("R1", (_in_order, _ties_in_order, _all_said_at_once, _nothing_taken_back)),
    ("R2", (_in_order, _all_said_at_once, _nothing_taken_back)),
    ("R3", (_keyed,)),
)
