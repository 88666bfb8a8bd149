"""The one place where the tests call the compiler and the runtime.

A `Run` is one `.cql` text on one checkpoint. Epochs are fed by hand, so that a test decides what
arrives together; the sources named in the text are not read. Order values are integers everywhere
in the tests: microseconds where the stream's order column is a TIMESTAMP.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from ..oracle.multiplicity import Changes
from .read import read_changelog, read_log

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Rows = Sequence[Mapping[str, Any]]

FILE_ROWS = 3
"""Rows of a file of a source that is read in place."""


@dataclass(frozen=True)
class Mark:
    """Where a run stood after an epoch of any kind.

    `epoch` is Reflow's number; `closed` the frontier below which EMIT FINAL has reported
    (`complete`, or the instant after a drained `now`); `logs` how long each LOG was. None: no
    element yet.
    """

    epoch: int
    now: int | None
    complete: int | None
    closed: int | None
    logs: Mapping[str, int] = field(default_factory=dict)


class Run:
    """A program under test.

    `{dir}` in the text stands for `directory`. Sinks lie at `{dir}/out/<query>` (PARQUET,
    CHANGELOG) or `{dir}/out/<query>.log` (LOG); the contents of an NRR at `{dir}/nrr/<name>`
    (JSON).
    """

    def __init__(self, spark: SparkSession, cql_text: str, directory: Path) -> None:
        self.spark = spark
        self.directory = directory
        self.text = cql_text.replace("{dir}", str(directory))
        self.marks: list[Mark] = []
        self._batches = 0
        self._out.mkdir(parents=True, exist_ok=True)
        self._program = _program(self.text, directory)
        self._engine = self._open()

    # Feeding

    def epoch(self, rows: Mapping[str, Rows], partitions: int = 1) -> Mark:
        """One batch: the rows of each stream in the order of their arrival.

        On several partitions it is worked on as a large epoch is: with shuffles and broadcasts.
        """
        from reflow.runtime.epoch import tuning

        with patch.object(tuning, "SMALL_EPOCH", tuning.SMALL_EPOCH if partitions == 1 else -1):
            self._engine.batch(self._frame(rows, partitions), self._batches)
        self._batches += 1
        return self._mark()

    def contents(self, nrr: str, rows: Rows) -> None:
        """Replace what an NRR holds, as another process would: the file changes at once."""
        folder = self.directory / "nrr" / nrr
        folder.mkdir(parents=True, exist_ok=True)
        staged = folder / ".part"
        schema = next((n.schema for n in self._program.nrrs if n.name == nrr), None)
        if schema is None:  # no query of the file reads it
            return
        staged.write_text("".join(json.dumps(_plain(row, schema)) + "\n" for row in rows))
        staged.replace(folder / "contents.json")

    def restart(self) -> None:
        """Forget everything in memory: a new engine on the same checkpoint."""
        self._engine = self._open()

    def detach(self, section: str) -> None:
        """An input of a merge goes away."""
        self._engine.regroup("detach", section, "as asked")

    def attach(self, section: str, since: int | None = None) -> None:
        """It comes back; `since`: as a new copy, complete from then on."""
        self._engine.regroup("attach", section, "as asked", since=since)

    def drain(self) -> Mark:
        """Complete the instant `now`."""
        self._engine.control("drain")
        return self._mark()

    def until(self, instant: int) -> Mark:
        """Move the clock to `instant` and complete it."""
        self._engine.control("until", until=instant)
        return self._mark()

    # Reading

    def changes(
        self, query: str, kinds: Sequence[str] | None = None, mark: Mark | None = None
    ) -> Changes:
        """What a query's sink says, as of `mark` or now; `kinds` say how to read a LOG's values."""
        log = self._out / f"{query}.log"
        if log.exists():
            return read_log(log, kinds, None if mark is None else mark.logs.get(query, 0))
        return read_changelog(self._out / query, until_epoch=None if mark is None else mark.epoch)

    @property
    def now(self) -> int | None:
        return self.marks[-1].now if self.marks else None

    @property
    def complete(self) -> int | None:
        return self.marks[-1].complete if self.marks else None

    @property
    def rows(self) -> int:
        """How many rows the manifest counts that were no dead letters."""
        count: int = self._engine.ledger.head.rows
        return count

    @property
    def head(self) -> Any:
        """The newest manifest."""
        return self._engine.ledger.head

    @property
    def dead_letters(self) -> int:
        """How many the manifest counts."""
        count: int = self._engine.ledger.head.dead_letters
        return count

    def archived(self, stream: str) -> tuple[Any, ...]:
        """The files of a stream's archive, as the newest manifest names them."""
        known = self._engine.ledger.head.archive.get(stream)
        return () if known is None else tuple(known.files)

    @property
    def state(self) -> tuple[str, ...]:
        """The names under which the newest manifest keeps state."""
        return tuple(self._engine.ledger.head.state)

    @property
    def state_rows(self) -> int:
        """How many rows of state the newest manifest names."""
        return sum(known.rows for known in self._engine.ledger.head.state.values())

    # The engine

    @property
    def _out(self) -> Path:
        return self.directory / "out"

    def _open(self) -> Any:
        """An engine on this run's checkpoint."""
        from reflow.runtime.epoch.engine import Engine

        return Engine(self._program, self.spark, str(self.directory / "checkpoint"))

    def _frame(self, rows: Mapping[str, Rows], partitions: int) -> DataFrame:
        """A batch as the program's streaming source would give it, spread over `partitions`."""
        from reflow.runtime.connect.sources import program_frame

        frames = []
        for stream in self._program.streams:
            schema = stream.declared
            if stream.in_place:
                frames.append(self._files(stream.name, schema, rows.get(stream.name, [])))
                continue
            listed = [
                tuple(_value(row.get(f.name), f.dataType.typeName()) for f in schema)
                for row in rows.get(stream.name, [])
            ]
            frames.append(self._spread(listed, schema, partitions))
        return program_frame(self._program.streams, frames, of_files=True)

    def _files(self, stream: str, schema: Any, rows: Rows) -> DataFrame:
        """The rows as files of a source, a few in each; every other one has no statistics."""
        import pyarrow as pa
        import pyarrow.parquet as pq
        from pyspark.sql.pandas.types import to_arrow_schema

        folder = self.directory / "in" / stream
        folder.mkdir(parents=True, exist_ok=True)
        before, paths = len(list(folder.iterdir())), []
        for number, at in enumerate(range(0, max(len(rows), 1), FILE_ROWS), start=before):
            part = [
                {f.name: _value(row.get(f.name), f.dataType.typeName()) for f in schema}
                for row in rows[at : at + FILE_ROWS]
            ]
            paths.append(str(folder / f"{number:05d} {{%}}.parquet"))
            table = pa.Table.from_pylist(part, to_arrow_schema(schema, timezone="UTC"))
            old = number % 2 == 1
            pq.write_table(table, paths[-1], use_deprecated_int96_timestamps=old)
            os.utime(paths[-1], (1_700_000_000 + number,) * 2)
        escaped = [re.sub(r"([{}])", r"\\\1", path) for path in paths]
        return self.spark.read.schema(schema).parquet(*escaped)

    def _spread(self, rows: list[tuple[Any, ...]], schema: Any, partitions: int) -> DataFrame:
        """The rows in order, a part of them on each partition, as blocks of a file are."""
        size = -(-len(rows) // partitions) or 1
        cuts = range(0, max(len(rows), 1), size)
        parts = [self.spark.createDataFrame(rows[at : at + size], schema) for at in cuts]
        # Of single partitions Spark would make one.
        return parts[0].coalesce(1) if partitions == 1 else reduce(lambda a, b: a.union(b), parts)

    def _mark(self) -> Mark:
        """The engine's clock after an epoch, and how long the logs are."""
        head = self._engine.ledger.head
        clock = head.clock
        logs = {path.stem: path.stat().st_size for path in self._out.glob("*.log")}
        now, complete, closed = map(_instant, (clock.now, clock.complete, clock.closed))
        self.marks.append(Mark(head.epoch, now, complete, closed, logs))
        return self.marks[-1]


def drain_sources(spark: SparkSession, cql_text: str, directory: Path) -> None:
    """What `reflow run --drain` does: read the text's sources to their end, and close `now`."""
    (directory / "out").mkdir(parents=True, exist_ok=True)
    program = _program(cql_text.replace("{dir}", str(directory)), directory)
    program.main(["--checkpoint", str(directory / "checkpoint"), "--drain", "--quiet"])


def emitted(cql_text: str) -> str:
    """The text of the program that the compiler makes."""
    from reflow.compiler.pipeline import compile_text

    return compile_text(cql_text, "program").program_text


def _program(text: str, directory: Path) -> Any:
    """Compile, write the emitted file beside the run, and load its `program` without running it."""
    path = directory / "program.py"
    path.write_text(emitted(text))
    namespace: dict[str, Any] = {"__name__": "program", "__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace["program"]


def _instant(value: int) -> int | None:
    """An order value; the clock's value before all time is None."""
    from reflow.runtime.elements.columns import DAWN

    return None if value == DAWN else value


def _value(value: Any, kind: str) -> Any:
    """A test's value as Spark takes it: microseconds become a time."""
    if kind == "timestamp" and isinstance(value, int):
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=value)
    return value


def _plain(row: Mapping[str, Any], schema: str) -> dict[str, Any]:
    """A row of a relation as JSON has it: times in ISO form."""
    from pyspark.sql.types import StructType

    plain = {}
    columns = StructType.fromDDL(schema)
    assert isinstance(columns, StructType)
    for column in columns.fields:
        value = _value(row.get(column.name), column.dataType.typeName())
        plain[column.name] = value.isoformat() if isinstance(value, datetime) else value
    return plain
