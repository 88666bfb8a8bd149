"""Convergence: after every epoch the answers are the oracle's over what has arrived by then,
corrected (REPLAY 3), whatever comes late, is replaced or deleted, for any cut into epochs.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from ..harness.engine import Run, emitted
from .case import Form
from .play import faults, play, report
from .revised import revised, revised_case
from .test_join_asof import QUERIES as READ_OFF
from .written import written_case

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CASES: Final[tuple[tuple[Form, int], ...]] = (
    tuple(
        (form, int(seed))
        for seed in os.environ["REFLOW_SEED"].split()
        for form in ("flat", "nested", "mixed")
    )
    if "REFLOW_SEED" in os.environ
    else (("flat", 0),)
)
ROWS: Final = 8
"""Of KEEP n ROWS: about those of an epoch."""


@pytest.mark.spark
@pytest.mark.parametrize(("form", "seed"), CASES)
def test_answers_are_the_oracles_over_corrected_input(
    spark: SparkSession, tmp_path: Path, form: Form, seed: int
) -> None:
    case = revised_case(seed, form, part=(0, 2))
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
    history = case.history()
    assert run.dead_letters == sum(len(history.anomalies(stream)) for stream in case.read)


@pytest.mark.spark
@pytest.mark.parametrize(("form", "seed"), CASES)
def test_corrections_reach_as_far_as_a_number_of_rows(
    spark: SparkSession, tmp_path: Path, form: Form, seed: int
) -> None:
    case = revised_case(seed, form, rows=ROWS, part=(1, 2))
    history = case.history()
    assert any(history.refused_as_old(stream) for stream in case.read)
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
    assert run.dead_letters == sum(len(history.anomalies(stream)) for stream in case.read)


@pytest.mark.spark
def test_joins_read_off_a_group_are_corrected(spark: SparkSession, tmp_path: Path) -> None:
    """What has been joined with a group's row that is another one in the end."""
    assert len(revised(written_case(3, READ_OFF)).queries) == len(READ_OFF)
    case = revised(written_case(3, READ_OFF), part=(0, 2))
    assert emitted(case.text().replace("{dir}", "x")).count("= join_asof(") > 1
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)


@pytest.mark.parametrize(("form", "seed"), CASES)
def test_the_drawn_corrections_are_of_all_kinds(form: Form, seed: int) -> None:
    case = revised_case(seed, form)
    history = case.history()
    assert len(case.queries) > 1
    done: set[str] = set()
    for stream in case.read:
        rows = history.arrivals[stream]
        assert len(history.arrived(stream)) + len(history.anomalies(stream)) < len(rows)
        wrong = history.anomalies(stream)
        done |= {each.values["op"] for each in rows if each not in wrong}
    assert done == {"c", "u", "d"}
