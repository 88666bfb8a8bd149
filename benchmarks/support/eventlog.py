"""Spark's event log in, rows that its tasks touched out (BENCHMARKS, `upa`).

In: a folder of uncompressed event logs (`spark.eventLog.dir`). Out: rows that tasks read from files
and caches, wrote to files, and moved through shuffles. A row counts each time it is touched.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MARK = '"SparkListenerTaskEnd"'


@dataclass(frozen=True)
class Touched:
    """Rows read, written, and written to shuffles (their reading again is not counted)."""

    read: int = 0
    written: int = 0
    shuffled: int = 0

    @property
    def total(self) -> int:
        return self.read + self.written + self.shuffled

    def __add__(self, other: Touched) -> Touched:
        return Touched(
            self.read + other.read, self.written + other.written, self.shuffled + other.shuffled
        )


def settings(folder: Path) -> list[str]:
    """What makes Spark write its events to `folder`, which is created: `NAME=VALUE` each."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        "spark.eventLog.enabled=true",
        "spark.eventLog.compress=false",
        "spark.eventLog.rolling.enabled=false",
        f"spark.eventLog.dir={folder.resolve().as_uri()}",
    ]


def touched(folder: Path, since: float = 0.0) -> Touched:
    """All rows that tasks touched which ended at `since` or later (seconds since 1970).

    FileNotFoundError if there is no log: a count of nothing must not look like a good figure.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files:
        raise FileNotFoundError(f"no event log in {folder}")
    count = Touched()
    for path in files:
        with path.open(encoding="utf-8") as lines:
            count = sum((of_task(event) for event in task_ends(lines, since)), count)
    return count


def task_ends(lines: Iterable[str], since: float) -> Iterator[Mapping[str, Any]]:
    """The ends of tasks at or after `since`; the other events are not even parsed."""
    for event in (json.loads(line) for line in lines if _MARK in line):
        is_end = event["Event"] == "SparkListenerTaskEnd"
        if is_end and event["Task Info"]["Finish Time"] >= since * 1000:
            yield event


def of_task(event: Mapping[str, Any]) -> Touched:
    """The rows of one task; one that was killed may have no metrics."""
    metrics = event.get("Task Metrics") or {}

    def rows(group: str, name: str) -> int:
        return int(metrics.get(group, {}).get(name, 0))

    return Touched(
        read=rows("Input Metrics", "Records Read"),
        written=rows("Output Metrics", "Records Written"),
        shuffled=rows("Shuffle Write Metrics", "Shuffle Records Written"),
    )
