"""REVISE BY REPLAY gives what REVISE BY DIRECT gives: after every epoch the oracle's answers over
what has arrived, corrected; whichever slices are replayed (REPLAY 3, 4).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import pytest

from reflow.runtime.archive import compaction
from reflow.runtime.epoch import at_hand, protocol

from ..harness.engine import Run
from .case import Form
from .play import faults, play, report
from .revised import revised_case
from .test_revisions import ROWS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CASES: Final[tuple[tuple[Form, int, str], ...]] = (
    tuple(
        (form, int(seed), technique)
        for seed in os.environ["REFLOW_SEED"].split()
        for form in ("flat", "nested", "mixed")
        for technique in ("REPLAY MINIMAL", "REPLAY ALL")
    )
    if "REFLOW_SEED" in os.environ
    else (("flat", 0, "REPLAY MINIMAL"),)
)


@pytest.mark.spark
@pytest.mark.parametrize(("form", "seed", "technique"), CASES)
def test_replays_give_the_oracles_answers(
    spark: SparkSession, tmp_path: Path, form: Form, seed: int, technique: str
) -> None:
    case = revised_case(seed, form, technique, part=(0, 3))
    assert len(case.queries) > 1
    run = Run(spark, case.text(), tmp_path)
    # Few rows are looked through where they are read; many are found beforehand.
    with patch.object(at_hand, "FEW", -1 if seed % 2 else at_hand.FEW):
        found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)


@pytest.mark.spark
@pytest.mark.parametrize(("form", "seed", "technique"), CASES)
def test_replays_reach_as_far_as_a_number_of_rows(
    spark: SparkSession, tmp_path: Path, form: Form, seed: int, technique: str
) -> None:
    case = revised_case(seed, form, technique, rows=ROWS, part=(1, 3))
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
    history = case.history()
    assert run.dead_letters == sum(len(history.anomalies(stream)) for stream in case.read)


@pytest.mark.spark
def test_answers_do_not_depend_on_buckets_and_when_revisions_are_folded(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Buckets of a few rows, merged at once, into which revisions are folded."""
    form, seed, technique = CASES[0]
    case = revised_case(seed, form, technique, part=(2, 3))
    steps: list[str] = []
    monkeypatch.setattr(compaction, "MERGE_AFTER", 2)
    monkeypatch.setattr(compaction, "bucket_rows", lambda rows, revisions: 10)
    monkeypatch.setattr(protocol, "reached", lambda step, epoch: steps.append(step))
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
    assert steps.count("folded") > 1
