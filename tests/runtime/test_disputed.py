"""Inputs of a merge that disagree: one answer, and the number of such rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reflow.runtime.ledger.progress import Progress

from ..harness.engine import Run
from ..harness.read import read_elements
from .test_merged import ELEMENT, element

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

TEXT = (
    f"{ELEMENT.format('a', 'a')} {ELEMENT.format('b', 'b')} CREATE STREAM m MERGE OF a, b;"
    "CREATE QUERY q AS SELECT k FROM m INTO PARQUET '{dir}/out/q' AS ELEMENTS;"
)


def stable(t: int) -> list[dict[str, Any]]:
    return [element("stable", None, t)]


def test_who_is_further_is_right_and_of_equals_the_first(
    spark: SparkSession, tmp_path: Path
) -> None:
    """`x`: `b` is further when it is decided; `y`: both are equally far; `z` is undisputed. The
    count is kept over a restart, and by epochs without a dispute.
    """
    told: list[Progress] = []
    run = Run(spark, TEXT, tmp_path)
    run._engine._report = told.append
    run.epoch(
        {
            "a": [element("insert", "x", 5, 10), element("insert", "z", 6, 12)],
            "b": [element("insert", "x", 5, 13), element("insert", "z", 6, 12)],
        }
    )
    run.epoch({"b": stable(11)})
    assert (told[-1].merges["m"]["leader"], told[-1].merges["m"]["conflicts"]) == ("b", 0)
    run.epoch({"a": stable(11)})
    assert (told[-1].merges["m"]["leader"], told[-1].merges["m"]["conflicts"]) == ("a", 1)
    run.epoch({"b": stable(15)})
    run.restart()
    run._engine._report = told.append
    run.epoch({"a": [element("insert", "y", 20, 22)], "b": [element("insert", "y", 20, 25)]})
    assert told[-1].merges["m"]["conflicts"] == 1
    run.epoch({"a": stable(30), "b": stable(30)})
    assert told[-1].merges["m"]["conflicts"] == 2
    assert run.head.merges["m"]["conflicts"] == 2
    assert read_elements(tmp_path / "out" / "q") == {
        ("x",): {5: 1, 13: -1},
        ("y",): {20: 1, 22: -1},
        ("z",): {6: 1, 12: -1},
    }


def test_progress_tells_who_is_away_and_why(spark: SparkSession, tmp_path: Path) -> None:
    told: list[Progress] = []
    run = Run(spark, TEXT, tmp_path)
    run._engine._report = told.append
    run.epoch({"a": stable(5), "b": stable(7)})
    run.detach("m.b")
    assert told[-1].merges["m"]["away"] == {"b": "as asked"}
    assert told[-1].merges["m"]["leader"] == "a"
    run.attach("m.b", since=6)
    assert told[-1].merges["m"]["away"] == {}
    assert told[-1].merges["m"]["inputs"]["b"] == {"stable": None}
