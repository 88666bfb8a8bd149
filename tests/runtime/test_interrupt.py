"""Ctrl-C ends a run after the running epoch; the checkpoint goes on from there."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reflow.runtime.run import plain, runner

from ..harness.processes import running
from .running import Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STREAM = """
CREATE STREAM s (t BIGINT, x INT, ORDER BY t) FROM CSV '{dir}/in/'
OPTIONS (maxFilesPerTrigger = 1);
"""
DELTA = STREAM + "CREATE QUERY q AS SELECT x FROM s [RANGE 10] INTO LOG '{dir}/q.log';"
PLAIN = STREAM + "CREATE QUERY q AS SELECT t, x FROM s INTO PARQUET '{dir}/out';"


@pytest.fixture
def stop(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set by the test in place of a signal, so that it is known when.

    A delta program's main thread sees it once a batch was refused: it would else end the streaming
    query at a moment that differs from run to run, perhaps within Spark's own preparations.
    """
    asked = threading.Event()
    refused = threading.Event()

    def is_set() -> bool:
        if asked.is_set() and threading.current_thread() is not threading.main_thread():
            refused.set()
        return asked.is_set() and refused.is_set()

    def seen_by(look: Callable[[], bool]) -> Callable[[threading.Event], Any]:
        @contextmanager
        def interrupts(stop: threading.Event) -> Iterator[None]:
            monkeypatch.setattr(stop, "is_set", look)
            yield

        return interrupts

    monkeypatch.setattr(runner, "interrupts", seen_by(is_set))
    monkeypatch.setattr(plain, "interrupts", seen_by(asked.is_set))
    return asked


@pytest.mark.parametrize("drain", [True, False])
def test_no_epoch_begins_after_the_running_one(
    spark: SparkSession, tmp_path: Path, stop: threading.Event, drain: bool
) -> None:
    place = Place(tmp_path)
    for number in range(3):
        place.put(f"in/{number}.csv", f"{number},{number}")
    place.run(DELTA, drain=drain, watch=lambda report: stop.set())
    assert [report.kind for report in place.seen] == ["batch"]
    stop.clear()
    place.run(DELTA)
    assert [report.batchId for report in place.seen] == [0, 1, 2, None]
    assert place.path("q.log").read_text().splitlines() == [f"[{n}]:+:{n}" for n in range(3)]


def test_an_end_between_listing_and_beginning_a_batch(
    spark: SparkSession, tmp_path: Path, stop: threading.Event
) -> None:
    """Spark's source has noted a file for a batch that its own log does not know yet."""
    place = Place(tmp_path)
    for number in range(3):
        place.put(f"in/{number}.csv", f"{number},{number}")
    place.run(DELTA, drain=False, watch=lambda report: stop.set())
    noted = place.path("state/spark/offsets")
    assert list(place.path("state/spark/sources").glob("*/1"))
    (noted / "1").unlink()
    (noted / ".1.crc").unlink(missing_ok=True)
    stop.clear()
    place.run(DELTA)
    assert [report.batchId for report in place.seen] == [0, 1, None]
    assert place.path("q.log").read_text().splitlines() == [f"[{n}]:+:{n}" for n in range(3)]


def test_a_plain_program_loses_nothing(
    spark: SparkSession, tmp_path: Path, stop: threading.Event
) -> None:
    place = Place(tmp_path)
    for number in range(3):
        place.put(f"in/{number}.csv", f"{number},{number}")
    place.run(PLAIN, drain=False, watch=lambda report: stop.set())
    stop.clear()
    place.run(PLAIN)
    assert place.rows("out") == [(n, n) for n in range(3)]


@pytest.mark.slow
def test_a_signal_to_the_command(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.put("in/1.csv", "1,1")
    query = place.path("program.cql")
    query.write_text(DELTA.replace("{dir}", str(tmp_path)))
    with running(query, place.path("state"), place.path("stderr")) as process:
        assert process.stdout is not None
        assert '"event": "epoch"' in process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        rest = process.stdout.read()
        assert process.wait() == 0, place.path("stderr").read_text()
    assert rest.startswith('{"event": "summary", "epochs": 1')
    place.put("in/2.csv", "2,2")
    assert place.run(DELTA).epochs == 2
    assert place.path("q.log").read_text() == "[1]:+:1\n[2]:+:2\n"
