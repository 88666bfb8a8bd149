"""Reflow against the oracle on drawn cases (DESIGN section 9).

`REFLOW_CASES` sets how many queries are drawn at least: two of three flat, of one operator or two,
which cost little; one of three nested. `REFLOW_SEED` runs one seed, in both forms.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..harness.engine import Run
from .case import FLAT, Case, draw_case
from .play import faults, play, report

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def seeds(share: float, flat: bool) -> list[int]:
    if "REFLOW_SEED" in os.environ:
        return [int(os.environ["REFLOW_SEED"])]
    wanted = share * int(os.environ.get("REFLOW_CASES", "300"))
    drawn, chosen = 0, []
    while drawn < wanted:
        chosen.append(len(chosen))
        drawn += FLAT if flat else len(draw_case(chosen[-1]).queries)
    return chosen


@pytest.mark.spark
@pytest.mark.parametrize("seed", seeds(1 / 3, flat=False))
def test_drawn_queries_give_the_oracles_answers(
    spark: SparkSession, tmp_path: Path, seed: int
) -> None:
    _play(draw_case(seed), spark, tmp_path)


@pytest.mark.spark
@pytest.mark.parametrize("seed", seeds(2 / 3, flat=True))
def test_drawn_flat_queries_give_the_oracles_answers(
    spark: SparkSession, tmp_path: Path, seed: int
) -> None:
    _play(draw_case(seed, flat=True), spark, tmp_path)


def _play(case: Case, spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
