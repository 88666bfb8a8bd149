"""Logs of relations as they come: what cannot be done is a dead letter, once; what is there before
the clock begins is there from its first instant on.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.dataset as ds
import pytest

from reflow.runtime.ledger.manifest import Ledger, Manifest

from ..harness.engine import Run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

STREAM = "CREATE STREAM s (t BIGINT, k STRING, ORDER BY t) FROM JSON '{dir}/s';"
LOGS = """
CREATE RELATION acc (t BIGINT, op STRING, k STRING, n INT, KEY (k), ORDER BY t)
FROM JSON '{dir}/acc' REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd');
CREATE RELATION bag (t BIGINT, op STRING, x INT, ORDER BY t) FROM JSON '{dir}/bag'
REVISIONS BY op (INSERT '+', DELETE '-');
CREATE QUERY a AS SELECT k, n FROM acc INTO LOG '{dir}/out/a.log';
CREATE QUERY b AS SELECT x FROM bag INTO LOG '{dir}/out/b.log';
CREATE QUERY c AS SELECT k FROM s INTO LOG '{dir}/out/c.log';
"""


def dead_letters(run: Run) -> list[tuple[str, str, int, object]]:
    """(relation or stream, reason, instant, row), sorted by instant."""
    folder = run.directory / "checkpoint" / "dead_letters"
    rows = ds.dataset(folder, format="parquet").to_table().to_pylist() if folder.exists() else []
    found = [(row["stream"], row["reason"], row["vs"], json.loads(row["row"])) for row in rows]
    return sorted(found, key=lambda each: (each[2], each[0]))


def change(at: int, op: str, k: str, n: int | None = None) -> dict[str, object]:
    return {"t": at, "op": op, "k": k, "n": n}


def test_what_cannot_be_done_is_a_dead_letter_once(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, STREAM + LOGS, tmp_path)
    acc = [change(1, "u", "a", 1), change(2, "c", "a", 2), change(3, "d", "b"), change(4, "x", "a")]
    bag = [{"t": 2, "op": "+", "x": 1}, {"t": 3, "op": "-", "x": 1}, {"t": 9, "op": "-", "x": 1}]
    run.epoch({"s": [{"t": 5, "k": "a"}], "acc": acc, "bag": bag})
    known = [
        ("acc", "replace of an unknown key", 1, {"k": "a", "n": 1}),
        ("acc", "delete of an unknown key", 3, {"k": "b", "n": None}),
        ("acc", "unknown operation", 4, {"k": "a", "n": None, "op": "x"}),
    ]
    assert dead_letters(run) == known
    # The last deletion waits for its instant: until then the row may come back.
    run.restart()
    run.epoch({"s": [{"t": 7, "k": "a"}], "acc": [change(6, "d", "a")]})
    assert not (tmp_path / "checkpoint" / "dead_letters" / "epoch=2").exists()
    run.epoch({"s": [{"t": 10, "k": "a"}], "acc": [change(3, "c", "b", 4)]})
    run.drain()
    assert [each[:3] for each in dead_letters(run) if each not in known] == [
        ("acc", "late", 3),
        ("bag", "delete of an unknown row", 9),
    ]
    assert run.changes("a") == {("a", "2"): {2: 1, 6: -1}}
    assert run.changes("b") == {("1",): {2: 1, 3: -1}}


def test_an_epoch_that_is_repeated_reports_its_dead_letters_once(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: dict[str, list[dict[str, object]]] = {
        "s": [{"t": 5, "k": "a"}],
        "acc": [change(1, "d", "b"), change(2, "x", "a")],
    }

    def die(ledger: Ledger, manifest: Manifest) -> None:
        raise KeyboardInterrupt

    run = Run(spark, STREAM + LOGS, tmp_path)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Ledger, "commit", die)
        run.epoch(rows)
    once = dead_letters(run)
    assert [each[1] for each in once] == ["delete of an unknown key", "unknown operation"]
    run.restart()
    run.epoch(rows)
    assert dead_letters(run) == once
    assert run.dead_letters == 2


def test_what_comes_before_the_clock_begins_is_there_from_its_first_instant(
    spark: SparkSession, tmp_path: Path
) -> None:
    text = STREAM + (
        "CREATE RELATION r (k STRING, n INT, KEY (k)) FROM JSON '{dir}/r';"
        "CREATE RELATION g (n INT) FROM JSON '{dir}/g';"
        "CREATE QUERY a AS SELECT s.k, r.n FROM s [RANGE 10], r WHERE s.k = r.k"
        " INTO LOG '{dir}/out/a.log';"
        "CREATE QUERY b AS SELECT COUNT(*) AS n FROM r INTO LOG '{dir}/out/b.log';"
        "CREATE QUERY c AS SELECT n FROM g INTO LOG '{dir}/out/c.log';"
    )
    run = Run(spark, text, tmp_path)
    run.epoch({"r": [{"k": "a", "n": 1}, {"k": "b", "n": 2}], "g": [{"n": 3}]})
    run.restart()
    run.epoch({"r": [{"k": "a", "n": 3}]})
    run.epoch({"s": [{"t": 5, "k": "a"}, {"t": 6, "k": "b"}]})
    run.epoch({"s": [{"t": 8, "k": "c"}], "r": [{"k": "a", "n": 4}], "g": [{"n": 3}]})
    run.drain()
    assert run.changes("a") == {
        ("a", "3"): {5: 1, 8: -1},
        ("a", "4"): {8: 1},
        ("b", "2"): {6: 1},
    }
    assert run.changes("b") == {("2",): {5: 1}}
    assert run.changes("c") == {("3",): {5: 1, 8: 1}}
