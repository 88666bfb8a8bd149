"""Tables in, CSV or Parquet files out, as Spark's file source wants them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

# Spark takes files in order of their modification times, so the files get times that ascend.
FIRST_MODIFIED = 1_600_000_000


def write_csv(
    folder: Path,
    tables: Iterable[pa.Table],
    rows_per_file: int,
    *,
    first: Sequence[int] = (),
    header: bool = True,
) -> list[Path]:
    """Writes `part-00000.csv`, `part-00001.csv`, …: files of as many rows as `first` says, then of
    `rows_per_file`; the last may have fewer.
    """
    sizes = chain(first, repeat(rows_per_file))
    return [
        write_one(folder, number, table, header=header)
        for number, table in enumerate(regroup(tables, sizes))
    ]


def write_one(folder: Path, number: int, table: pa.Table, *, header: bool = True) -> Path:
    """One file; it appears whole, because a running stream may be watching the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"part-{number:05d}.csv"
    hidden = folder / f".{path.name}"
    options = pacsv.WriteOptions(include_header=header, quoting_style="none")
    # Batches of 100,000 rows: the default of 1,024 spends more time on calls than on text.
    options.batch_size = 100_000
    pacsv.write_csv(table, hidden, options)
    os.utime(hidden, (FIRST_MODIFIED + number, FIRST_MODIFIED + number))
    hidden.rename(path)
    return path


def write_parquet(folder: Path, number: int, table: pa.Table) -> Path:
    """One file, whose timestamps are instants; it appears whole."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"part-{number:05d}.parquet"
    hidden = folder / f".{path.name}"
    zoned = pa.schema(
        [
            field.with_type(pa.timestamp("us", "UTC"))
            if pa.types.is_timestamp(field.type)
            else field
            for field in table.schema
        ]
    )
    pq.write_table(table.cast(zoned), hidden)
    os.utime(hidden, (FIRST_MODIFIED + number, FIRST_MODIFIED + number))
    hidden.rename(path)
    return path


def regroup(tables: Iterable[pa.Table], sizes: Iterable[int]) -> Iterator[pa.Table]:
    """The same rows in the same order, in tables of these sizes; the last may be shorter."""
    wanted = iter(sizes)
    rows = next(wanted)
    waiting: list[pa.Table] = []
    count = 0
    for table in tables:
        waiting.append(table)
        count += table.num_rows
        while count >= rows:
            whole = pa.concat_tables(waiting)
            yield whole.slice(0, rows)
            waiting = [whole.slice(rows)]
            count -= rows
            rows = next(wanted)
    if count:
        yield pa.concat_tables(waiting)
