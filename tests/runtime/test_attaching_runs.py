"""Inputs of a merge that go away and come back, with Spark's streaming query and its sources."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reflow.runtime.ledger import requests
from reflow.runtime.ledger.progress import Progress
from reflow.runtime.ledger.storage import Storage

from .running import Place

if TYPE_CHECKING:
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
