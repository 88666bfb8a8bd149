"""Reflow gives the expected log of each case it can run; the others are listed, with reasons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..harness.engine import Run
from ..oracle.multiplicity import Changes, canonical_row, difference, map_rows
from .cases import Case, expected, load
from .forms import cql, rows
from .material import needs_material

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXPECTED_FAILURES = {
    "I04",
}  # fmt: skip


def marked(case: Case) -> object:
    reason = case.out_of_reach()
    marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason is not None else []
    return pytest.param(case, id=case.id, marks=marks)


@needs_material
def test_the_expected_failures_are_these() -> None:
    assert {case.id for case in load() if case.out_of_reach()} == EXPECTED_FAILURES


@needs_material
@pytest.mark.spark
@pytest.mark.parametrize("case", [marked(case) for case in load()])
def test_a_case_gives_its_expected_log(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    run = Run(spark, cql(case), tmp_path)
    if case.nrr is not None:
        run.contents(case.nrr, rows(case, case.nrr))
    run.epoch({name: rows(case, name) for name in case.inputs if name != case.nrr})
    run.until(case.until)
    found = run.changes("q")
    assert not difference(as_text(expected(case)), found), difference(expected(case), found)


def as_text(changes: Changes) -> Changes:
    """Values as a LOG writes them."""
    return map_rows(changes, lambda row: tuple("NULL" if v is None else str(v) for v in row))


def test_values_are_written_as_a_log_writes_them() -> None:
    assert as_text({canonical_row([1, None, "a"]): {1: 1}}) == {("1", "NULL", "a"): {1: 1}}
