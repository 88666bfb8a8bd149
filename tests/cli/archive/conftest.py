"""One run makes the checkpoint that these tests look at: streams with and without an archive,
corrections, merged buckets, a relation, and an epoch that dies before its commit. Each test breaks
a copy of its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from reflow.runtime.archive import compaction
from reflow.runtime.epoch import protocol
from reflow.runtime.program import RunError

from ...runtime.running import Place
from ..call import Result, call
from .checkpoints import EPOCHS, TEXT, Archive, Made


class Struck(Exception):
    """The process dies here."""


@pytest.fixture(scope="session")
def made(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Made:
    place = Place(tmp_path_factory.mktemp("archive"))
    place.put("names/1.csv", "1,one", "2,two")
    for n in range(EPOCHS):
        place.put(f"s/{n}.csv", f"{10 * n},{n},{n % 2},c", f"{10 * n + 1},{100 + n},1,c")
        place.put(f"z/{n}.csv", f"{10 * n},{n % 3}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compaction, "MERGE_AFTER", 3)
        place.put("s/x.csv", "20,2,7,u", "41,104,1,d")
        place.run(TEXT)
        whole = place.path("whole")
        shutil.copytree(place.path("state"), whole)
        place.put("s/y.csv", "90,90,1,c", "91,0,5,u")
        patch.setattr(protocol, "reached", _dies_at("sink"))
        with pytest.raises(RunError, match="dies here"):
            place.run(TEXT)
    return Made(place, whole, place.path("state"))


def _dies_at(struck: str) -> Callable[[str, int], None]:
    def reached(step: str, epoch: int) -> None:
        if step == struck:
            raise Struck("dies here")

    return reached


@pytest.fixture
def whole(made: Made, tmp_path: Path) -> Path:
    shutil.copytree(made.whole, tmp_path / "whole")
    return tmp_path / "whole"


@pytest.fixture
def killed(made: Made, tmp_path: Path) -> Path:
    shutil.copytree(made.killed, tmp_path / "killed")
    return tmp_path / "killed"


@pytest.fixture
def archive(capsys: pytest.CaptureFixture[str]) -> Archive:
    def called(verb: str, checkpoint: Path, *more: str) -> Result:
        return call(capsys, "archive", verb, str(checkpoint), *more)

    return called
