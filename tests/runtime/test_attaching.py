"""Inputs of a merge that go away and come back, in the engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ..harness.engine import Run
from .test_merged import LOG, copies, lines, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

MERGED = "CREATE STREAM m MERGE OF a, b; CREATE QUERY q AS SELECT k FROM m "


def engine(run: Run) -> Any:
    return run._engine


def test_the_clock_of_a_detached_input_stands_still_and_it_goes_on_where_it_left(
    spark: SparkSession, tmp_path: Path
) -> None:
    """What it brings behind the merged frontier is the row that others have told: said once."""
    run = Run(spark, copies("ab") + MERGED + LOG, tmp_path)
    run.epoch({"a": rows(x=5), "b": rows(x=5)})
    engine(run).regroup("detach", "m.b", "asked")
    assert engine(run).read == {"a"}
    run.epoch({"a": rows(y=7, z=9)})
    run.restart()
    assert engine(run).read == {"a"}
    before = engine(run).ledger.head.sections
    assert (before["m.a"].now, before["m.b"].now) == (9, 5)
    engine(run).regroup("attach", "m.b", "asked")
    assert engine(run).read == {"a", "b"} and not engine(run).ledger.head.away
    run.epoch({"b": rows(y=7, z=9, w=11)})
    assert lines(run) == ["[5]:+:x", "[7]:+:y", "[9]:+:z", "[11]:+:w"]
    assert run.dead_letters == 0


def test_until_does_not_move_who_is_away(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, copies("ab") + MERGED + LOG, tmp_path)
    run.epoch({"a": rows(x=5), "b": rows(x=5)})
    engine(run).regroup("detach", "m.b", "asked")
    run.until(40)
    after = engine(run).ledger.head.sections
    assert (after["m.a"].now, after["m.b"].now) == (40, 5)


def test_nobody_waits_for_who_is_away(spark: SparkSession, tmp_path: Path) -> None:
    """FRACTION 1 asks all inputs that are attached."""
    merged = "CREATE STREAM m MERGE OF a, b POLICY FRACTION 1; CREATE QUERY q AS SELECT k FROM m "
    run = Run(spark, copies("ab", " WITHIN 20") + merged + LOG, tmp_path)
    run.epoch({"a": rows(x=5, y=7), "b": rows(x=5)})
    assert lines(run) == ["[5]:+:x"]
    engine(run).regroup("detach", "m.b", "asked")
    assert lines(run) == ["[5]:+:x", "[7]:+:y"]
    run.epoch({"a": rows(z=9)})
    engine(run).regroup("attach", "m.b", "asked")
    run.epoch({"a": rows(w=10), "b": rows(y=7)})
    assert lines(run) == ["[5]:+:x", "[7]:+:y", "[9]:+:z"]


def test_a_request_is_taken_once_and_the_last_input_stays(
    spark: SparkSession, tmp_path: Path
) -> None:
    from reflow.runtime.epoch.attaching import Refused

    run = Run(spark, copies("ab") + MERGED + LOG, tmp_path)
    run.epoch({"a": rows(x=5)})
    for _ in range(2):
        engine(run).regroup("detach", "m.a", "asked", request=1)
        run.restart()
    head = engine(run).ledger.head
    assert (head.epoch, head.requests, list(head.away)) == (2, 1, ["m.a"])
    assert head.away["m.a"]["reason"] == "asked"
    with pytest.raises(Refused, match="last attached input of m"):
        engine(run).regroup("detach", "m.b", "asked")
    with pytest.raises(Refused, match=r"m\.a is detached"):
        engine(run).regroup("detach", "m.a", "asked")
    with pytest.raises(Refused, match=r"m\.b is attached"):
        engine(run).regroup("attach", "m.b", "asked")


def test_a_stream_that_is_read_elsewhere_cannot_go_away(
    spark: SparkSession, tmp_path: Path
) -> None:
    from reflow.runtime.epoch.attaching import Refused

    text = copies("ab") + MERGED + LOG
    text += "CREATE QUERY r AS SELECT k FROM a INTO LOG '{dir}/out/r.log';"
    run = Run(spark, text, tmp_path)
    with pytest.raises(Refused, match="reads a, which is read elsewhere too"):
        engine(run).regroup("detach", "m.a", "asked")
