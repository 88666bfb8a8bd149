"""Which buckets are written anew, and that what is written holds the rows that stand."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reflow.runtime.archive import compaction
from reflow.runtime.archive.compaction import (
    AT_ONCE,
    BUCKET_ROWS,
    MERGE_AFTER,
    Compaction,
    bucket_rows,
    mergeable,
    observed,
    replaced,
)
from reflow.runtime.epoch import protocol
from reflow.runtime.ledger.files import DataFile

from ..harness.engine import Run
from ..oracle.history import StreamSchema
from ..oracle.revisions import Correctable, Corrected

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Files = tuple[DataFile, ...]


def bucket(low: int, high: int, rows: int = 10, epoch: int = 1, revised: bool = False) -> DataFile:
    name = f"{low}-{high}-{epoch}-{revised}/x"
    return DataFile(name, rows, 100, epoch, {"_vs": low}, {"_vs": high}, revised)


def due(files: Files, size: int = BUCKET_ROWS, folds: bool = True) -> Compaction | None:
    return compaction.compaction(files, size, folds)


# Small buckets


def test_small_buckets_are_merged_once_they_are_many() -> None:
    few = tuple(bucket(n, n, epoch=n) for n in range(MERGE_AFTER - 1))
    assert mergeable(few, BUCKET_ROWS) == ()
    many = (*few, bucket(99, 99, epoch=99))
    assert mergeable(many, BUCKET_ROWS) == many


def test_small_buckets_are_merged_once_they_fill_one() -> None:
    files = tuple(bucket(n, n, rows=10, epoch=n) for n in range(5))
    assert mergeable(files, 51) == ()
    assert mergeable(files, 50) == files
    assert mergeable(files, 30) == files[:3]


def test_a_bucket_is_full_at_half_the_size_that_is_asked_for() -> None:
    full = bucket(0, 0, rows=20, epoch=99)
    many = tuple(bucket(n, n, rows=19, epoch=n) for n in range(3))
    assert mergeable((full, *many), 40) == many
    assert mergeable((full, full), 40) == ()


def test_many_files_of_one_epoch_are_one_bucket() -> None:
    files = tuple(bucket(n, n, epoch=1) for n in range(100))
    assert mergeable(files, BUCKET_ROWS) == mergeable(files, 50) == ()


def test_only_the_newest_run_behind_a_full_bucket_is_merged() -> None:
    old = tuple(bucket(n, n, epoch=n) for n in range(3))
    full = bucket(50, 60, rows=BUCKET_ROWS, epoch=50)
    new = tuple(bucket(n, n, epoch=n) for n in range(100, 100 + MERGE_AFTER))
    assert mergeable((*old, full, *new), BUCKET_ROWS) == new
    assert mergeable((*new, full), BUCKET_ROWS) == ()


@given(st.lists(st.integers(1, 60), min_size=1, max_size=60), st.integers(1, 100))
def test_however_large_epochs_are_buckets_end_up_as_large_as_asked(
    epochs: list[int], size: int
) -> None:
    files: Files = ()
    for number, rows in enumerate(epochs):
        files = (*files, bucket(number, number, rows, number))
        small = mergeable(files, size)
        if small:
            made = bucket(small[0].low["_vs"], number, sum(f.rows for f in small), 1000 + number)
            files = replaced(files, small, (made,))
    merged = [file for file in files if file.epoch >= 1000]
    assert all(file.rows < 3 * size / 2 for file in merged)
    assert len([file for file in files if 2 * file.rows < size]) <= 2 * MERGE_AFTER
    assert sum(file.rows for file in files) == sum(epochs)
    starts = [file.low["_vs"] for file in files]
    assert starts == sorted(starts)


# How large buckets are


def test_the_more_revisions_the_smaller_are_buckets() -> None:
    assert bucket_rows(0, 0) == bucket_rows(1_000_000, 0) == bucket_rows(999_900, 100) == 500_000
    assert bucket_rows(9_990, 10) == 158_114
    assert bucket_rows(99, 1) == bucket_rows(1, 1) == bucket_rows(0, 9) == 100_000


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**6))
def test_a_revision_more_never_makes_buckets_larger(rows: int, few: int, more: int) -> None:
    assert 100_000 <= bucket_rows(rows, few + more) <= bucket_rows(rows, few) <= 500_000


def test_a_rate_that_changes_is_noticed() -> None:
    counts = (100_000_000, 0)
    for _ in range(60):
        counts = observed(counts, 900_000, 100_000)
    assert bucket_rows(*counts) == 100_000


# Revisions


def test_what_is_merged_takes_its_revisions_along() -> None:
    small = tuple(bucket(10 * n, 10 * n + 9, epoch=n) for n in range(MERGE_AFTER))
    late = bucket(15, 17, rows=1, epoch=3, revised=True)
    elsewhere = bucket(-9, -5, rows=1, epoch=4, revised=True)
    assert due((*small, late, elsewhere)) == Compaction((small,), (late,))
    assert due((*small, late, elsewhere), folds=False) == Compaction((small,), ())


def test_a_full_bucket_is_written_anew_when_a_quarter_of_it_is_revised() -> None:
    full = bucket(0, 99, rows=100)
    clean = bucket(100, 199, rows=100, epoch=2)
    few, enough = (bucket(5, 9, rows=rows, epoch=3, revised=True) for rows in (24, 25))
    assert due((full, clean, few), size=100) is None
    assert due((full, clean, enough), size=100) == Compaction(((full,),), (enough,))
    assert due((full, clean, enough), size=100, folds=False) is None


def test_an_epoch_writes_the_worst_buckets_and_not_all() -> None:
    full = tuple(bucket(100 * n, 100 * n + 99, 100, n) for n in range(AT_ONCE + 3))
    late = tuple(bucket(100 * n, 100 * n, 30 + n, 50, True) for n in range(AT_ONCE + 3))
    found = due((*full, *late), size=100)
    assert found is not None
    assert sorted(each[0].low["_vs"] for each in found.buckets) == [300, 400, 500, 600]
    assert found.revisions == late[3:]


def test_many_files_of_revisions_become_one() -> None:
    full = bucket(0, 9, rows=BUCKET_ROWS)
    late = tuple(bucket(3, 3, 1, n, revised=True) for n in range(MERGE_AFTER))
    assert due((full, *late[1:])) is None
    assert due((full, *late)) == Compaction((), late)


# What is written

EPOCHS: Final = 9
TEXT: Final = """
CREATE STREAM s (t BIGINT, id BIGINT, v BIGINT, op STRING, KEY (id), ORDER BY t{within})
FROM JSON '{dir}/in' REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 1000;
CREATE STREAM n (t BIGINT, id BIGINT, v BIGINT, op STRING, ORDER BY t)
FROM JSON '{dir}/other' ARCHIVE KEEP 1000;
CREATE QUERY q AS SELECT COUNT(*) AS c FROM s [RANGE 3] WHERE v > 0 INTO LOG '{dir}/out/q.log';
CREATE QUERY r AS SELECT v FROM n [RANGE 3] INTO LOG '{dir}/out/r.log';
"""


@pytest.mark.spark
@pytest.mark.parametrize("within", [0, 6])
def test_buckets_hold_the_rows_that_stand(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, within: int
) -> None:
    monkeypatch.setattr(compaction, "MERGE_AFTER", 3)
    monkeypatch.setattr(compaction, "bucket_rows", lambda rows, revisions: 12)
    steps: list[str] = []
    monkeypatch.setattr(protocol, "reached", lambda step, epoch: steps.append(step))
    text = TEXT.format(within=f" WITHIN {within}" if within else "", dir="{dir}")
    run = Run(spark, text, tmp_path)
    history = corrected(within)
    for epoch in range(1, EPOCHS + 1):
        fed = {name: list(rows(random.Random(f"{name}{epoch}"), epoch, within)) for name in "sn"}
        fed["n"] = [row for row in fed["n"] if row["op"] == "c"]
        for name, listed in fed.items():
            history.arrive(epoch, name, listed)
        before = len(steps)
        run.epoch(fed)
        for name in "sn":
            files = run.archived(name)
            assert content(run, files) == standing(history, name), (name, epoch)
        if "folded" in steps[before:] and not within:
            assert_clean(run.archived("s"), epoch)
    assert steps.count("folded") > 2


def rows(draw: random.Random, epoch: int, within: int) -> Iterator[dict[str, Any]]:
    """Six rows of an epoch, mostly in order, and corrections of earlier ones."""
    for number in range(6):
        t = 6 * epoch + number - (draw.randint(0, within) if draw.random() < 0.5 else 0)
        yield {"t": t, "id": 100 * epoch + number, "v": draw.randint(-2, 9), "op": "c"}
    for _ in range(draw.randint(0, 4) if epoch > 1 else 0):
        of = draw.randint(1, epoch - 1)
        known = {"t": 6 * of, "id": 100 * of + draw.randint(0, 6), "v": draw.randint(-2, 9)}
        # A second row of a key is a correction only if it is late.
        yield {**known, "op": draw.choice("ccuud" if of < epoch - 2 else "uud")}


def corrected(within: int) -> Corrected:
    columns = {"t": "BIGINT", "id": "BIGINT", "v": "BIGINT", "op": "VARCHAR"}
    return Corrected(
        {name: StreamSchema(name, columns, "t") for name in "sn"},
        correctable={"s": Correctable("id", "op", within, 1000)},
        read=frozenset({"s", "n"}),
    )


def standing(history: Corrected, name: str) -> Counter[tuple[int, int]]:
    """(order value, value) of the rows that stand."""
    listed = [arrival.values for _, arrival in history.arrived(name)]
    return Counter((row["t"], row["v"]) for row in listed)


def content(run: Run, files: Files) -> Counter[tuple[int, int]]:
    """What a read of the files adds up to."""
    found: Counter[tuple[int, int]] = Counter()
    for file in files:
        for row in pq.read_table(run.directory / "checkpoint" / file.path).to_pylist():
            struct = next(row[name] for name in ("s_0", "s_1") if row.get(name) is not None)
            found[row["_vs"], struct["v"]] += 1 if row["_w"] is None else row["_w"]
            assert file.revised or row["_w"] is None
    return Counter({row: weight for row, weight in found.items() if weight})


def assert_clean(files: Files, epoch: int) -> None:
    """A bucket that this epoch has written needs no revision but those that have just come."""
    own = f"archive/s0/{epoch:08d}"
    for folded in (file for file in files if file.path.startswith(own) and not file.revised):
        for late in (file for file in files if file.revised and "landing" not in file.path):
            assert late.high["_vs"] < folded.low["_vs"] or late.low["_vs"] > folded.high["_vs"]
