"""Readers of sinks: files of CHANGELOG rows and LOG lines as multiplicity functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from ..oracle.multiplicity import Changes, Row, add, canonical, canonical_row, microseconds, net
from ..oracle.physical import told

LINE = re.compile(r"\[(?P<instant>[^\]]*)\]:(?P<sign>[+-]):(?P<row>.*)", re.DOTALL)
CHANGELOG_COLUMNS = ("vs", "ve", "w", "epoch")
ELEMENTS = ("kind", "vs", "ve", "old_ve")


def parse_text(kind: str) -> Callable[[str], Any]:
    """How a LOG writes a value of this kind, read back; NULL is None for every kind."""
    parsers: dict[str, Callable[[str], Any]] = {
        "int": int,
        "real": float,
        "approx": float,
        "time": lambda text: microseconds(datetime.fromisoformat(text)),
    }
    parse = parsers.get(kind, str)
    return lambda text: None if text == "NULL" else canonical(parse(text))


def parse_instant(text: str) -> int:
    """An integer, or an ISO time as microseconds."""
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return microseconds(datetime.fromisoformat(text))


def read_log_text(text: str, kinds: Sequence[str] | None = None) -> Changes:
    """The net changes of LOG lines. Without `kinds` the values stay text, as in golden logs."""
    changes: Changes = {}
    for line in text.splitlines():
        found = LINE.fullmatch(line)
        if found is None:
            raise ValueError(f"not a line of a LOG: {line!r}")
        values: Row = tuple(found["row"].split(", "))
        if kinds is not None:
            values = tuple(parse_text(kind)(v) for kind, v in zip(kinds, values, strict=True))
        add(changes, values, parse_instant(found["instant"]), 1 if found["sign"] == "+" else -1)
    return net(changes)


def read_log(path: Path, kinds: Sequence[str] | None = None, length: int | None = None) -> Changes:
    """A LOG file, or its first `length` bytes; a file that is not there is an empty log."""
    if not path.exists():
        return {}
    return read_log_text(path.read_bytes()[:length].decode(), kinds)


def data_files(directory: Path) -> list[str]:
    """The Parquet files of a sink's folder that a reader sees: no name begins with `_` or `.`."""
    return sorted(
        str(path)
        for path in directory.rglob("*.parquet")
        if not any(part[0] in "_." for part in path.relative_to(directory).parts)
    )


def read_changelog(
    directory: Path, names: Sequence[str] | None = None, until_epoch: int | None = None
) -> Changes:
    """CHANGELOG rows: the sum of `w` over `[vs, ve)` is the multiplicity; `ve` NULL is still open.

    `names` are the row's columns in the order of the query; by default all but the four of a
    CHANGELOG, in the order of the files. Rows of epochs after `until_epoch` are left out.
    """
    changes: Changes = {}
    files = data_files(directory)
    if not files:
        return changes
    for *values, vs, ve, weight, epoch in _records(files, directory, names):
        if until_epoch is not None and epoch > until_epoch:
            continue
        row = canonical_row(values)
        add(changes, row, canonical(vs), weight)
        if ve is not None:
            add(changes, row, canonical(ve), -weight)
    return net(changes)


def read_elements(directory: Path) -> Changes:
    """What the elements of AS ELEMENTS come to, epoch by epoch. Raises ValueError where one may not
    be said.
    """
    files = sorted(
        data_files(directory), key=lambda name: int(name.split("epoch=")[1].split("/")[0])
    )
    rows = [row for name in files for row in ds.dataset(name).to_table().to_pylist()]
    plain = [{name: canonical(value) for name, value in row.items()} for row in rows]
    made = told(ELEMENTS, plain)
    changes: Changes = {}
    if made.refused:
        raise ValueError(f"not to be said: {[(plain[n], why) for n, why in made.refused]}")
    for vs, ve, values, _ in made.events:
        add(changes, values, vs, 1)
        if ve is not None:
            add(changes, values, ve, -1)
    return net(changes)


def _records(files: list[str], directory: Path, names: Sequence[str] | None) -> list[Row]:
    dataset = ds.dataset(
        files, format="parquet", partitioning="hive", partition_base_dir=str(directory)
    )
    if names is None:
        names = [name for name in dataset.schema.names if name not in CHANGELOG_COLUMNS]
    table = dataset.to_table(columns=[*names, *CHANGELOG_COLUMNS])
    lists = [_microsecond_times(table.column(i)).to_pylist() for i in range(table.num_columns)]
    return list(zip(*lists, strict=True))


def _microsecond_times(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_timestamp(column.type):
        return column.cast(pa.timestamp("us", tz=column.type.tz))
    return column
