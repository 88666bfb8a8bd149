"""The oracle itself against the cases that need only its windows."""

from __future__ import annotations

import pytest

from ..oracle.evaluate import Evaluator
from ..oracle.multiplicity import difference
from .cases import Case, expected, load
from .forms import oracle_form
from .material import needs_material

pytestmark = pytest.mark.slow  # a database answers each query at every instant

CASES = [case for case in load() if case.out_of_reach() is None]


@needs_material
def test_there_are_cases() -> None:
    assert {case.id for case in CASES} == {
        "W01", "W02", "W04", "W07", "W08", "W09", "D01", "J01", "J03", "I01", "I03", "I05", "K02",
        "T01", "E01", "E03", "U03", "U05",
    }  # fmt: skip


@needs_material
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_oracle_gives_the_expected_log(case: Case) -> None:
    history, query = oracle_form(case)
    found = Evaluator(history).changes(query, until=case.until)
    assert not difference(expected(case), found), difference(expected(case), found)
