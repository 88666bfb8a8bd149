"""Which values corrected rows have, where they are few: what the driver knows of them.

Like the ranges of files it decides what is read, and goes into no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..elements.columns import VS, string
from ..ledger.files import DataFile
from ..ledger.storage import Storage

FEW: Final = 10_000
"""Corrected rows of an epoch that are looked at one by one."""

Value: TypeAlias = tuple[int | str | None, ...]
"""A value in brackets; none: any."""

ANY: Final[Value] = ()


def corrected_rows(
    storage: Storage, files: Sequence[DataFile], column: tuple[str, str] | None
) -> Iterator[tuple[Value, int]]:
    """The value in a column (struct, field), or ANY without one, and the order value of each row.

    A text that is no Unicode is as good as ANY.
    """
    for file in files:
        names = [VS] if column is None else [VS, ".".join(column)]
        opened = pq.ParquetFile(storage.full(file.path), filesystem=storage.filesystem)
        for batch in opened.iter_batches(columns=names):
            instants = batch.column(VS).to_pylist()
            yield from zip(_values(batch, column), instants, strict=True)


def _values(batch: pa.RecordBatch, column: tuple[str, str] | None) -> list[Value]:
    if column is None:
        return [ANY] * batch.num_rows
    try:
        return [
            (value,) for value in pc.struct_field(batch.column(column[0]), column[1]).to_pylist()
        ]
    except UnicodeDecodeError:
        return [ANY] * batch.num_rows


def is_one_of(column: str, values: Iterable[Value]) -> str:
    """SQL: the column (SQL) has one of the values."""
    known = [value[0] for value in values if value]
    listed = ", ".join(_literal(value) for value in known if value is not None)
    parts = [f"{column} IN ({listed})"] if listed else []
    parts += [f"{column} IS NULL"] if None in known else []
    return f"({' OR '.join(parts)})"


def text_of(value: Value) -> str:
    """The value as text, another one than that of any other value."""
    [only] = value
    return "" if only is None else f"v{only}"


def text_of_column(column: str) -> str:
    """SQL: `text_of` the column (SQL)."""
    return f"coalesce(concat('v', CAST({column} AS STRING)), '')"


def _literal(value: int | str) -> str:
    return string(value) if isinstance(value, str) else str(value)
