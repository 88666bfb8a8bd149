"""Heartbeats: an epoch without rows, after EVERY or IDLE AFTER, and what it does to the clock."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from reflow.runtime.ledger.progress import Progress

from .running import Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TWO = """
CREATE STREAM a (t BIGINT, x INT, ORDER BY t) FROM CSV '{dir}/a/';
CREATE STREAM b (t BIGINT, x INT, ORDER BY t) FROM CSV '{dir}/b/' IDLE AFTER 1 SECOND;
CREATE QUERY q AS SELECT x FROM a [RANGE 10] UNION ALL SELECT x FROM b [RANGE 10]
EMIT FINAL INTO LOG '{dir}/q.log';
"""
ARRIVAL = """
CREATE STREAM a (x INT, ORDER BY ARRIVAL) FROM CSV '{dir}/a/';
CREATE QUERY q AS SELECT x FROM a [RANGE 10 MILLISECONDS] EVERY 1 SECOND INTO LOG '{dir}/q.log';
"""


def stop() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_an_idle_stream_holds_nobody_up(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.put("a/1.csv", "5,1", "20,2")
    place.put("b/1.csv", "6,3")

    def watch(report: Progress) -> None:
        if report.complete == 20:
            stop()

    summary = place.run(TWO, drain=False, watch=watch)
    first, last = place.seen[0], place.seen[-1]
    assert (first.kind, first.now, first.complete, first.heldBackBy) == ("batch", 20, 6, "b")
    assert (last.kind, last.batchId, last.numInputRows) == ("heartbeat", None, 0)
    assert (summary.complete, last.heldBackBy) == (20, "a")
    assert place.path("q.log").read_text().splitlines() == [
        "[5]:+:1", "[6]:+:3", "[15]:-:1", "[16]:-:3"
    ]  # fmt: skip
    _rows_of_the_idle_stream_are_late_then(place)


def _rows_of_the_idle_stream_are_late_then(place: Place) -> None:
    place.put("b/2.csv", "19,4", "21,5")
    assert place.run(TWO).deadLetters == 1
    assert place.dead_letters() == [("b", "late", 19, '{"t":19,"x":4}')]


def test_arrival_windows_empty_without_rows(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.put("a/1.csv", "7")

    def watch(report: Progress) -> None:
        if report.kind == "heartbeat":
            stop()

    place.run(ARRIVAL, drain=False, watch=watch)
    lines = place.path("q.log").read_text().splitlines()
    assert [line.rpartition("]")[2] for line in lines] == [":+:7", ":-:7"]
