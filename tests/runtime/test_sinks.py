"""Every sink of a delta program holds the answer, epoch by epoch, in its own form."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reflow.runtime.epoch import protocol

from ..harness.engine import Run
from .running import Place, in_order

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXT = """
CREATE STREAM s (t BIGINT, k STRING, x INT, ORDER BY t) FROM CSV '{dir}/in/';
CREATE VIEW recent AS SELECT k, x FROM s [RANGE 10];
CREATE QUERY seen AS SELECT k, x FROM recent INTO MEMORY;
CREATE QUERY shown AS SELECT k, x FROM recent INTO CONSOLE OPTIONS (numRows = 1);
CREATE QUERY written AS SELECT k, x FROM recent INTO JSON '{dir}/out/json';
CREATE QUERY listed AS SELECT k, x FROM recent INTO CSV '{dir}/out/csv' OPTIONS (header = 'true');
CREATE QUERY appended AS SELECT k, x FROM s WHERE x > 1
INTO PARQUET '{dir}/out/appended' AS APPEND;
"""
CHANGES = [("a", 1, 5, 15, 1), ("b", 2, 6, 16, 1)]
OPEN = [("a", 1, 5, None, 1), ("b", 2, 6, None, 1)]
"""The same where an end is told when it comes: files know it beforehand."""


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    """A run that was drained once."""
    place = Place(tmp_path)
    place.put("in/1.csv", "5,a,1", "6,b,2")
    return place


def test_a_changelog_in_every_sink(
    spark: SparkSession, place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place.run(TEXT)
    assert in_order(spark.sql("SELECT k, x, vs, ve, w FROM seen").collect()) == OPEN
    assert place.rows("out/csv", "csv") == CHANGES
    assert place.rows("out/json", "json") == CHANGES
    assert place.rows("out/appended") == [("b", 2)]
    _shown_on_the_terminal(capsys.readouterr().out)
    _the_next_drain_adds_to_all(spark, place)


def _shown_on_the_terminal(out: str) -> None:
    assert "shown · epoch 1" in out
    assert "only the first 1 rows" in out
    header = next(line for line in out.splitlines() if "┃" in line)
    assert [cell.strip() for cell in header.strip("┃").split("┃")] == ["k", "x", "vs", "ve", "w"]
    [row] = [line for line in out.splitlines() if line.startswith("│")]
    assert [cell.strip() for cell in row.strip("│").split("│")] in (
        ["a", "1", "5", "NULL", "1"],
        ["b", "2", "6", "NULL", "1"],
    )


def _the_next_drain_adds_to_all(spark: SparkSession, place: Place) -> None:
    place.put("in/2.csv", "7,c,3")
    place.run(TEXT)
    assert place.rows("out/csv", "csv") == [*CHANGES, ("c", 3, 7, 17, 1)]
    seen = spark.sql("SELECT k, x, vs, ve, w FROM seen").collect()
    assert in_order(seen) == [*OPEN, ("c", 3, 7, None, 1)]
    assert place.rows("out/appended") == [("b", 2), ("c", 3)]


def test_memory_shows_committed_epochs_only_under_the_name_of_into(
    spark: SparkSession, place: Place
) -> None:
    text = TEXT.split("CREATE QUERY")[0] + "SELECT k FROM recent INTO MEMORY 'a view';"
    place.run(text)
    assert spark.sql("SELECT k FROM `a view`").count() == 2
    assert not spark.catalog.tableExists("global_temp.`a view`")
    memory = place.path("state/reflow/memory/program")
    [epoch] = [path for path in memory.iterdir() if path.name.startswith("epoch=")]
    epoch.rename(memory / "epoch=99")
    place.run(text)
    assert not spark.sql("SELECT k FROM `a view`").where("epoch = 99").count()


@pytest.mark.parametrize("step", ["sink", "committed"])
def test_a_reader_sees_committed_epochs_only(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """What dies before the commit has shown nothing, what dies behind it is shown by the next."""
    text = TEXT.split("CREATE VIEW")[0] + "SELECT k FROM s INTO JSON '{dir}/out/q' AS ELEMENTS;"
    run, folder = Run(spark, text, tmp_path), tmp_path / "out" / "q"
    run.epoch({"s": [{"t": 1, "k": "a", "x": 0}]})

    class Killed(Exception):
        pass

    def strike(at: str, epoch: int) -> None:
        if at == step:
            raise Killed

    with monkeypatch.context() as killer:
        killer.setattr(protocol, "reached", strike)
        with pytest.raises(Killed):
            run.epoch({"s": [{"t": 2, "k": "b", "x": 0}]})
    assert sorted(path.name for path in folder.iterdir()) == [".epoch=2", "epoch=1"]
    run.restart()
    run.epoch({"s": [{"t": 2, "k": "b", "x": 0}]})
    assert sorted(path.name for path in folder.iterdir()) == ["epoch=1", "epoch=2"]
