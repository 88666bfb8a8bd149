"""A run on a new checkpoint finds output of another one: it is refused, or removed by --rebuild."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reflow.runtime.connect.sinks.existing import OutputExists
from reflow.runtime.program import CheckpointError

from .running import Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STREAM = "CREATE STREAM s (t BIGINT, x INT, ORDER BY t) FROM CSV '{dir}/in/';\n"
QUERIES = {
    "plain": STREAM + "CREATE QUERY q AS SELECT t, x FROM s INTO PARQUET '{dir}/out/q';",
    "files": STREAM + "CREATE QUERY q AS SELECT t, x FROM s INTO JSON '{dir}/out/q' AS CHANGELOG;",
    "log": STREAM + "CREATE QUERY q AS SELECT t, x FROM s INTO LOG '{dir}/out/q';",
}
"""Queries that all write to out/q."""


@pytest.mark.parametrize("kind", QUERIES)
def test_output_of_another_run(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    place = Place(tmp_path)
    place.put("in/1.csv", "1,5", "2,6")
    place.run(QUERIES[kind])
    before = contents(place.path("out"))
    for _ in range(2):  # the first refusal must not make the second attempt an old checkpoint
        with pytest.raises(OutputExists, match=r"out/q holds the output of another run"):
            place.run(QUERIES[kind], checkpoint="other")
    assert contents(place.path("out")) == before
    place.put("in/2.csv", "3,7")
    place.run(QUERIES[kind])
    assert answers(place, kind) == 3
    place.run(QUERIES[kind], checkpoint="other", rebuild=True)
    assert answers(place, kind) == 3


def test_what_was_read_is_lost_with_the_state(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.put("in/1.csv", "1,5")
    place.run(QUERIES["log"])
    shutil.rmtree(place.path("state/reflow"))
    with pytest.raises(CheckpointError, match="has lost its folder reflow/"):
        place.run(QUERIES["log"])
    place.run(QUERIES["log"], rebuild=True)
    assert answers(place, "log") == 1


def answers(place: Place, kind: str) -> int:
    if kind == "log":
        return len(place.path("out/q").read_text().splitlines())
    return len(place.rows("out/q", "json" if kind == "files" else "parquet"))


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
