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
    from reflow.runtime.epoch.attaching import Already, Refused

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
    with pytest.raises(Already, match=r"m\.a is detached already"):
        engine(run).regroup("detach", "m.a", "asked")
    with pytest.raises(Already, match=r"m\.b is attached already"):
        engine(run).regroup("attach", "m.b", "asked")
    with pytest.raises(Refused, match=r"m\.b is attached: detach it first"):
        engine(run).regroup("attach", "m.b", "asked", since=7)


def test_a_new_copy_with_a_gap_denies_nothing(spark: SparkSession, tmp_path: Path) -> None:
    """It joins when the merged stable is where it begins; until then its word does not count. What
    it repeats is known. After restarts, too.
    """
    run = Run(spark, copies("ab", " WITHIN 2") + MERGED + LOG, tmp_path)
    run.epoch({"a": rows(x=5), "b": rows(x=5)})
    engine(run).regroup("detach", "m.b", "asked")
    run.epoch({"a": rows(y=7, z=9)})
    engine(run).regroup("attach", "m.b", "asked", request=1, since=12)
    run.restart()
    engine(run).regroup("attach", "m.b", "asked", request=1, since=12)
    member = engine(run).ledger.head.merges["m"]["members"][1]
    assert (member["complete_from"], member["joined"], member["away"]) == (12, False, False)
    assert "m.b" not in engine(run).ledger.head.away
    run.epoch({"b": rows(z=9, u=12, t=15, w=20)})
    run.restart()
    run.epoch({"a": rows(v=11, u=12, t=15)})
    assert engine(run).ledger.head.merges["m"]["members"][1]["joined"]
    run.until(30)
    found = lines(run)
    assert [line.replace(":+:", "") for line in found] == [
        *("[5]x", "[7]y", "[9]z", "[11]v", "[12]u", "[15]t", "[20]w")
    ]
    assert run.dead_letters == 0


def test_a_new_copy_begins_without_what_the_old_one_had(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Its clock, the windows below the merge and their state: rows that it repeats count once."""
    text = copies("ab") + "".join(
        f"CREATE VIEW {n}s AS SELECT k, COUNT(*) AS n FROM {n} [RANGE 20] GROUP BY k;" for n in "ab"
    )
    merged = "CREATE STREAM m MERGE OF as_, bs; CREATE QUERY q AS SELECT k, n FROM m "
    text = text.replace("VIEW as AS", "VIEW as_ AS") + merged + LOG
    run = Run(spark, text, tmp_path)
    run.epoch({"a": rows(x=5), "b": rows(x=5, y=6)})
    before = set(run.state)
    assert set(engine(run).ledger.head.owners.values()) == {"m.as_", "m.bs"}
    engine(run).regroup("detach", "m.bs", "asked")
    engine(run).regroup("attach", "m.bs", "asked", since=7)
    owners = engine(run).ledger.head.owners
    gone = {name for name in before if owners.get(name) == "m.bs"}
    assert gone and not gone & set(run.state)
    assert engine(run).ledger.head.sections["m.bs"].now < 0
    run.epoch({"a": rows(y=6)})
    run.epoch({"b": rows(x=5, y=6, z=8)})
    run.epoch({"a": rows(z=8, w=30)})
    run.restart()
    run.until(60)
    values = [line for line in lines(run) if ":2" in line or ",2" in line]
    assert not values, lines(run)


def test_a_stream_that_is_read_elsewhere_cannot_go_away(
    spark: SparkSession, tmp_path: Path
) -> None:
    from reflow.runtime.epoch.attaching import Refused

    text = copies("ab") + MERGED + LOG
    text += "CREATE QUERY r AS SELECT k FROM a INTO LOG '{dir}/out/r.log';"
    run = Run(spark, text, tmp_path)
    with pytest.raises(Refused, match="reads a, which is read elsewhere too"):
        engine(run).regroup("detach", "m.a", "asked")
