"""Stateless programs: plain readStream … writeStream, without epochs (DESIGN section 2)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from ..connect import dead_letters
from ..connect.declarations import Stream
from ..connect.sink_log import committed_files
from ..connect.sources import CORRUPT, order_value, read_stream
from ..elements.columns import quote
from ..elements.validate import MALFORMED, NO_ORDER_VALUE
from ..ledger.files import rows_of
from ..ledger.progress import Progress, Summary
from ..ledger.storage import Storage
from .checkpoint import claim_plain, plain_folder, start_over
from .options import RunOptions
from .runner import RunError, explained, first_lines, interrupts
from .session import log_level, open_session

Build = Callable[["PlainReader"], DataStreamWriter]


class PlainReader:
    """What a plain query reads from: streams by name, as Spark streaming frames of their declared
    columns.
    """

    def __init__(self, spark: SparkSession, streams: Sequence[Stream]) -> None:
        self._spark = spark
        self._streams = {stream.name: (i, stream) for i, stream in enumerate(streams)}

    def read(self, name: str) -> DataFrame:
        """The rows that are elements: parsed, and with an order value."""
        index, stream = self._streams[name]
        frame = read_stream(self._spark, index, stream)
        fine = frame.where(_reason(stream, frame).isNull())
        return fine.select(*_declared(stream))

    def rejected(self, name: str) -> DataFrame:
        """The others, as dead letters (stream, reason, vs, row)."""
        index, stream = self._streams[name]
        frame = read_stream(self._spark, index, stream)
        row = F.to_json(F.struct(*_declared(stream)), {"ignoreNullFields": "false"})
        text = F.coalesce(F.col(CORRUPT), row) if CORRUPT in frame.columns else row
        letters = frame.select(
            F.lit(name).alias("stream"),
            _reason(stream, frame).alias("reason"),
            order_value(stream, _order(stream)).alias("vs"),
            text.alias("row"),
        )
        return letters.where(F.col("reason").isNotNull())


def _order(stream: Stream) -> Column | None:
    return None if stream.order is None else F.col(quote(stream.order))


def _declared(stream: Stream) -> list[Column]:
    return [F.col(quote(field.name)) for field in stream.declared]


def _reason(stream: Stream, frame: DataFrame) -> Column:
    corrupt = F.col(CORRUPT) if CORRUPT in frame.columns else F.lit(None).cast("string")
    order = F.lit(0) if stream.order is None else F.col(quote(stream.order))
    return F.when(corrupt.isNotNull(), MALFORMED).when(order.isNull(), NO_ORDER_VALUE)


def run_plain(program: Any, builders: dict[str, Build], options: RunOptions) -> Summary:
    """Run the plain queries, each a Spark streaming query of its own, and one a stream for its dead
    letters.
    """
    settings = {**program.settings, **options.settings}
    spark = open_session(program.name, options.master, settings, program.timezone)
    root = Storage(options.checkpoint)
    if options.rebuild:
        start_over(root, program.queries)
    every = min((query.every for query in program.queries if query.every), default=0)
    started = time.monotonic()
    stop = threading.Event()
    queries: list[StreamingQuery] = []
    with interrupts(stop):
        try:
            with explained():
                writers = _writers(program, builders, PlainReader(spark, program.streams), root)
                claim_plain(root, program.fingerprint, program.queries)
                for name, writer in writers.items():
                    queries.append(_start(writer, name, root, options, every))
            meter = _Meter(queries[: len(builders)], root, options)
            _watch(queries, stop, meter)
        finally:
            _end(spark, queries)
    _check_failures(queries)
    return meter.summary(time.monotonic() - started)


def _writers(
    program: Any, builders: dict[str, Build], reader: PlainReader, root: Storage
) -> dict[str, DataStreamWriter]:
    """What to start, by the name of its folder below `spark/`: queries first."""
    writers = {plain_folder(name): build(reader) for name, build in builders.items()}
    target = root.spark_path(f"reflow/{dead_letters.DIRECTORY}")
    for index, stream in enumerate(program.streams):
        letters = reader.rejected(stream.name).writeStream.format("parquet")
        writers[f"rejected-{index}"] = letters.option("path", f"{target}/stream-{index}")
    return writers


def _start(
    writer: DataStreamWriter, name: str, root: Storage, options: RunOptions, every: int
) -> StreamingQuery:
    writer = writer.queryName(name).option("checkpointLocation", root.spark_path(f"spark/{name}"))
    if options.drain or options.until is not None:
        return writer.trigger(availableNow=True).start()
    return writer.trigger(processingTime=f"{every // 1000} milliseconds").start()


def _watch(queries: list[StreamingQuery], stop: threading.Event, meter: _Meter) -> None:
    try:
        while not stop.is_set():
            ended = [query.awaitTermination(timeout=1) for query in queries]
            meter.poll()
            if all(ended):
                return
    except Exception as error:
        raise RunError(first_lines(error)) from error


def _end(spark: SparkSession, queries: list[StreamingQuery]) -> None:
    """End each query after the batch that it is at."""
    at = [_batch(query) for query in queries]
    for query, batch in zip(queries, at, strict=True):
        while query.isActive and query.status["isTriggerActive"] and _batch(query) == batch:
            query.awaitTermination(timeout=1)
    # What has begun since then is cut off, and comes again: no reason for Spark to print a stack.
    spark.sparkContext.setLogLevel("OFF")
    for query in queries:
        query.stop()
    spark.sparkContext.setLogLevel(log_level(spark))


def _check_failures(queries: list[StreamingQuery]) -> None:
    """The last batch of a query may have failed after the end was asked for."""
    for query in queries:
        error = query.exception()
        if error is not None:
            raise RunError(first_lines(error)) from error


def _batch(query: StreamingQuery) -> int:
    """The last batch that it finished."""
    last = query.lastProgress
    return -1 if last is None else int(last["batchId"])


class _Meter:
    """Passes on Spark's own progress of the queries, in Reflow's form."""

    def __init__(self, queries: list[StreamingQuery], root: Storage, options: RunOptions) -> None:
        self._queries = queries
        self._root = root
        self._pass_on = options.progress
        self._seen: dict[str, int] = {}
        self._rows = 0
        self._epochs = 0
        self._busy = 0.0
        self._letters: dict[str, int] = {}

    def poll(self) -> None:
        for query in self._queries:
            for report in query.recentProgress:
                if report["batchId"] > self._seen.get(query.name, -1):
                    self._seen[query.name] = report["batchId"]
                    self._count(report)

    def _count(self, report: Any) -> None:
        self._epochs += 1
        rows = int(report["numInputRows"])
        self._rows += rows
        durations = {name: int(ms) for name, ms in report["durationMs"].items()}
        self._busy += durations.get("triggerExecution", 0) / 1000
        if self._pass_on is not None:
            self._pass_on(
                Progress(
                    epoch=self._epochs,
                    batchId=report["batchId"],
                    kind="batch",
                    numInputRows=rows,
                    inputRowsPerSecond=float(report["inputRowsPerSecond"]),
                    processedRowsPerSecond=float(report["processedRowsPerSecond"]),
                    now=None,
                    complete=None,
                    heldBackBy=None,
                    frozen=None,
                    stateRows=0,
                    stateBytes=0,
                    archiveRows=0,
                    deadLetters=self._dead(),
                    durationMs=durations,
                )
            )

    def _dead(self) -> int:
        folder = f"reflow/{dead_letters.DIRECTORY}"
        for stream in self._root.names(folder):
            for path in committed_files(self._root, f"{folder}/{stream}"):
                if path not in self._letters:
                    self._letters[path] = rows_of(self._root, path)
        return sum(self._letters.values())

    def summary(self, seconds: float) -> Summary:
        self.poll()
        rate = round(self._rows / max(self._busy, 1e-6), 1)
        return Summary(
            self._epochs, self._rows, rate, None, None, None, 0, self._dead(), round(seconds, 1)
        )
