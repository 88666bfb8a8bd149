"""Real logs of Debezium, read as relations and as streams that are corrected: what they leave, and
what they say of unknown rows.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.dataset as ds
import pytest

from ..harness.engine import drain_sources
from ..harness.read import read_log
from .material import FOLDER, needs_material

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAMES = ("id", "first_name", "last_name", "email")
TEXT = """
CREATE RELATION customers (id INT, first_name STRING, last_name STRING, email STRING, KEY (id))
FROM JSON '{dir}/in/' REVISIONS DEBEZIUM;
CREATE QUERY q AS SELECT * FROM customers INTO LOG '{dir}/out/q.log';
"""
STREAM = (
    TEXT.replace("RELATION", "STREAM")
    .replace("KEY (id))", "KEY (id), ORDER BY ARRIVAL)")
    .replace("DEBEZIUM;", "DEBEZIUM ARCHIVE KEEP 1 DAY;")
)


def log(name: str, start: int = 0) -> list[str]:
    return (FOLDER / "cdc" / name).read_text().splitlines()[start:]


def left(lines: list[str]) -> Counter[tuple[str, ...]]:
    """What the envelopes leave, one after the other; updates of unknown rows are none."""
    rows: dict[int, dict[str, Any]] = {}
    for line in lines:
        said = json.loads(line)
        said = said.get("payload", said)
        whose = (said["after"] or said["before"])["id"]
        if said["op"] == "d":
            rows.pop(whose, None)
        elif said["op"] in ("c", "r") or whose in rows:
            rows[whose] = said["after"]
    return Counter(tuple(str(row[name]) for name in NAMES) for row in rows.values())


def drained(
    spark: SparkSession, directory: Path, lines: list[str], text: str = TEXT
) -> Counter[tuple[str, ...]]:
    """The contents after the log, and a run of the program over it."""
    (directory / "in").mkdir()
    (directory / "in" / "1.json").write_text("".join(f"{line}\n" for line in lines))
    drain_sources(spark, text, directory)
    changes = read_log(directory / "out" / "q.log")
    return Counter({row: sum(at.values()) for row, at in changes.items() if sum(at.values())})


@needs_material
@pytest.mark.spark
@pytest.mark.parametrize("name", ["debezium_log.1", "debezium_log_no_schema_field.1"])
def test_a_log_leaves_its_rows(spark: SparkSession, tmp_path: Path, name: str) -> None:
    assert left(log(name))
    assert drained(spark, tmp_path, log(name)) == left(log(name))


@needs_material
@pytest.mark.spark
@pytest.mark.parametrize("start", [0, 5])
def test_a_stream_is_corrected_by_its_log(spark: SparkSession, tmp_path: Path, start: int) -> None:
    """From its first line, and from the sixth, where rows are changed that nobody has seen."""
    lines = log("debezium_log_no_schema_field.1", start)
    assert drained(spark, tmp_path, lines, STREAM) == left(lines)
    unknown = {"replace of an unknown key": 2} if start else {}
    assert letters(tmp_path) == unknown


@needs_material
@pytest.mark.spark
def test_updates_of_unknown_rows_are_dead_letters(spark: SparkSession, tmp_path: Path) -> None:
    lines = log("debezium_log_no_schema_field.1", start=5)
    assert drained(spark, tmp_path, [*lines, '{"op": "t"}']) == left(lines)
    assert letters(tmp_path) == {"replace of an unknown key": 2, "unknown operation": 1}


def letters(directory: Path) -> Counter[str]:
    """How many dead letters there are for each reason."""
    folder = directory / "checkpoint" / "reflow" / "dead_letters"
    if not folder.exists():
        return Counter()
    table = ds.dataset(folder, format="parquet").to_table()
    return Counter(letter["reason"] for letter in table.to_pylist())


@needs_material
def test_the_log_is_as_the_test_takes_it() -> None:
    operations = [json.loads(line)["op"] for line in log("debezium_log_no_schema_field.1", 5)]
    assert operations == ["u", "c", "u", "u", "d"]
