"""Real logs of Debezium, read as relations: what they leave, and what they say of unknown rows."""

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


def drained(spark: SparkSession, directory: Path, lines: list[str]) -> Counter[tuple[str, ...]]:
    """The contents after the log, and a run of the program over it."""
    (directory / "in").mkdir()
    (directory / "in" / "1.json").write_text("".join(f"{line}\n" for line in lines))
    drain_sources(spark, TEXT, directory)
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
def test_updates_of_unknown_rows_are_dead_letters(spark: SparkSession, tmp_path: Path) -> None:
    lines = log("debezium_log_no_schema_field.1", start=5)
    assert drained(spark, tmp_path, [*lines, '{"op": "t"}']) == left(lines)
    folder = tmp_path / "checkpoint" / "reflow" / "dead_letters"
    letters = ds.dataset(folder, format="parquet").to_table().to_pylist()
    reasons = Counter(letter["reason"] for letter in letters)
    assert reasons == {"replace of an unknown key": 2, "unknown operation": 1}


@needs_material
def test_the_log_is_as_the_test_takes_it() -> None:
    operations = [json.loads(line)["op"] for line in log("debezium_log_no_schema_field.1", 5)]
    assert operations == ["u", "c", "u", "u", "d"]
