"""Copies that go away while they are merged and come back, against the oracle: what lies before the
merged frontier is what the logical stream says, whoever was there.

`REFLOW_MERGES=all` plays all kinds and more seeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import pytest

from ..harness.engine import Run
from .attached import elements_attached, rows_attached
from .case import Sink
from .copies import ROWS, CopiesCase, RowKind
from .feeding import Attach
from .play import play, report
from .test_merges import ALL, POLICIES, settled_faults

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OF_ROWS: Final[list[tuple[str, Sink]]] = [("SELECT k, v FROM m", "changes")]
OF_ELEMENTS: Final = ["SELECT k, v FROM m"]
KINDS: Final = [kind for kind in ROWS if kind != "cleansed"]
SEEDS: Final = range(1, 9) if ALL else range(1, 2)
PLAYED: Final[list[tuple[Literal["R3", "R4"], str]]] = [
    (variant, policy) for variant in ("R3", "R4") for policy in POLICIES
]


def _faults(case: CopiesCase, run: Run) -> Iterator[str]:
    played = play(case, run)
    yield from settled_faults(case, run, played)
    if run.dead_letters:
        yield f"{run.dead_letters} dead letters"
    if played[-1].mark.complete is None:
        yield "nothing is complete"


def test_copies_are_drawn_that_go_on_and_that_begin_anew() -> None:
    cases = [rows_attached(seed, "R3", OF_ROWS) for seed in range(1, 9)]
    found = [step for case in cases for step in case.steps if isinstance(step, Attach)]
    assert len(found) == 16
    assert 2 <= sum(step.since is None for step in found) <= 14


@pytest.mark.spark
@pytest.mark.parametrize(
    ("kind", "seed"),
    [(kind, seed) for seed in SEEDS for kind in (KINDS if ALL else ("R1", "R4"))],
)
def test_rows_are_there_once(spark: SparkSession, tmp_path: Path, kind: RowKind, seed: int) -> None:
    case = rows_attached(seed, kind, OF_ROWS)
    found = list(_faults(case, Run(spark, case.text(), tmp_path)))
    assert not found, report(case, found)


@pytest.mark.spark
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("variant", "policy"), PLAYED if ALL else [("R3", "EAGER")])
def test_events_end_as_the_logical_stream_says(
    spark: SparkSession, tmp_path: Path, variant: Literal["R3", "R4"], policy: str, seed: int
) -> None:
    case = elements_attached(seed, variant, policy, OF_ELEMENTS)
    found = list(_faults(case, Run(spark, case.text(), tmp_path)))
    assert not found, report(case, found)
