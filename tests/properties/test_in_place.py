"""LAYOUT SOURCE gives the answers that copies of the rows give: the oracle's over what has arrived.

Rows come in files of three, so that some files stay where they are, and others have rows that are
late or correct others, and are copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import pytest

from reflow.runtime.ledger.files import DataFile
from reflow.runtime.ledger.manifest import committed, read_manifest
from reflow.runtime.ledger.storage import Storage

from ..harness.engine import Run
from .case import Case, Form, draw_case
from .play import faults, play, report
from .revised import revised_case
from .test_late_rows import late

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

AnyCase = TypeVar("AnyCase", bound=Case)
_ARCHIVE: Final = re.compile(r"FROM JSON (.*ARCHIVE KEEP \d+( SECONDS| ROWS)?)")


def in_place(case: AnyCase) -> AnyCase:
    """The case with the rows of its archived streams in Parquet files that are not copied."""
    declared = tuple(
        _ARCHIVE.sub(r"FROM PARQUET \1 LAYOUT SOURCE", line) for line in case.declarations
    )
    return replace(case, declarations=declared)


def archived(folder: Path) -> Iterator[DataFile]:
    """The files that any epoch has archived."""
    storage = Storage(str(folder / "checkpoint"))
    for epoch in committed(storage):
        for known in read_manifest(storage, epoch).archive.values():
            yield from known.files


def play_in_place(case: Case, spark: SparkSession, folder: Path) -> Run:
    """A run whose answers are right, of which some rows have stayed in place."""
    run = Run(spark, case.text(), folder)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)
    assert any(file.in_place for file in archived(folder))
    return run


@pytest.mark.spark
@pytest.mark.parametrize(("form", "seed"), [("nested", 11)])
def test_late_rows(spark: SparkSession, tmp_path: Path, form: Form, seed: int) -> None:
    case = in_place(late(draw_case(seed, form), ""))
    run = play_in_place(case, spark, tmp_path)
    assert not run.dead_letters


@pytest.mark.spark
@pytest.mark.parametrize(("form", "seed", "technique"), [("flat", 0, "REPLAY MINIMAL")])
def test_corrections(
    spark: SparkSession, tmp_path: Path, form: Form, seed: int, technique: str
) -> None:
    case = in_place(revised_case(seed, form, technique, part=(1, 2)))
    play_in_place(case, spark, tmp_path)
    assert not all(file.in_place for file in archived(tmp_path))
