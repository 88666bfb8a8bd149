"""Running a delta program: one streaming query whose foreachBatch makes epochs, and control epochs
between them.
"""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, Final

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from ..connect.sinks import memory
from ..connect.sources import streaming_frame
from ..epoch.engine import CheckpointError, Closed, Engine
from ..ledger.lease import Taken, lease
from ..ledger.progress import Progress, Summary
from ..ledger.storage import Storage
from .checkpoint import claim, start_over
from .inputs import Inputs, uncommitted
from .instants import parse_instant
from .options import RunOptions
from .session import log_level, open_session

IDLE_SECONDS: Final = 1.0
"""Without a batch for so long, corrections that wait are made."""


class RunError(Exception):
    """A run failed; the message is for the user, the cause is attached."""


def run(program: Any, options: RunOptions) -> Summary:
    """Run a program until drained or stopped. Raises RunError, CheckpointError or BadInstant."""
    until = None
    if options.until is not None:
        until = parse_instant(options.until, program.timestamps, program.timezone)
    settings = {**program.settings, **options.settings}
    root = Storage(options.checkpoint)
    try:
        with lease(root):
            spark = open_session(program.name, options.master, settings, program.timezone)
            return _run(program, options, spark, root, until)
    except Taken as taken:
        raise CheckpointError(f"{taken}: wait for its end, or take another checkpoint") from None


def _run(
    program: Any, options: RunOptions, spark: SparkSession, root: Storage, until: int | None
) -> Summary:
    """A run on a checkpoint that nobody else is at work on."""
    if options.rebuild:
        start_over(root, program.queries)
    meter = _Meter(options)

    def report(progress: Progress) -> None:
        _publish(spark, engine)
        meter.count(progress)

    engine = Engine(program, spark, root.spark_path("reflow"), report)
    claim(root, engine.ledger, program.queries)
    _publish(spark, engine)
    engine.tell_writers()
    stop = threading.Event()
    with interrupts(stop):
        _Run(program, engine, spark, root, stop).until_end(options, until)
    return meter.summary(engine)


def _publish(spark: SparkSession, engine: Engine) -> None:
    """The views of MEMORY sinks, in the session of the run: a batch has one of its own."""
    for query in engine.program.queries:
        if query.format == "memory":
            position = engine.ledger.head.sinks.get(query.name, {})
            name = query.path or query.name
            memory.publish(spark, engine.storage, query.name, name, position)


class _Run:
    """One streaming query and its control epochs."""

    def __init__(
        self,
        program: Any,
        engine: Engine,
        spark: SparkSession,
        root: Storage,
        stop: threading.Event,
    ) -> None:
        self._program = program
        self._engine = engine
        self._spark = spark
        self._root = root
        self._stop = stop
        self._failure: BaseException | None = None
        self._inputs = Inputs(program, engine)

    def until_end(self, options: RunOptions, until: int | None) -> None:
        draining = options.drain or until is not None
        self._settle()
        while True:
            try:
                self._query(draining)
            except RunError as error:
                if self._stop.is_set() or not self._inputs.blame(self._spark, error):
                    raise
            else:
                if draining or self._stop.is_set() or not self._inputs.due():
                    break
            self._failure = None
            self._engine.reopen()
            self._settle()
        if draining and not self._stop.is_set():
            self._engine.reopen()
            self._engine.control("drain" if until is None else "until", until)

    def _settle(self) -> None:
        """Let inputs come and go. A batch that Spark has begun is ended first, with the sources
        that it was begun with; what inputs have lost is missing in it.
        """
        if not self._inputs.due():
            return
        logs = [self._root.names(f"spark/{log}") for log in ("offsets", "commits")]
        if uncommitted(*logs):
            self._query(draining=True, lost=self._inputs.lost)
            if self._stop.is_set():
                return
            self._failure = None
            self._engine.reopen()
        self._inputs.settle()

    def _query(self, draining: bool, lost: Collection[str] = ()) -> None:
        """One streaming query, to its end; of the streams that are `lost` what is not there is
        passed over. Raises RunError.
        """
        with explained():
            query = self._start(draining, lost)
        try:
            self._watch(query, draining)
        finally:
            self._engine_closed(query)
        self._check_failure()

    def _start(self, draining: bool, lost: Collection[str]) -> StreamingQuery:
        frame = streaming_frame(self._spark, self._program.streams, self._engine.read, lost)
        writer = frame.writeStream.foreachBatch(self._handle).queryName(self._program.name)
        writer = writer.option("checkpointLocation", self._root.spark_path("spark"))
        if draining:
            writer = writer.trigger(availableNow=True)
        else:
            every = self._every() or 0
            writer = writer.trigger(processingTime=f"{every // 1000} milliseconds")
        return writer.start()

    def _handle(self, frame: DataFrame, batch_id: int) -> None:
        try:
            if self._stop.is_set():
                raise Closed("the run is ending")
            self._engine.batch(frame, batch_id, self._query_id())
        except BaseException as failure:
            self._failure = failure
            if isinstance(failure, Closed):
                # Spark would print this end, which is none to worry about, with its whole stack.
                self._spark.sparkContext.setLogLevel("OFF")
            raise

    def _query_id(self) -> str:
        """The id that Spark gave the query: it is in Spark's checkpoint before the first batch."""
        found: str = json.loads(self._root.read_text("spark/metadata"))["id"]
        return found

    def _watch(self, query: StreamingQuery, draining: bool) -> None:
        """Wait for the end; make a heartbeat when an interval passes without an epoch, and an idle
        epoch when corrections wait and no batch comes.
        """
        interval = self._heartbeat()
        beaten = time.monotonic()
        try:
            while not self._stop.is_set() and not query.awaitTermination(timeout=1):
                quiet = time.monotonic() - max(beaten, self._engine.ended)
                if draining:
                    continue
                if self._inputs.due():
                    return
                if interval is not None and quiet >= interval:
                    self._engine.control("heartbeat")
                    beaten = time.monotonic()
                elif self._engine.waits and quiet >= IDLE_SECONDS and not _is_busy(query):
                    self._engine.control("idle")
        except Exception as error:
            if not isinstance(self._failure, Closed):
                cause = self._failure or error
                raise RunError(first_lines(cause)) from cause

    def _check_failure(self) -> None:
        """The last epoch may have failed after the end was asked for, when nobody waited for it."""
        if self._failure is not None and not isinstance(self._failure, Closed):
            raise RunError(first_lines(self._failure)) from self._failure

    def _engine_closed(self, query: StreamingQuery) -> None:
        """End after the running epoch: only then is the streaming query stopped."""
        self._engine.close()
        query.stop()
        if isinstance(self._failure, Closed):
            self._spark.sparkContext.setLogLevel(log_level(self._spark))

    def _every(self) -> int | None:
        intervals = [query.every for query in self._program.queries if query.every]
        return min(intervals, default=None)

    def _heartbeat(self) -> float | None:
        """Seconds without data after which a heartbeat is made; none unless EVERY, IDLE AFTER or
        the setting max_delay asks for it.
        """
        idle = [s.idle_after for s in self._program.streams if s.idle_after is not None]
        delay = self._program.expiration.max_delay
        asked = [value for value in (self._every(), min(idle, default=None), delay) if value]
        return min(asked) / 1e6 if asked else None


def _is_busy(query: StreamingQuery) -> bool:
    """Whether Spark is at work on a batch or knows of rows for one."""
    status = query.status
    return bool(status["isTriggerActive"] or status["isDataAvailable"])


class _Meter:
    """Counts epochs and rows, and passes progress on."""

    def __init__(self, options: RunOptions) -> None:
        self._pass_on = options.progress
        self._started = time.monotonic()
        self._last: Progress | None = None
        self._epochs = 0
        self._rows = 0
        self._busy = 0.0

    def count(self, progress: Progress) -> None:
        self._last = progress
        self._epochs += 1
        self._rows += progress.numInputRows
        self._busy += progress.durationMs["epoch"] / 1000
        if self._pass_on is not None:
            self._pass_on(progress)

    def summary(self, engine: Engine) -> Summary:
        head = engine.ledger.head
        state = sum(known.rows for known in head.state.values())
        return Summary(
            epochs=self._epochs,
            numInputRows=self._rows,
            processedRowsPerSecond=round(self._rows / max(self._busy, 1e-6), 1),
            now=engine.shown(head.clock.now),
            complete=engine.shown(head.clock.complete),
            frozen=engine.shown(head.clock.frozen),
            stateRows=state,
            deadLetters=head.dead_letters,
            seconds=round(time.monotonic() - self._started, 1),
        )


@contextmanager
def explained() -> Iterator[None]:
    """What Spark refuses before a streaming query runs (a source that is not there, an option that
    is none) as a RunError.
    """
    try:
        yield
    except PySparkException as error:
        raise RunError(first_lines(error)) from error


@contextmanager
def interrupts(stop: threading.Event) -> Iterator[None]:
    """Ctrl-C and SIGTERM ask for an end after the running epoch; a second one ends at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ask(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def first_lines(error: BaseException, most: int = 12) -> str:
    """The part of an error that helps: Spark's messages carry whole stack traces behind it."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    useful = [line for line in lines if not line.lstrip().startswith(("at ", "JVM stacktrace"))]
    return "\n".join(useful[:most])
