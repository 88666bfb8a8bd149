"""Reflow against the oracle on drawn cases (DESIGN section 9).

`REFLOW_CASES` sets how many queries are drawn at least, `REFLOW_SEED` runs one seed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..harness.engine import Run
from .case import draw_case
from .play import faults, play, report

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def seeds() -> list[int]:
    if "REFLOW_SEED" in os.environ:
        return [int(os.environ["REFLOW_SEED"])]
    wanted = int(os.environ.get("REFLOW_CASES", "100"))
    drawn, chosen = 0, []
    while drawn < wanted:
        chosen.append(len(chosen))
        drawn += len(draw_case(chosen[-1]).queries)
    return chosen


@pytest.mark.spark
@pytest.mark.parametrize("seed", seeds())
def test_drawn_queries_give_the_oracles_answers(
    spark: SparkSession, tmp_path: Path, seed: int
) -> None:
    case = draw_case(seed)
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
