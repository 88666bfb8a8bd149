"""Inputs of a merge that go away and come back, with Spark's streaming query and its sources."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reflow.cli import main
from reflow.runtime.ledger import requests
from reflow.runtime.ledger.progress import Progress
from reflow.runtime.ledger.storage import Storage

from ..harness.dying import Died, dying
from ..harness.processes import running
from .running import Place

if TYPE_CHECKING:
    import subprocess

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

COPY = "CREATE STREAM {0} (t BIGINT, k STRING, ORDER BY t) FROM CSV '{{dir}}/{0}/';"
TEXT = (
    f"{COPY.format('a')} {COPY.format('b')} CREATE STREAM m MERGE OF a, b;"
    "CREATE QUERY q AS SELECT k FROM m INTO LOG '{dir}/q.log';"
)


def lines(place: Place) -> list[str]:
    found = place.path("q.log").read_text().split()
    return sorted(found, key=lambda line: int(line[1 : line.index("]")]))


def store(place: Place) -> Storage:
    return Storage(str(place.path("state/reflow")))


def test_an_input_is_away_for_a_run_and_goes_on_where_it_left(
    spark: SparkSession, tmp_path: Path
) -> None:
    place = Place(tmp_path)
    for name in "ab":
        place.put(f"{name}/1.csv", "5,x")
    place.run(TEXT)
    asked = requests.ask(store(place), "detach", "b")
    place.put("a/2.csv", "7,y")
    place.put("b/2.csv", "7,y", "8,v")
    place.run(TEXT)
    assert requests.answered(store(place), asked) == {"refused": None, "already": False}
    assert lines(place) == ["[5]:+:x", "[7]:+:y"]
    requests.ask(store(place), "attach", "b")
    place.put("b/3.csv", "9,z")
    place.run(TEXT)
    assert lines(place) == ["[5]:+:x", "[7]:+:y", "[8]:+:v", "[9]:+:z"]
    assert [report.numInputRows for report in place.seen if report.kind == "batch"] == [2, 1, 3]


def test_a_run_goes_on_without_an_input_whose_folder_is_gone(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(tmp_path)
    for name in "ab":
        place.put(f"{name}/1.csv", "5,x")
    told: list[str] = []

    def watch(report: Progress) -> None:
        told.append(report.kind)
        if told == ["batch"]:
            shutil.rmtree(tmp_path / "b")
        elif report.kind == "detach":
            place.put("a/2.csv", "7,y")
        elif told[-2:] == ["detach", "batch"]:
            place.put("b/2.csv", "9,z")
            requests.ask(store(place), "attach", "b")
        elif told[-2:] == ["attach", "batch"]:
            os.kill(os.getpid(), signal.SIGINT)

    place.run(TEXT, drain=False, watch=watch)
    assert told == ["batch", "detach", "batch", "attach", "batch"]
    assert lines(place) == ["[5]:+:x", "[7]:+:y", "[9]:+:z"]
    assert "m.b is detached: " in capsys.readouterr().err


def test_a_batch_that_was_begun_with_a_folder_that_vanishes_is_ended_without_it(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Spark names the files of a batch before it reads them. What the other input has in that batch
    is there, once; what the lost one had says a new copy.
    """
    from reflow.runtime.epoch import protocol

    place = Place(tmp_path)
    for name in "ab":
        place.put(f"{name}/1.csv", "5,x")
    place.run(TEXT)
    place.put("a/2.csv", "7,y")
    place.put("b/2.csv", "7,y", "8,v")
    reached = protocol.reached

    def lose(step: str, epoch: int) -> None:
        if (step, epoch) == ("intended", 3):
            shutil.rmtree(tmp_path / "b", ignore_errors=True)
        reached(step, epoch)

    monkeypatch.setattr(protocol, "reached", lose)
    place.seen.clear()
    place.run(TEXT)
    assert [report.kind for report in place.seen] == ["batch", "detach", "drain"]
    assert "m.b is detached: " in capsys.readouterr().err
    assert lines(place) == ["[5]:+:x", "[7]:+:y"]
    place.put("b/3.csv", "7,y", "8,v", "9,z")
    place.put("a/3.csv", "8,v", "9,z")
    requests.ask(store(place), "attach", "b", "8")
    place.run(TEXT)
    assert lines(place) == ["[5]:+:x", "[7]:+:y", "[8]:+:v", "[9]:+:z"]


def test_a_run_goes_on_without_an_input_whose_file_cannot_be_read(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = Place(tmp_path)
    (tmp_path / "a").mkdir()
    pq.write_table(pa.table({"t": [5], "k": ["x"]}), tmp_path / "a" / "1.parquet")
    place.put("b/1.parquet", "this is none")
    place.run(TEXT.replace("CSV", "PARQUET"))
    assert [report.kind for report in place.seen] == ["batch", "detach", "drain"]
    assert place.seen[-1].merges["m"]["away"] == {
        "b": f"{tmp_path / 'b' / '1.parquet'} cannot be read"
    }
    assert lines(place) == ["[5]:+:x"]


def test_a_run_that_dies_while_an_input_goes_or_comes_resumes(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each step of each such epoch, and between the epoch and the answer to who asked for it."""
    place = Place(tmp_path)
    for name in "ab":
        place.put(f"{name}/1.csv", "5,x")
    place.run(TEXT)
    asked = requests.ask(store(place), "detach", "b")
    place.put("a/2.csv", "7,y")
    place.put("b/2.csv", "7,y", "8,v")
    assert "committed" in died(place, monkeypatch)
    place.run(TEXT)
    assert requests.answered(store(place), asked) == {"refused": None, "already": False}
    assert lines(place) == ["[5]:+:x", "[7]:+:y"]
    place.put("b/3.csv", "7,y", "8,v", "9,z")
    place.put("a/3.csv", "8,v", "9,z")
    asked = requests.ask(store(place), "attach", "b", "8")
    assert {"state", "committed"} <= died(place, monkeypatch)
    place.run(TEXT)
    assert requests.answered(store(place), asked) == {"refused": None, "already": False}
    assert lines(place) == ["[5]:+:x", "[7]:+:y", "[8]:+:v", "[9]:+:z"]
    kinds = [report.kind for report in place.seen]
    assert (kinds.count("detach"), kinds.count("attach")) == (0, 0), "both died before they told"


def died(place: Place, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The steps of the next epoch, at each of which a run has died."""
    struck: set[str] = set()
    while "committed" not in struck:
        with dying(monkeypatch, lambda step, _: step not in struck) as died, pytest.raises(Died):
            place.run(TEXT)
        struck.add(died[0][0])
    return struck


@pytest.mark.slow
def test_the_command_goes_on_without_a_folder_and_with_it_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    """A process of its own, and `reflow attach` beside it."""
    place = Place(tmp_path)
    for name in "ab":
        place.put(f"{name}/1.csv", "5,x")
    query = place.path("program.cql")
    query.write_text(TEXT.replace("{dir}", str(tmp_path)))
    own = ["--checkpoint", str(place.path("state"))]
    with running(query, place.path("state"), place.path("stderr")) as process:
        _epoch(process, "batch")
        shutil.rmtree(tmp_path / "b")
        assert "is not there" in _epoch(process, "detach")["merges"]["m"]["away"]["b"]
        place.put("a/2.csv", "7,y")
        _epoch(process, "batch")
        place.put("b/2.csv", "7,y", "9,z")
        assert main(["attach", str(query), "b", *own]) == 0
        assert _epoch(process, "attach")["merges"]["m"]["away"] == {}
        _epoch(process, "batch")
        os.killpg(process.pid, signal.SIGINT)
        assert process.stdout is not None
        rest = process.stdout.read()
        assert process.wait() == 0, place.path("stderr").read_text()
    assert '"event": "summary"' in rest
    assert "m.b is detached: " in place.path("stderr").read_text()
    assert lines(place) == ["[5]:+:x", "[7]:+:y", "[9]:+:z"]


def _epoch(process: subprocess.Popen[str], kind: str) -> dict[str, Any]:
    """The next epoch of a kind, as the process tells it."""
    assert process.stdout is not None
    for line in process.stdout:
        told: dict[str, Any] = json.loads(line)
        if told.get("kind") == kind:
            return told
    raise AssertionError(f"the run has ended without an epoch of kind {kind}")
