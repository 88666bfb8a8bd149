"""Which rows corrections replay: what their answers depend on, and no more (REPLAY 4.2)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reflow.runtime.connect.declarations import Replay
from reflow.runtime.elements.columns import VS
from reflow.runtime.epoch import slices as slices_module
from reflow.runtime.epoch.corrected import FEW
from reflow.runtime.epoch.landing import Landed
from reflow.runtime.epoch.slices import Slices, Stretch, at_most, merged, slices
from reflow.runtime.ledger.clock import Clock
from reflow.runtime.ledger.files import DataFile
from reflow.runtime.ledger.manifest import Manifest, StateFiles
from reflow.runtime.ledger.storage import Storage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def file(name: str, low: int, high: int, revised: bool = False) -> DataFile:
    return DataFile(name, high - low + 1, 0, 1, {VS: low}, {VS: high}, revised)


FIRST = {"s": 0}
"""The place of the stream among the program's."""


def parent(complete: int, *archive: DataFile) -> Manifest:
    clock = Clock(complete, complete, complete, 0)
    return Manifest(1, 0, {}, "", clock, archive={"s": StateFiles("", archive)})


def minimal(length: int, technique: str = "minimal") -> Replay:
    return Replay(technique, ["query q"], {"s": length}, length)


def found(
    spark: SparkSession | None, replay: Replay, of: Manifest, landed: Landed, path: Path
) -> Slices:
    made = slices(spark, Storage(str(path)), replay, of, landed, FIRST)  # type: ignore[arg-type]
    assert made is not None
    return made


def test_the_papers_example(tmp_path: Path) -> None:
    """A revision of t20 below a window of 5: the replay reads t16 to t24."""
    revised = file("r", 20, 20, revised=True)
    buckets = [file(f"b{n}", n, n + 4) for n in range(0, 40, 5)]
    made = found(None, minimal(5), parent(40, *buckets), Landed({"s": (revised,)}), tmp_path)
    assert made.stretches == (Stretch(16, 25),)
    assert [each.path for each in made.old["s"]] == ["b15", "b20"]
    assert [each.path for each in made.new["s"]] == ["b15", "b20", "r"]


def test_all_reads_the_whole_archive(tmp_path: Path) -> None:
    revised = file("r", 20, 20, revised=True)
    buckets = [file(f"b{n}", n, n + 4) for n in range(0, 40, 5)]
    of = parent(40, *buckets)
    made = found(None, minimal(5, "all"), of, Landed({"s": (revised,)}), tmp_path)
    assert made.rows == 41
    assert len(made.old["s"]) == len(buckets)


def test_what_is_not_complete_needs_no_replay(tmp_path: Path) -> None:
    storage, of = Storage(str(tmp_path)), parent(20, file("b", 0, 19))
    for landed in (file("r", 20, 22, revised=True), file("n", 5, 22), None):
        files = {"s": () if landed is None else (landed,)}
        assert slices(None, storage, minimal(5), of, Landed(files), FIRST) is None  # type: ignore[arg-type]


def test_a_stretch_ends_where_answers_are_not_complete(tmp_path: Path) -> None:
    landed = Landed({"s": (file("r", 18, 30, revised=True),)})
    made = found(None, minimal(50), parent(20, file("b", 0, 25)), landed, tmp_path)
    assert made.stretches == (Stretch(18 - 50 + 1, 20),)


@pytest.mark.spark
@pytest.mark.parametrize("few", [FEW, 0], ids=["few", "many"])
def test_stretches_are_those_of_a_search_by_hand(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """MINIMAL's rows are those on which an answer depends that a corrected row reaches."""
    monkeypatch.setattr(slices_module, "FEW", few)
    chance = Random(4)
    for number in range(8):
        length, until = chance.randint(1, 12), 400
        instants = sorted(chance.sample(range(430), chance.randint(2, 9)))
        name = f"r{number}"
        pq.write_table(pa.table({VS: instants}), tmp_path / name)
        landed = Landed({"s": (file(name, instants[0], instants[-1], revised=True),)})
        of = parent(until, file("b", 0, 500))
        made = slices(spark, Storage(str(tmp_path)), minimal(length), of, landed, FIRST)
        reached = {t + i for t in instants if t < until for i in range(length) if t + i < until}
        needed = {at - i for at in reached for i in range(length)}
        read = {t for s in (made.stretches if made else ()) for t in range(s.low, s.high)}
        assert read == needed, (length, instants)


def written(path: Path, name: str, rows: list[tuple[int, str | None]]) -> DataFile:
    """A file of corrected rows (order value, k)."""
    table = pa.table({VS: [at for at, _ in rows], "s_0": [{"k": k} for _, k in rows]})
    pq.write_table(table, path / name)
    return file(name, min(at for at, _ in rows), max(at for at, _ in rows), revised=True)


def test_of_answers_that_fall_apart_some_values_are_replayed(tmp_path: Path) -> None:
    rows = [(20, "a"), (21, "a"), (30, "b"), (50, None)]
    revised = written(tmp_path, "r", rows)
    of = parent(40, *(file(f"b{n}", n, n + 4) for n in range(0, 40, 5)))
    replay = replace(minimal(5), by={"s": "k"})
    made = found(None, replay, of, Landed({"s": (revised,)}), tmp_path)
    # The row at 50 is not complete yet.
    assert made.parts == {("a",): (Stretch(16, 26),), ("b",): (Stretch(26, 35),)}
    assert made.stretches == (Stretch(16, 35),)
    every = found(None, replace(replay, slices="all"), of, Landed({"s": (revised,)}), tmp_path)
    assert set(every.parts) == {("a",), ("b",)}


@pytest.mark.spark
def test_rows_of_all_parts_are_read_and_few_others(spark: SparkSession) -> None:
    parts = {
        ("a",): (Stretch(-20, -10), Stretch(5, 15)),
        ("it's",): (Stretch(0, 10),),
        (None,): (Stretch(12, 13),),
    }
    made = Slices(100, (Stretch(-20, -10), Stretch(0, 15)), {}, {}, parts, {"s": "k"})
    rows = [(at, k) for at in range(-40, 40) for k in ("a", "it's", None, "v", "")]
    frame = spark.createDataFrame(rows, f"{VS} BIGINT, k STRING").where(made.condition("s"))
    read = {(row[VS], row["k"]) for row in frame.toArrow().to_pylist()}
    # Cells here are one tick long.
    assert read == {
        (at, k) for (k,), each in parts.items() for s in each for at in range(s.low, s.high)
    }


def test_of_very_many_values_all_are_replayed(tmp_path: Path) -> None:
    revised = written(tmp_path, "r", [(at, f"k{at}") for at in range(20, 400)])
    of, replay = parent(500, file("b", 0, 499)), replace(minimal(5), by={"s": "k"})
    made = found(None, replay, of, Landed({"s": (revised,)}), tmp_path)
    assert made.parts == {(): (Stretch(16, 404),)}


def test_stretches_that_meet_are_one() -> None:
    given = [Stretch(5, 8), Stretch(0, 3), Stretch(3, 4), Stretch(7, 9), Stretch(20, 21)]
    assert merged(given) == (Stretch(0, 4), Stretch(5, 9), Stretch(20, 21))


def test_the_nearest_of_too_many_stretches_are_one() -> None:
    given = (Stretch(0, 1), Stretch(2, 3), Stretch(10, 11), Stretch(30, 31))
    assert at_most(given, 4) == given
    assert at_most(given, 3) == (Stretch(0, 3), Stretch(10, 11), Stretch(30, 31))
    assert at_most(given, 2) == (Stretch(0, 11), Stretch(30, 31))
    assert at_most(given, 1) == (Stretch(0, 31),)
