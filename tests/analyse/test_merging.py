"""How merges are made: by which algorithm, given what their inputs promise, and in which form."""

from __future__ import annotations

import pytest

from reflow.compiler.analyse.merging import Merging

from .plans import over, root

KINDS = {
    "strict": "Scan {} (a INT, t BIGINT) order t promises (strict)",
    "ties": "Scan {} (a INT, t BIGINT) order t promises (ties in order)",
    "ordered": "Scan {} (a INT, t BIGINT) order t promises (distinct rows)",
    "late": "Scan {} (a INT, t BIGINT) order t within 5 promises (distinct rows)",
    "lost": "Scan {} (a INT, t BIGINT) order t within 5",
}


def merging(*kinds: str, more: str = "policy eager rows ticks", window: str = "") -> Merging:
    """Of a merge of inputs `b`, `c`, …, each of a kind."""
    names = "bcd"[: len(kinds)]
    inputs = [KINDS[kind].format(name) for kind, name in zip(kinds, names, strict=True)]
    inputs = [over(window, each) for each in inputs] if window else inputs
    operator, facts = root(over(f"Merge m of ({', '.join(names)}) {more}", *inputs))
    return facts.merged[operator]


@pytest.mark.parametrize(
    ("kinds", "variant"),
    [
        (("strict", "strict"), "R0"),
        (("strict", "ties"), "R1"),
        (("ties", "ordered"), "R2"),
        (("ordered", "late"), "R3"),
        (("late", "lost"), "R4"),
    ],
)
def test_the_least_of_the_inputs_decides(kinds: tuple[str, ...], variant: str) -> None:
    """LMERGE IV-G."""
    assert merging(*kinds).variant.name == variant


def test_a_policy_that_waits_is_one_of_the_general_algorithms() -> None:
    """LMERGE V-A: R0 to R2 keep nothing that could wait."""
    for policy in ("half frozen", "conservative", "follow leader", "fraction 0.5"):
        found = merging("strict", "strict", more=f"policy {policy} rows ticks").variant
        assert found.name == "R3"
        assert dict(found.cheaper)["R2"] == (f"POLICY {policy.removesuffix(' 0.5').upper()}",)
    assert merging("strict", "strict", more="policy chatty rows ticks").variant.name == "R0"


@pytest.mark.parametrize(
    ("kinds", "cleansed", "variant"),
    [
        (("ties", "lost"), "c", "R2"),
        (("strict", "late"), "c", "R2"),
        (("late", "lost"), "b, c", "R1"),
        (("late", "lost"), "b", "R4"),
    ],
)
def test_cleansed_inputs_are_in_order(kinds: tuple[str, ...], cleansed: str, variant: str) -> None:
    """LMERGE IV-G. Rows that start together come as other cleansed inputs have them, not as the
    source of another has.
    """
    more = f"cleanse ({cleansed}) policy eager rows ticks"
    assert merging(*kinds, more=more).variant.name == variant


def test_where_all_ends_are_announced_events_are_merged_as_they_are_told() -> None:
    """Else in normal form, whose ends are told later: then no algorithm for inserts will do."""
    events = "policy eager ticks"
    told = merging("strict", "strict", more=events, window="Window range 5 ticks")
    assert (told.as_told, told.variant.name) == (True, "R0")
    points = merging("strict", "strict", more=events, window="RowsWindow 2 ticks")
    assert (points.as_told, points.variant.name) == (False, "R3")


def test_rows_of_copies_in_order_are_never_taken_back() -> None:
    """So they may be appended; a copy in disorder may be missed by one that is further."""
    ordered = over("Merge m of (b, c) policy eager rows ticks", *_two("ordered", "ties"))
    operator, facts = root(ordered)
    assert facts.append_only[operator] and not facts.retracting[operator]
    for more, kinds in (("eager", ("ordered", "late")), ("half frozen", ("ordered", "ties"))):
        late = over(f"Merge m of (b, c) policy {more} rows ticks", *_two(*kinds))
        operator, facts = root(late)
        assert facts.retracting[operator] and not facts.append_only[operator]


def _two(*kinds: str) -> list[str]:
    return [KINDS[kind].format(name) for kind, name in zip(kinds, "bc", strict=True)]
