"""Reflow against the oracle on drawn cases (DESIGN section 9).

`REFLOW_CASES` sets about how many queries are drawn, of all forms together: nested ones; flat
ones, of one operator or two; and mixed ones, flat with negation, set operators, outer joins and all
kinds of aggregates. `REFLOW_SEED` runs one seed, in all forms.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from ..harness.engine import Run
from .case import FLAT, Form, draw_case
from .play import faults, play, report

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CASES: Final = 100
"""Beside them the suite plays some forty drawn queries under other executions, late and corrected
(`test_executions`, `test_late_rows`, `test_revisions`), and without Spark the oracle answers the
plans of 400 others before and after rewrites (`test_rewrites`).
"""

# A flat query costs least, a mixed one most: eight take as long as twenty flat ones.
SHARES: Final[dict[Form, float]] = {"nested": 0.29, "flat": 0.6, "mixed": 0.11}
FIRST: Final[dict[Form, int]] = {"nested": 0, "flat": 0, "mixed": 100}


def seeds(form: Form, cases: int = CASES) -> list[int]:
    """As many as give the form's share of so many queries."""
    drawn, chosen = 0, []
    while drawn < SHARES[form] * cases:
        chosen.append(FIRST[form] + len(chosen))
        drawn += FLAT.get(form) or len(draw_case(chosen[-1], form).queries)
    return chosen


def played(form: Form) -> list[int]:
    """As the environment says."""
    if "REFLOW_SEED" in os.environ:
        return [int(seed) for seed in os.environ["REFLOW_SEED"].split()]
    return seeds(form, int(os.environ.get("REFLOW_CASES", CASES)))


DRAWN: Final = [(form, seed) for form in SHARES for seed in played(form)]


@pytest.mark.spark
@pytest.mark.parametrize(("form", "seed"), DRAWN)
def test_drawn_queries_give_the_oracles_answers(
    spark: SparkSession, tmp_path: Path, form: Form, seed: int
) -> None:
    case = draw_case(seed, form)
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
