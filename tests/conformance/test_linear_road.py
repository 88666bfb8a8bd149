"""The Linear Road script of the STREAM prototype: planned and explained whole, and its outputs,
with what they are made of, run on a small input against the oracle.

`REFLOW_LINEAR_ROAD=all` takes every statement of the script for an output, and three inputs.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reflow.compiler.pipeline import compile_text, explain

from ..harness.engine import Run
from ..oracle.evaluate import Evaluator
from ..oracle.history import History, StreamSchema
from ..oracle.multiplicity import difference, net
from . import linear_road
from .linear_road import Script
from .material import needs_material
from .scripts import ORDER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = needs_material

VIEWS = ("AccSegMin", "VolSM", "SegChangeStr", "SegEntryStr")
"""Views that are run as outputs, too."""

ALL = os.environ.get("REFLOW_LINEAR_ROAD") == "all"

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
@pytest.mark.parametrize("seed", [1, 2, 3] if ALL else [1])
def test_the_outputs_are_the_oracles(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    script = linear_road.read(BUSY)
    names = tuple(script.statements) if ALL else (*VIEWS, *script.outputs)
    epochs = halves(linear_road.traffic(script, seed))
    run = Run(spark, linear_road.cql(script, names), tmp_path)
    for rows in epochs:
        run.epoch(rows)
    oracle = Evaluator(history(script, epochs))
    faults = {}
    for name in names:
        expected = oracle.changes(linear_road.oracle_form(script, name))
        found = run.changes(name if name in script.outputs else f"q_{name}")
        faults[name] = difference(expected, net(found, until=run.now))
    assert {name: fault for name, fault in faults.items() if fault} == {}


def halves(whole: dict[str, list[dict[str, Any]]]) -> list[dict[str, list[dict[str, Any]]]]:
    """The input as two epochs."""
    half = max(row[ORDER] for row in whole["MinStr"]) // 2
    return [
        {
            name: [row for row in rows if (row[ORDER] <= half) == first]
            for name, rows in whole.items()
        }
        for first in (True, False)
    ]


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
