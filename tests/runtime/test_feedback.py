"""FEEDBACK: what the merged frontier has passed is skipped where it lands, and nothing that is
merged differs.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from ..harness.engine import Run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

DECLARED = "CREATE STREAM {} (t BIGINT, k STRING, ORDER BY t WITHIN 3) FROM JSON '{}';"
ROWS = (
    "CREATE STREAM m MERGE OF a, b {};"
    "CREATE QUERY q AS SELECT k FROM m INTO PARQUET '{{dir}}/out/q';"
)
WINDOWS = (
    "CREATE VIEW v AS ISTREAM (SELECT k, COUNT(*) AS n FROM a [RANGE 10] GROUP BY k);"
    "CREATE VIEW w AS ISTREAM (SELECT k, COUNT(*) AS n FROM b [RANGE 10] GROUP BY k);"
    "CREATE STREAM m MERGE OF v, w {};"
    "CREATE QUERY q AS SELECT k, n FROM m INTO PARQUET '{{dir}}/out/q';"
)


def presented(seed: int) -> list[dict[str, list[dict[str, Any]]]]:
    """Epochs of two copies in disorder; the second lags by some, and then comes all at once and
    goes on where the first has ended.
    """
    random = Random(seed)
    rows = [{"t": t, "k": random.choice("xyz")} for t in range(90) if random.random() < 0.8]
    copies = {name: sorted(rows, key=lambda row: row["t"] + random.random() * 2.9) for name in "ab"}
    # The last rows come to the second alone.
    first = [row for row in copies["a"] if row["t"] < 70]
    at = [len(first) * n // 3 for n in range(4)]
    epochs = [{"a": first[at[n] : at[n + 1]], "b": copies["b"][n : n + 1]} for n in range(3)]
    late = copies["b"][3:]
    cut = random.randint(len(late) // 3, len(late) // 2)
    return [*epochs, {"a": [], "b": late[:cut]}, {"a": [], "b": late[cut:]}]


def outputs(run: Run, seed: int) -> tuple[Any, int, list[int]]:
    skipped: list[int] = []
    run._engine._report = lambda progress: skipped.append(sum(progress.skipped.values()))
    for epoch in presented(seed):
        run.epoch(epoch)
    run.until(200)
    told = {row: {t: n for t, n in at.items() if n} for row, at in run.changes("q").items()}
    return {row: at for row, at in told.items() if at}, run.dead_letters, skipped


@pytest.mark.parametrize(("seed", "text"), [(1, ROWS), (2, WINDOWS)], ids=["rows", "windows"])
def test_what_is_merged_is_the_same_with_and_without(
    spark: SparkSession, tmp_path: Path, seed: int, text: str
) -> None:
    """One copy lags by epochs, skips what is decided, and leads in the end."""
    found = []
    for how in ("", "FEEDBACK"):
        (tmp_path / (how or "none")).mkdir()
        both = DECLARED.format("a", "a") + DECLARED.format("b", "b")
        run = Run(spark, both + text.format(how), tmp_path / (how or "none"))
        found.append(outputs(run, seed))
    without, skips = found
    assert without[0] == skips[0] and without[0]
    assert without[1] == skips[1]
    assert sum(without[2]) == 0
    assert sum(skips[2]) > 10


def test_a_stream_that_something_else_reads_is_not_skipped(
    spark: SparkSession, tmp_path: Path
) -> None:
    text = (
        DECLARED.format("a", "a")
        + DECLARED.format("b", "b")
        + ROWS.format("FEEDBACK")
        + "CREATE QUERY other AS SELECT k FROM b INTO LOG '{dir}/out/other.log';"
    )
    run = Run(spark, text, tmp_path)
    _, _, skipped = outputs(run, 1)
    assert sum(skipped) == 0


def test_a_skipped_row_moves_the_clock_of_its_input(spark: SparkSession, tmp_path: Path) -> None:
    """And is no dead letter; one that is late is, as without FEEDBACK."""
    text = DECLARED.format("a", "a") + DECLARED.format("b", "b") + ROWS.format("FEEDBACK")
    run = Run(spark, text, tmp_path)
    skipped: list[dict[str, int]] = []
    run._engine._report = lambda progress: skipped.append(progress.skipped)
    run.epoch({"a": [{"t": 50, "k": "x"}]})
    run.epoch({"b": [{"t": 20, "k": "y"}, {"t": 30, "k": "y"}]})
    assert skipped == [{}, {"b": 2}]
    assert run._engine.ledger.head.sections["m.b"].complete == 27
    assert run.dead_letters == 0
    run.epoch({"b": [{"t": 10, "k": "y"}, {"t": 50, "k": "x"}, {"t": 51, "k": "z"}]})
    assert run.dead_letters == 1
    told = {row: at for row, at in run.changes("q").items() if any(at.values())}
    assert told == {("x",): {50: 1}, ("z",): {51: 1}}
