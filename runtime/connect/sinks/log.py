"""LOG: a local text file with a line `[instant]:+:v1, v2` when a row enters the answer, and `:-:` when it leaves.

Appended once an epoch, and cut back to its committed length on restart. Corrections of earlier instants are further
lines: the lines always add up to the answer.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ...elements.columns import T, W, quote
from ...ledger.storage import Storage


def lines(frame: DataFrame, columns: list[str], timestamps: bool) -> DataFrame:
    """Points as lines, in order of instant, leaving rows first; a row of weight k stands k times."""
    values = [F.coalesce(F.col(quote(c)).cast("string"), F.lit("NULL")) for c in columns]
    sign = F.when(F.col(W) > 0, "+").otherwise("-")
    head = F.concat(F.lit("["), shown_instant(F.col(T), timestamps), F.lit("]:"), sign, F.lit(":"))
    line = F.concat(head, F.concat_ws(", ", *values)).alias("line")
    copies = F.explode(F.sequence(F.lit(1).cast("long"), F.abs(F.col(W)))).alias("_copy")
    return (
        frame.select(F.col(T), sign.alias("_sign"), line, copies)
        .orderBy(T, F.col("_sign").desc(), "line")
        .select("line")
    )


def shown_instant(instant: Column, timestamps: bool) -> Column:
    """Integers for ticks, ISO timestamps (UTC, without zone) for microseconds; fractions only where there are any."""
    if not timestamps:
        return instant.cast("string")
    moment = F.timestamp_micros(instant)
    zone = F.current_timezone()
    utc = F.to_utc_timestamp(moment, zone)
    whole = F.date_format(utc, "yyyy-MM-dd'T'HH:mm:ss")
    fraction = F.date_format(utc, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS")
    return F.when(F.pmod(instant, F.lit(1_000_000)) == 0, whole).otherwise(fraction)


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
        frame.coalesce(1).write.mode("overwrite").text(storage.spark_path(directory))
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
