"""FEEDBACK between programs: writers of elements skip what those that merge them have decided, and
nothing that is merged differs.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from reflow.runtime.connect import feedback
from reflow.runtime.connect.declarations import Query, Stream
from reflow.runtime.epoch import protocol
from reflow.runtime.ledger.storage import Storage

from ..harness.engine import Run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

READ = "CREATE STREAM s (t BIGINT, k STRING, ORDER BY t WITHIN 3) FROM JSON 's';"
ROWS = "SELECT k FROM s WHERE k <> 'y'"
WINDOWS = "ISTREAM (SELECT k, COUNT(*) AS n FROM s [RANGE 10] GROUP BY k)"
WRITES = READ + "CREATE QUERY q AS {} INTO PARQUET '{{dir}}/out/q' AS ELEMENTS;"
ALONE = READ + "CREATE QUERY q AS {} INTO PARQUET '{{dir}}/out/q' AS CHANGELOG;"
MERGES = (
    "CREATE STREAM {0} ({1}, kind STRING, vs BIGINT, ORDER BY vs WITHIN 3)"
    " FROM PARQUET '{{dir}}/../{0}/out/q';"
    "CREATE VIEW of_{0} AS SELECT {2} FROM {0} WHERE kind = 'insert';"
)
MERGED = (
    "CREATE STREAM m MERGE OF of_a, of_b FEEDBACK;"
    "CREATE QUERY q AS SELECT {2} FROM m INTO PARQUET '{{dir}}/out/q';"
)


class Between:
    """Two writers of one answer, and the program that merges what they write."""

    def __init__(self, spark: SparkSession, directory: Path, query: str, columns: str) -> None:
        names = ", ".join(column.split()[0] for column in columns.split(", "))
        merge = MERGES.format("a", columns, names) + MERGES.format("b", columns, names)
        merge += MERGED.format("", "", names)
        self.skipped = dict.fromkeys("abm", 0)
        self.runs: dict[str, Run] = {}
        self._read = dict.fromkeys("ab", 0)
        for name in "abm":
            (directory / name).mkdir()
            text = merge if name == "m" else WRITES.format(query)
            self.runs[name] = Run(spark, text, directory / name)
            self.runs[name]._engine._report = self._counting(name)

    def merge(self, name: str) -> None:
        """Have the merging program read what a writer has written since."""
        run, rows = self.runs[name], []
        for epoch in range(self._read[name] + 1, run.head.epoch + 1):
            for file in (run.directory / "out" / "q" / f"epoch={epoch}").glob("*.parquet"):
                rows += pq.read_table(file, partitioning=None).to_pylist()
        self._read[name] = run.head.epoch
        self.runs["m"].epoch({name: rows})

    def _counting(self, name: str) -> Any:
        def count(progress: Any) -> None:
            self.skipped[name] += sum(progress.skipped.values())

        return count


def net(run: Run) -> Any:
    told = {row: {t: n for t, n in at.items() if n} for row, at in run.changes("q").items()}
    return {row: at for row, at in told.items() if at}


@pytest.mark.spark
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("query", "columns"),
    [(ROWS, "k STRING"), (WINDOWS, "k STRING, n BIGINT")],
    ids=["rows", "windows"],
)
def test_what_is_merged_is_the_same_whatever_is_skipped(
    spark: SparkSession, tmp_path: Path, seed: int, query: str, columns: str
) -> None:
    """One lags by some epochs, skips, and leads in the end; then the other skips."""
    random = Random(seed)
    rows = [{"t": t, "k": random.choice("xyz")} for t in range(120) if random.random() < 0.8]
    copies = {name: sorted(rows, key=lambda row: row["t"] + random.random() * 2.9) for name in "ab"}
    between = Between(spark, tmp_path, query, columns)
    given = dict.fromkeys("ab", 0)
    for name, upto in [("b", 5), ("a", 30), ("a", 50), ("b", 40), ("b", 70), ("b", 90), ("a", 99)]:
        upto = min(upto + random.randint(0, 5), len(rows))
        between.runs[name].epoch({"s": copies[name][given[name] : upto]})
        given[name] = upto
        between.merge(name)
    for name in "ab":
        between.runs[name].epoch({"s": copies[name][given[name] :]})
        between.runs[name].until(200)
        between.merge(name)
    between.runs["m"].until(200)
    (tmp_path / "alone").mkdir()
    alone = Run(spark, ALONE.format(query), tmp_path / "alone")
    alone.epoch({"s": rows})
    alone.until(200)
    assert net(between.runs["m"]) == net(alone) != {}
    assert between.runs["m"].dead_letters == 0
    assert between.skipped["a"] > 10 and between.skipped["b"] > 10


@pytest.mark.spark
def test_an_epoch_that_is_repeated_skips_what_it_had_heard_first(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though by now more is merged."""
    run = Run(spark, WRITES.format("SELECT k FROM s"), tmp_path)
    run.epoch({"s": [{"t": 1, "k": "x"}]})
    said(tmp_path / "out" / "q", frontier=10)

    def reached(step: str, epoch: int) -> None:
        if step == "landed":
            raise RuntimeError("struck")

    rows = {"s": [{"t": t, "k": "x"} for t in (9, 10, 11)]}
    with monkeypatch.context() as struck, pytest.raises(RuntimeError, match="struck"):
        struck.setattr(protocol, "reached", reached)
        run.epoch(rows)
    said(tmp_path / "out" / "q", frontier=11)
    run.restart()
    skipped: list[dict[str, int]] = []
    run._engine._report = lambda progress: skipped.append(progress.skipped)
    run.epoch(rows)
    run.epoch({"s": [{"t": t, "k": "x"} for t in (10, 12)]})
    assert skipped == [{"s": 1}, {"s": 1}]


def said(folder: Path, who: str = "one", **what: Any) -> None:
    (folder / "_feedback").mkdir(parents=True, exist_ok=True)
    document = {"frontier": 7, "order": "vs", "timestamps": False, **what}
    (folder / "_feedback" / f"{who}.json").write_text(json.dumps(document))


def heard(folder: Path) -> dict[str, int]:
    stream = Stream("s", "json", "t BIGINT", ["t"], "s", "t", timestamps=False, heeds={"q": 0})
    query = Query("q", ["s"], format="parquet", path=str(folder))
    return feedback.heard([stream], {"q": query})


def test_the_least_of_all_readers_counts(tmp_path: Path) -> None:
    assert heard(tmp_path) == {}
    said(tmp_path)
    assert heard(tmp_path) == {"q": 7}
    said(tmp_path, "other", frontier=5)
    assert heard(tmp_path) == {"q": 5}


@pytest.mark.parametrize("odd", [{"order": "t"}, {"timestamps": True}, {"frontier": "?"}])
def test_of_readers_in_another_order_nothing_is_known(tmp_path: Path, odd: dict[str, Any]) -> None:
    said(tmp_path)
    said(tmp_path, "odd", **odd)
    assert heard(tmp_path) == {}
    (tmp_path / "_feedback" / "odd.json").write_text("[")
    assert heard(tmp_path) == {}


def test_what_is_said_is_taken_back_by_who_has_said_it(tmp_path: Path) -> None:
    checkpoint, folder = Storage(str(tmp_path / "state")), tmp_path / "in"
    stream = Stream(
        "a", "parquet", "vs BIGINT", ["vs"], str(folder), "vs", timestamps=False, skips={"m": 0}
    )
    feedback.publish(checkpoint, [stream], [], {"a": 3})
    assert not folder.exists()
    folder.mkdir()
    feedback.publish(checkpoint, [stream], [], {"a": 3})
    feedback.publish(Storage(str(tmp_path / "other")), [stream], [], {"a": 2})
    feedback.publish(checkpoint, [stream], [], {"a": 9})
    assert heard(folder) == {"q": 2}
    feedback.publish(Storage(str(tmp_path / "other")), [stream], [], {})
    assert heard(folder) == {"q": 9}


def test_nothing_is_said_where_the_program_reads_the_same_files_once_more(tmp_path: Path) -> None:
    known = {"order": "vs", "timestamps": False}
    skips = Stream("a", "parquet", "vs BIGINT", ["vs"], str(tmp_path), skips={"m": 0}, **known)
    reads = Stream("b", "parquet", "vs BIGINT", ["vs"], f"{tmp_path}/", **known)
    feedback.publish(Storage(str(tmp_path / "state")), [skips, reads], [], {"a": 3})
    assert heard(tmp_path) == {}
