"""The entry that a file should have in the bucket index table, made anew from the file."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..elements.columns import W
from ..ledger.files import RANGED, DataFile, described
from ..ledger.storage import Storage


def recounted(storage: Storage, path: str, size: int, footer_only: bool) -> DataFile:
    """Rows and ranges of a file, and whether rows of it have weights (`revised`). With
    `footer_only` as Parquet says it, else of all its pages, whose checksums are looked at. Raises
    OSError or pyarrow's errors for what cannot be read.
    """
    entry = described(storage, path, size, 0)
    with storage.filesystem.open_input_file(storage.full(path)) as source:
        file = pq.ParquetFile(source, page_checksum_verification=True)
        if footer_only:
            return replace(entry, revised=_has_weights(file.metadata))
        counted = _Counted()
        for batch in file.iter_batches():
            counted.add(batch)
    return replace(
        entry,
        rows=counted.rows,
        low=counted.low,
        high=counted.high,
        revised=counted.weighed > 0,
    )


def counted_rows(storage: Storage, path: str, footer_only: bool) -> int:
    """Rows of a source's file, counted as `recounted` does, with the same errors."""
    filesystem, where = storage.located(path)
    with filesystem.open_input_file(where) as source:
        file = pq.ParquetFile(source, page_checksum_verification=True)
        if footer_only:
            return int(file.metadata.num_rows)
        return sum(batch.num_rows for batch in file.iter_batches())


@dataclass
class _Counted:
    """Rows and ranges of the batches of a file."""

    rows: int = 0
    weighed: int = 0
    low: dict[str, int] = field(default_factory=dict)
    high: dict[str, int] = field(default_factory=dict)

    def add(self, batch: pa.RecordBatch) -> None:
        self.rows += batch.num_rows
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if name == W:
                self.weighed += len(column) - column.null_count
            if name in RANGED and column.null_count < len(column):
                found: dict[str, Any] = pc.min_max(column).as_py()
                self.low[name] = min(self.low.get(name, found["min"]), found["min"])
                self.high[name] = max(self.high.get(name, found["max"]), found["max"])


def _has_weights(footer: pq.FileMetaData) -> bool:
    """Whether some row has a weight, as the footer tells."""
    columns = (
        footer.row_group(group).column(index)
        for group in range(footer.num_row_groups)
        for index in range(footer.num_columns)
    )
    return any(
        column.statistics is not None and column.statistics.num_values > 0
        for column in columns
        if column.path_in_schema == W
    )
