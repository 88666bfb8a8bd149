"""Rows later than WITHIN but within KEEP: the answers are those of rows that came in time.

The drawn cases of the engine's test, whose bounds on disorder become shorter: the same rows in the
same epochs are late, and the oracle's answers stay what they are.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from reflow.compiler.pipeline import compile_text

from ..harness.engine import Run
from .case import Case, Form, draw_case
from .draw import Draw
from .play import faults, play, report
from .revised import asked_by

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CASES: tuple[tuple[Form, int, str], ...] = (("nested", 11, ""),)
if "REFLOW_SEED" in os.environ:
    CASES = tuple(
        (form, int(seed), technique)
        for seed in os.environ["REFLOW_SEED"].split()
        for form in ("flat", "nested", "mixed")
        for technique in ("", "REPLAY MINIMAL")
    )

WITHIN: Final = re.compile(r" WITHIN (\d+)( SECONDS)?\)")
END: Final = re.compile(r"(?= WITH STATS|;$)")


def late(case: Case, technique: str) -> Case:
    """The case with bounds on disorder so short that some rows, or all of them, are late; of its
    queries those that can be corrected by a technique of REVISE BY.
    """
    draw = Draw(-1 - case.seed)
    declared = tuple(_late(draw, line) for line in case.declarations)
    return asked_by(replace(case, declarations=declared), technique)


def _late(draw: Draw, line: str) -> str:
    found = WITHIN.search(line)
    if found is None:
        return line
    bound, unit = int(found.group(1)), found.group(2) or ""
    short = draw.number(0, bound // 2)
    within = f" WITHIN {short}{unit})" if short else ")"
    line = line.replace(found.group(), within)
    return END.sub(f" ARCHIVE KEEP {bound - short}{unit}", line, count=1)


@pytest.mark.spark
@pytest.mark.parametrize(("form", "seed", "technique"), CASES)
def test_late_rows_give_the_answers_of_rows_in_time(
    spark: SparkSession, tmp_path: Path, form: Form, seed: int, technique: str
) -> None:
    case = late(draw_case(seed, form), technique)
    run = Run(spark, case.text(), tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
    assert not run.dead_letters


@pytest.mark.parametrize(("form", "seed", "technique"), CASES)
def test_some_rows_are_late(form: Form, seed: int, technique: str) -> None:
    """Else the test shows nothing: the bounds are shorter, and rows come later than they say."""
    case = late(draw_case(seed, form), technique)
    assert "ARCHIVE KEEP" in case.text()
    compile_text(case.text().replace("{dir}", "x"))
