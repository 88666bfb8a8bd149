"""A program whose rows and clock are given by hand, for tests of queries (`reflow test`).

Its epochs are the engine's own; only the streaming query that would bring batches is left out.
Rows are SQL text of constants, one text for each declared column, already cast to its type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from ..connect import dead_letters
from ..connect.declarations import Nrr, Stream, declared_columns
from ..connect.sources import program_frame
from ..elements.columns import DAWN, VS, quote
from ..epoch.engine import Engine

Texts: TypeAlias = Sequence[Sequence[str]]


class ByHand:
    """One program on a new checkpoint.

    Clock time stands still but for what the caller says: it is never behind the largest order value
    of timestamps, so that IDLE AFTER counts from there.
    """

    def __init__(self, program: Any, spark: SparkSession, checkpoint: str) -> None:
        self._program = program
        self._spark = spark
        self._time = 0
        self._batches = 0
        self._nothing: dict[str, DataFrame] = {}
        self._engine = Engine(program, spark, checkpoint, stamp=lambda: self._time)

    @property
    def now(self) -> int | None:
        """The instant `now`; None before the first element."""
        now = self._engine.ledger.head.clock.now
        return None if now == DAWN else now

    def rejected(self) -> Counter[tuple[str, str]]:
        """How many rows could not be elements so far, by stream and reason."""
        found: Counter[tuple[str, str]] = Counter()
        folder = Path(self._engine.storage.spark_path(dead_letters.DIRECTORY))
        for path in folder.glob("epoch=*/*.parquet"):
            table = pq.read_table(path, columns=["stream", "reason"]).to_pylist()
            found.update((row["stream"], row["reason"]) for row in table)
        return found

    def reads(self, stream: str) -> bool:
        """Whether any query reads the stream."""
        return any(known.name == stream for known in self._program.streams)

    def arrive(self, rows: Mapping[str, Texts], time: int | None = None) -> None:
        """An epoch with the rows of each stream, in order; `time` is when they arrive."""
        frame = self._frame(rows)
        self._tick(time if time is not None else self._largest(frame))
        self._engine.batch(frame, self._batches)
        self._batches += 1

    def advance(self, instant: int, rows: Mapping[str, Texts]) -> None:
        """An epoch with rows, if there are any, that moves the clock to an instant, if that is a
        later one, and completes it.
        """
        if self._program.timestamps:
            self._tick(instant)
        frame = self._frame(rows) if rows else None
        self._engine.control("until", until=instant, frame=frame)

    def _frame(self, rows: Mapping[str, Texts]) -> DataFrame:
        frames = [self._rows(stream, rows.get(stream.name, ())) for stream in self._program.streams]
        return program_frame(self._program.streams, frames)

    def _tick(self, time: int | None) -> None:
        self._time = max(self._time, time or 0)

    def _largest(self, frame: DataFrame) -> int | None:
        """The largest order value of a batch, where clock time matters."""
        idle = any(stream.idle_after is not None for stream in self._program.streams)
        if not idle or not self._program.timestamps:
            return None
        largest: int | None = frame.selectExpr(f"max({VS}) AS m").toArrow().column(0)[0].as_py()
        return largest

    def _rows(self, stream: Stream, rows: Texts) -> DataFrame:
        if not rows:
            if stream.name not in self._nothing:
                self._nothing[stream.name] = no_rows(self._spark, stream.schema)
            return self._nothing[stream.name]
        return constants(self._spark, [field.name for field in stream.declared], rows)


def constants(spark: SparkSession, columns: Sequence[str], rows: Texts) -> DataFrame:
    """Rows of constants as a frame. Raises Spark's error for a value that cannot be computed."""
    listed = ", ".join(f"({', '.join(row)})" for row in rows)
    names = ", ".join(quote(name) for name in columns)
    return spark.sql(f"SELECT * FROM VALUES {listed} AS _rows({names})")


def no_rows(spark: SparkSession, schema: str) -> DataFrame:
    """A frame of these columns (DDL) without rows."""
    row = f"CAST(NULL AS STRUCT<{schema}>)"
    return spark.sql(f"SELECT _row.* FROM VALUES ({row}) AS _rows(_row) WHERE FALSE")


class Contents:
    """What the NRRs of a program hold: Parquet files, replaced as a whole."""

    def __init__(self, program: Any, spark: SparkSession) -> None:
        self._spark = spark
        self._nrrs: dict[str, Nrr] = {nrr.name: nrr for nrr in program.nrrs}
        self._tables = {
            name: no_rows(spark, nrr.schema).toArrow() for name, nrr in self._nrrs.items()
        }
        for name in self._nrrs:
            self._write(name)

    def knows(self, name: str) -> bool:
        """Whether any query joins with the NRR."""
        return name in self._nrrs

    def insert(self, name: str, rows: Texts) -> None:
        """Add rows; a row of the same key, and the same version, gives way."""
        nrr = self._nrrs[name]
        new = constants(self._spark, _names(nrr), rows).toArrow()
        key = [*nrr.key, *([nrr.version_by] if nrr.version_by else [])] if nrr.key else []
        old = self._tables[name]
        if key:
            taken = set(_records(new.select(key)))
            kept = [row not in taken for row in _records(old.select(key))]
            old = old.filter(pa.array(kept, pa.bool_()))
        self._tables[name] = pa.concat_tables([old, new.cast(old.schema)])
        self._write(name)

    def delete(self, name: str, columns: Sequence[int], rows: Texts) -> list[int]:
        """Take out the rows whose `columns` are as given; gives the positions in `rows` of those
        that fit none.
        """
        names = [_names(self._nrrs[name])[i] for i in columns]
        wanted = _records(constants(self._spark, names, rows).toArrow())
        table = self._tables[name]
        there = _records(table.select(names))
        gone, known = set(wanted), set(there)
        kept = pa.array([row not in gone for row in there], pa.bool_())
        self._tables[name] = table.filter(kept)
        self._write(name)
        return [i for i, row in enumerate(wanted) if row not in known]

    def _write(self, name: str) -> None:
        folder = Path(str(self._nrrs[name].path))
        folder.mkdir(parents=True, exist_ok=True)
        staged = folder / ".staged"
        pq.write_table(self._tables[name], staged)
        staged.replace(folder / "rows.parquet")


def _names(nrr: Nrr) -> list[str]:
    return [field.name for field in declared_columns(nrr.schema)]


def _records(table: pa.Table) -> list[tuple[Any, ...]]:
    """Rows as tuples; values that cannot be hashed by their text."""
    columns = [column.to_pylist() for column in table.columns]
    rows = zip(*columns, strict=True)
    return [tuple(repr(v) if isinstance(v, list | dict) else v for v in row) for row in rows]
