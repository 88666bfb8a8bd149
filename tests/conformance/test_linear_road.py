"""The Linear Road script of the STREAM prototype: planned and explained whole, and run on a small
input against the oracle.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reflow.compiler.pipeline import compile_text, explain

from ..harness.engine import Run
from ..oracle.evaluate import Evaluator
from ..oracle.history import History, StreamSchema
from ..oracle.multiplicity import difference
from . import linear_road
from .linear_road import Script
from .material import needs_material
from .scripts import ORDER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = needs_material

RUN = ("AccSegMin", "VolSM", "SegChangeStr", "SegEntryStr")
"""Views that are run: Spark plans the outputs, thirty operators on each other, for minutes."""

BUSY = 1
"""A segment of the small input is busy above one vehicle."""


def test_the_script_is_read_whole() -> None:
    script = linear_road.read()
    assert list(script.streams) == ["CommonInputStr", "MinStr", "MinEndStr", "MinSegStr"]
    assert len(script.statements) == 37
    assert script.outputs == ("tollstr", "accnot", "accbal")


def test_the_translation_says_what_the_script_says() -> None:
    text = linear_road.cql(linear_road.read(), ("accnot", "SM5AvgStr", "NonAffSegInt"))
    assert (
        "CREATE VIEW AccSegMin AS ISTREAM (SELECT Mnt AS Mnt, XWay AS XWay, Dir AS Dir, Seg AS Seg"
        " FROM MinStr [Rows 1], AccSeg);"
    ) in text
    assert (
        "CREATE VIEW NonAffSegInt AS SELECT Mnt, XWay, Dir, Seg FROM MinSegStr EXCEPT ALL"
        " SELECT Mnt, XWay, Dir, Seg FROM AffSeg;"
    ) in text
    assert "MinEndStr [Now] AS M, SM5AvgRel AS A);" in text
    assert "FROM SMAvgStr [RANGE 300] group by Seg;" in text
    assert "(V.Vol - 7) * (V.Vol - 7)" in linear_road.cql(linear_road.read(7), ("SegTollStr2",))


def test_the_whole_script_is_planned_and_explained() -> None:
    script = linear_road.read()
    compiled = compile_text(linear_road.cql(script, script.outputs), "linear_road")
    assert [sink.query for sink in compiled.plan.sinks] == list(script.outputs)
    for form in ("tree", "json", "dot", "mermaid"):
        page = explain(compiled, form)
        assert all(name in page for name in script.outputs)
    assert "import" in compiled.text


@pytest.mark.slow
def test_the_small_input_gives_something_at_every_output() -> None:
    script = linear_road.read(BUSY)
    oracle = Evaluator(history(script, [linear_road.traffic(script)]))
    for name in script.outputs:
        assert oracle.changes(linear_road.oracle_form(script, name)) != {}, name


@pytest.mark.spark
def test_a_small_input_gives_what_the_oracle_says(spark: SparkSession, tmp_path: Path) -> None:
    script = linear_road.read(BUSY)
    whole = linear_road.traffic(script)
    half = max(row[ORDER] for row in whole["MinStr"]) // 2
    epochs = [
        {
            name: [row for row in rows if (row[ORDER] <= half) == first]
            for name, rows in whole.items()
        }
        for first in (True, False)
    ]
    run = Run(spark, linear_road.cql(script, RUN), tmp_path)
    for rows in epochs:
        run.epoch(rows)
    oracle = Evaluator(history(script, epochs))
    wrong = {}
    for name in RUN:
        expected = oracle.changes(linear_road.oracle_form(script, name))
        found = run.changes(f"q_{name}")
        now = max(row[ORDER] for rows in whole.values() for row in rows)
        visible = {row: {t: n for t, n in at.items() if t <= now} for row, at in found.items()}
        fault = difference(expected, {row: at for row, at in visible.items() if at})
        if fault:
            wrong[name] = fault
    assert wrong == {}


def history(script: Script, epochs: list[dict[str, list[dict[str, int]]]]) -> History:
    """What arrives, epoch by epoch, for the oracle."""
    streams = {
        name: StreamSchema(name, {ORDER: "BIGINT"} | dict.fromkeys(columns, "BIGINT"), ORDER)
        for name, columns in script.streams.items()
    }
    found = History(streams)
    for number, rows in enumerate(epochs, start=1):
        for name, listed in rows.items():
            found.arrive(number, name, listed)
    return found
