"""Parquet files that a manifest names: how they are written, their sizes, and the range of the
engine's columns from their footers.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, DataFrameWriter

from ..elements.columns import VE, VS, T
from .storage import Storage

RANGED: Final = (VS, VE, T)
"""Columns whose ranges the index has."""

PAGE_ROWS: Final = 1_000
"""Rows of a page, the least that Parquet can pass over: what expires in an epoch is a slice of a
bucket, and pages of the default 20,000 rows would have most buckets read whole.
"""

_PAGES: Final = {"parquet.page.row.count.limit": str(PAGE_ROWS)}

UNMARKED: Final = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}
"""No file that says that a write is whole: the manifest does."""


@dataclass(frozen=True)
class DataFile:
    """One immutable Parquet file. `low` and `high` give the range of `_vs`, `_ve`, `_t` where it
    has them. `revised`: of a stream's elements it has those that came late or correct others.
    """

    path: str
    rows: int
    bytes: int
    epoch: int
    low: dict[str, int] = field(default_factory=dict)
    high: dict[str, int] = field(default_factory=dict)
    revised: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> DataFile:
        return cls(**data)


def writer(frame: DataFrame) -> DataFrameWriter:
    """Writes a frame as Parquet files of short pages, in place of what is there."""
    return frame.write.mode("overwrite").options(**UNMARKED, **_PAGES)


def written_files(storage: Storage, directory: str, epoch: int) -> list[DataFile]:
    """The Parquet files of a directory that hold any row; reads their footers only."""
    found = [
        described(storage, path, size, epoch) for path, size in storage.files(directory, ".parquet")
    ]
    return [file for file in found if file.rows]


def rows_of(storage: Storage, path: str) -> int:
    """Rows of a Parquet file, from its footer."""
    footer = pq.read_metadata(storage.full(path), filesystem=storage.filesystem)
    return int(footer.num_rows)


def described(storage: Storage, path: str, size: int, epoch: int) -> DataFile:
    """The entry of a Parquet file in the index, from its footer."""
    footer = pq.read_metadata(storage.full(path), filesystem=storage.filesystem)
    low: dict[str, int] = {}
    high: dict[str, int] = {}
    for group in range(footer.num_row_groups):
        for index in range(footer.num_columns):
            column = footer.row_group(group).column(index)
            name, statistics = column.path_in_schema, column.statistics
            if name in RANGED and statistics is not None and statistics.has_min_max:
                low[name] = min(low.get(name, statistics.min), statistics.min)
                high[name] = max(high.get(name, statistics.max), statistics.max)
    return DataFile(path, footer.num_rows, size, epoch, low, high)
