"""The executions of UPA's comparison: the same data give the oracle's answers under each.

`test_engine` runs drawn queries as they are by themselves, which is `upa`. `REFLOW_SEED` runs one
seed under the others.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reflow.compiler.pipeline import compile_text
from reflow.compiler.plan.settings import EXECUTIONS

from ..harness.engine import Run
from .case import Case, draw_case
from .play import faults, play, report
from .test_engine import seeds
from .test_optimised import CASE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OTHERS = [each for each in EXECUTIONS if each != "upa"]
SEEDS = [int(seed) for seed in os.environ.get("REFLOW_SEED", "2").split()]


def under(execution: str, case: Case) -> Case:
    """The case with the setting; what else its file says stays."""
    return replace(case, declarations=(f"SET execution = '{execution}';", *case.declarations))


def steps(execution: str) -> list[str]:
    """The kinds of steps of all written queries."""
    text = under(execution, CASE).text().replace("{dir}", "x")
    return [type(step.call).__name__ for step in compile_text(text).physical.steps]


def check(case: Case, spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)


@pytest.mark.spark
@pytest.mark.parametrize("execution", OTHERS)
def test_written_queries_give_the_oracles_answers(
    spark: SparkSession, tmp_path: Path, execution: str
) -> None:
    check(under(execution, CASE), spark, tmp_path)


@pytest.mark.spark
@pytest.mark.parametrize("execution", OTHERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_queries_give_the_oracles_answers(
    spark: SparkSession, tmp_path: Path, execution: str, seed: int
) -> None:
    check(under(execution, draw_case(seed)), spark, tmp_path)


@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("seed", range(30))
def test_drawn_queries_compile(execution: str, seed: int) -> None:
    text = under(execution, draw_case(seed)).text().replace("{dir}", "x")
    assert compile_text(text).physical.execution == execution


def test_drawn_queries_run_as_upa_by_themselves() -> None:
    """Under `upa` the engine's test plays the same seeds."""
    if "REFLOW_SEED" not in os.environ:
        assert set(SEEDS) <= set(seeds("nested"))
    for seed in SEEDS:
        text = draw_case(seed).text().replace("{dir}", "x")
        assert compile_text(text).physical.execution == "upa"


def test_each_execution_has_its_own_steps() -> None:
    assert "DistinctStored" not in steps("upa")
    assert "DistinctStored" in steps("direct")
    negative = steps("nt")
    windows = [i for i, kind in enumerate(negative) if kind == "WindowRange"]
    # Every window becomes points in the very next step.
    assert windows and all(negative[i + 1] == "ToPoints" for i in windows)
