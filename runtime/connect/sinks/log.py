"""LOG: a local text file with a line `[instant]:+:v1, v2` when a row enters the answer, and `:-:`
when it leaves.

Appended once an epoch, and cut back to its committed length on restart. Corrections of earlier
instants are further lines: the lines always add up to the answer.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from ...elements.columns import T, W, quote
from ...ledger.storage import Storage


def lines(
    frame: DataFrame, columns: Sequence[str], timestamps: bool, together: bool = False
) -> DataFrame:
    """Points as lines, in order of instant, leaving rows first; weight k makes k lines.

    `together`: the points are one partition already.
    """
    values = [f"coalesce(CAST({quote(column)} AS STRING), 'NULL')" for column in columns]
    sign = f"CASE WHEN {W} > 0 THEN '+' ELSE '-' END"
    text = f"concat('[', {shown_instant(T, timestamps)}, ']:', {sign}, ':', {_joined(values)})"
    copies = f"explode(sequence(1L, abs({W}))) AS _copy"
    shown = frame.selectExpr(T, f"{W} > 0 AS _enters", f"{text} AS line", copies)
    # One partition sorts without the sampling pass of a global sort; the file is one anyway.
    one = shown if together else shown.repartition(1)
    return one.sortWithinPartitions(T, "_enters", "line").select("line")


def _joined(values: list[str]) -> str:
    return f"concat_ws(', ', {', '.join(values)})"


def shown_instant(instant: str, timestamps: bool) -> str:
    """SQL: integers for ticks, ISO timestamps (UTC, without zone) for microseconds; fractions only
    where there are any.
    """
    if not timestamps:
        return f"CAST({instant} AS STRING)"
    utc = f"to_utc_timestamp(timestamp_micros({instant}), current_timezone())"
    whole = f"date_format({utc}, \"yyyy-MM-dd'T'HH:mm:ss\")"
    fraction = f"date_format({utc}, \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS\")"
    return f"CASE WHEN pmod({instant}, 1000000) = 0 THEN {whole} ELSE {fraction} END"


def append(
    frame: DataFrame | None, path: str, committed: int, storage: Storage, epoch: int, query: str
) -> dict[str, Any]:
    """Append one epoch's lines after the committed length; gives the new one."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("ab") as file:
        file.truncate(committed)
    if frame is not None:
        directory = f"log/{query}/{epoch:08d}"
        frame.write.mode("overwrite").text(storage.spark_path(directory))
        _take_over(storage, directory, target)
        storage.delete(directory)
    return {"bytes": target.stat().st_size}


def _take_over(storage: Storage, directory: str, target: Path) -> None:
    with target.open("ab") as file:
        for part, _ in storage.files(directory, ".txt"):
            with storage.filesystem.open_input_stream(storage.full(part)) as source:
                shutil.copyfileobj(source, file)
        file.flush()
        os.fsync(file.fileno())
