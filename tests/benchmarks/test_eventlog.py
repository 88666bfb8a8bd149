"""The counter of rows reads Spark's own events: which rows it counts, which not, and since when."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.support.eventlog import Touched, settings, touched


def task_end(finish: int, read: int = 0, written: int = 0, shuffled: int = 0) -> dict[str, Any]:
    """An event as Spark writes it, less what nobody reads here; `finish` in milliseconds."""
    return {
        "Event": "SparkListenerTaskEnd",
        "Stage ID": 0,
        "Task Type": "ResultTask",
        "Task Info": {"Task ID": 1, "Finish Time": finish, "Failed": False, "Accumulables": []},
        "Task Metrics": {
            "Executor Run Time": 12,
            "Input Metrics": {"Bytes Read": 900, "Records Read": read},
            "Output Metrics": {"Bytes Written": 700, "Records Written": written},
            "Shuffle Read Metrics": {"Total Records Read": shuffled},
            "Shuffle Write Metrics": {
                "Shuffle Bytes Written": 500,
                "Shuffle Records Written": shuffled,
            },
        },
    }


def write(path: Path, *events: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")


def test_read_written_and_shuffled_once(tmp_path: Path) -> None:
    write(tmp_path / "local-1", task_end(1, 5, 3, 2), task_end(2, read=10))
    assert touched(tmp_path) == Touched(read=15, written=3, shuffled=2)
    assert touched(tmp_path).total == 20


def test_tasks_that_ended_before_are_left_out(tmp_path: Path) -> None:
    write(tmp_path / "local-1", task_end(1_999, 5), task_end(2_000, 7), task_end(2_001, 11))
    assert touched(tmp_path, since=2.0).total == 18


def test_other_events_are_left_out_even_where_they_name_it(tmp_path: Path) -> None:
    other = {"Event": "SparkListenerJobStart", "Properties": {"x": '"SparkListenerTaskEnd"'}}
    nested = {**task_end(1, 5), "Event": "Other", "of": "SparkListenerTaskEnd"}
    write(tmp_path / "local-1", other, nested, task_end(1, 1))
    assert touched(tmp_path).total == 1


def test_a_killed_task_has_no_metrics(tmp_path: Path) -> None:
    killed = task_end(1, 5)
    del killed["Task Metrics"]
    write(tmp_path / "local-1", killed, {**task_end(1, 5), "Task Metrics": None}, task_end(1, 2))
    assert touched(tmp_path).total == 2


def test_all_files_of_a_rolling_log(tmp_path: Path) -> None:
    write(tmp_path / "eventlog_v2_local-1" / "events_1_local-1", task_end(1, 5))
    write(tmp_path / "eventlog_v2_local-1" / "events_2_local-1", task_end(1, 6))
    assert touched(tmp_path).total == 11


def test_no_log_is_no_count(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no event log"):
        touched(tmp_path)


def test_settings_name_a_folder_that_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "events"
    assert f"spark.eventLog.dir={folder.as_uri()}" in settings(folder)
    assert folder.is_dir()
