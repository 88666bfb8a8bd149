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
    `modified`: of a source's file that lies where it was (its path is a URI): when it was changed
    last, in microseconds.
    """

    path: str
    rows: int
    bytes: int
    epoch: int
    low: dict[str, int] = field(default_factory=dict)
    high: dict[str, int] = field(default_factory=dict)
    revised: bool = False
    modified: int | None = None

    @property
    def in_place(self) -> bool:
        """Whether it is the source's own, and not the checkpoint's."""
        return self.modified is not None

    @property
    def bucket(self) -> str:
        """What has been written at once, in however many files, has the same."""
        folder = self.path.rpartition("/")[0]
        if self.in_place or folder.startswith("landing/"):
            return f"landing/{self.epoch}{' revised' if self.revised else ''}"
        return folder

    def to_json(self) -> dict[str, Any]:
        entry = asdict(self)
        if self.modified is None:
            del entry["modified"]
        return entry

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
    return int(footer_of(storage, path).num_rows)


def footer_of(storage: Storage, path: str) -> pq.FileMetaData:
    """What Parquet says of a file."""
    filesystem, where = storage.located(path)
    return pq.read_metadata(where, filesystem=filesystem)


def described(storage: Storage, path: str, size: int, epoch: int) -> DataFile:
    """The entry of a Parquet file in the index, from its footer."""
    footer = footer_of(storage, path)
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


def what_changed(storage: Storage, file: DataFile) -> str | None:
    """How a source's file differs from what the index says of it, without reading it; or None."""
    found = storage.looked_at(file.path)
    if found is None:
        return "is not there any more"
    size, modified = found
    if size != file.bytes:
        return f"has changed: {file.bytes:,} bytes by the index, {size:,} in the file"
    if modified != file.modified:
        return f"has changed since epoch {file.epoch} named it"
    return None
