"""SET revise_when = 'idle': corrections wait for an epoch without arrivals."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reflow.compiler.pipeline import compile_text
from reflow.runtime.archive.verify import verify
from reflow.runtime.ledger.storage import Storage

from ..harness.engine import Run
from ..properties.play import Played, faults, play, report
from ..properties.revised import revised_case
from .test_revising import answer, letters, row, text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEEDS = [int(seed) for seed in os.environ.get("REFLOW_SEED", "0").split()]
# From state where seeds are asked for; the tests by hand are corrected so.
TECHNIQUES = ["REPLAY MINIMAL", *(["DIRECT"] if "REFLOW_SEED" in os.environ else [])]


@pytest.mark.spark
def test_corrections_wait_until_nothing_else_comes(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, text(revise_when="idle"), tmp_path)
    run.epoch({"s": [row("c", 10, 1, 100), row("c", 12, 2, 20), row("c", 15, 3, 3)]})
    run.epoch({"s": [row("u", 10, 1, 700), row("d", None, 9), row("c", 16, 4, 1)]})
    assert [answer(run, "sums", at) for at in (10, 15, 16)] == [{100: 1}, {123: 1}, {124: 1}]
    # What cannot be done is known at once.
    assert letters(run) == {"delete of an unknown key": 1}
    run.restart()
    # A correction of a correction that waits.
    run.epoch({"s": [row("u", 10, 1, 800), row("c", 11, 5, 4), row("c", 17, 6, 1)]})
    assert [answer(run, "sums", at) for at in (10, 17)] == [{100: 1}, {125: 1}]
    # Whatever comes besides, what waits is kept: nothing of it is lost in the checkpoint.
    assert not verify(Storage(str(tmp_path / "checkpoint"))).faults
    run.epoch({"s": [row("d", 12, 2)]})
    assert [answer(run, "sums", at) for at in (10, 11, 12, 17)] == [
        {800: 1},
        {804: 1},
        {804: 1},
        {809: 1},
    ]
    assert run.dead_letters == 1


@pytest.mark.spark
def test_an_end_of_the_run_is_an_epoch_without_arrivals(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = Run(spark, text(revise_when="idle"), tmp_path)
    run.epoch({"s": [row("c", 10, 1, 100), row("c", 15, 3, 3)]})
    run.epoch({"s": [row("u", 10, 1, 700), row("c", 11, 2, 5), row("c", 16, 4, 1)]})
    assert answer(run, "sums", 15) == {103: 1}
    run.drain()
    assert [answer(run, "sums", at) for at in (10, 15, 16)] == [{700: 1}, {708: 1}, {709: 1}]


@pytest.mark.spark
def test_no_correction_waits_until_it_lies_further_back_than_is_kept(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = Run(spark, text(revise_when="idle"), tmp_path)
    run.epoch({"s": [row("c", 10, 1, 100), row("c", 15, 3, 3)]})
    run.epoch({"s": [row("u", 10, 1, 700), row("c", 30, 4, 1)]})
    assert answer(run, "sums", 10) == {100: 1}
    # 20 before 31 is after 10.
    run.epoch({"s": [row("c", 31, 5, 1)]})
    assert [answer(run, "sums", at) for at in (10, 15, 31)] == [{700: 1}, {703: 1}, {2: 1}]
    assert run.dead_letters == 0


@pytest.mark.spark
def test_what_waits_is_made_by_a_program_that_does_not_wait(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The setting is no part of what a checkpoint is of."""
    run = Run(spark, text(revise_when="idle"), tmp_path)
    run.epoch({"s": [row("c", 10, 1, 100), row("c", 15, 3, 3)]})
    run.epoch({"s": [row("u", 10, 1, 700), row("c", 16, 4, 1)]})
    assert answer(run, "sums", 10) == {100: 1}
    changed = Run(spark, text(), tmp_path)
    changed.drain()
    assert [answer(changed, "sums", at) for at in (10, 15, 16)] == [{700: 1}, {703: 1}, {704: 1}]


@pytest.mark.spark
@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("seed", SEEDS)
def test_in_the_end_the_answers_are_the_oracles(
    spark: SparkSession, tmp_path: Path, technique: str, seed: int
) -> None:
    drawn = revised_case(seed, "flat", technique, part=(0, 2))
    setting = "SET revise_when = 'idle';"
    case = replace(drawn, declarations=(setting, *drawn.declarations))
    run = Run(spark, case.text(), tmp_path)
    feeds = max(step.feeds for step in play(case, run))
    found = list(faults(case, run, [Played(run.drain(), feeds)]))
    assert not found, report(case, found)


def test_it_is_passed_on_to_the_engine() -> None:
    assert compile_text(text(revise_when="idle").replace("{dir}", "x")).physical.defers
    assert not compile_text(text(revise_when="at once").replace("{dir}", "x")).physical.defers
