"""The engine of one program on one checkpoint: turns batches and control requests into committed
epochs.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from ..archive.compaction import observed
from ..archive.index import floor, rows_within
from ..connect import feedback
from ..connect.declarations import Nrr, Query, Stream
from ..connect.relations import current_version, snapshot_directory, take_snapshot
from ..connect.revisions import Cost
from ..connect.sinks.files import publish
from ..deltas.merged import SAFE, standing_of
from ..elements.columns import DAWN, FOREVER, VE
from ..elements.context import RECORD
from ..ledger.clock import Clock
from ..ledger.manifest import Intent, Ledger, Manifest
from ..ledger.progress import Progress
from ..ledger.storage import Storage
from ..state.store import SMALL, StateStore
from . import attaching, protocol
from .arriving import land
from .at_hand import at_hand
from .context import EpochContext, Section
from .deferring import apart, defer, waits
from .estimating import estimates
from .firsts import with_firsts
from .landing import Landed
from .merge_progress import disputes, merge_progress
from .promises import BrokenPromise, broken, checked, message, warning
from .replaying import corrections
from .revising import refuse_anomalies, revise
from .skipping import decided, unneeded
from .slices import Slices, slices
from .timing import PROGRAM, Arrivals, Clocks, Timings
from .tuning import is_cut, is_small, tune

REMEMBERED: Final = 100
"""Manifests kept behind the head, for people to look at."""


class CheckpointError(Exception):
    """The checkpoint belongs to something else, or is not in the state that was expected."""


class Closed(Exception):
    """A batch came after the engine was told to end; it will come again."""


class Engine:
    """One program at work. Batches and control epochs take one lock: epochs never overlap."""

    def __init__(
        self,
        program: Any,
        spark: SparkSession,
        checkpoint: str,
        report: Callable[[Progress], None] | None = None,
        stamp: Callable[[], int] | None = None,
    ) -> None:
        """`stamp` tells the clock time in microseconds; by default that of the machine."""
        self.program = program
        self.storage = Storage(checkpoint)
        self.ledger = Ledger(self.storage, program.fingerprint)
        self._spark = spark
        self._report = report or (lambda progress: None)
        self._stamp = stamp or _stamp
        self._lock = threading.Lock()
        self._streams: dict[str, tuple[int, Stream]] = {
            stream.name: (index, stream) for index, stream in enumerate(program.streams)
        }
        self._relations: dict[str, Nrr] = {nrr.name: nrr for nrr in program.nrrs}
        self._queries: dict[str, Query] = {query.name: query for query in program.queries}
        self._timings = Timings(program.streams, program.merges)
        self._of_elements = [stream.name for stream in program.streams if stream.elements]
        self._ended = time.monotonic()
        self._closed = False
        if self.ledger.head.fingerprint != program.fingerprint:
            raise CheckpointError(
                f"{checkpoint} is the checkpoint of another program (or of another version of this"
                " one): take a new checkpoint, or start over with --rebuild"
            )
        self._publish()

    def batch(self, frame: DataFrame, batch_id: int, query_id: str = "local") -> bool:
        """Process a batch: a frame as `connect.sources.program_frame` makes it. False if it was
        done before.
        """
        with self._lock:
            self._check_open()
            head = self.ledger.head
            if head.has_batch(query_id, batch_id):
                return False
            if head.batches and query_id not in head.batches:
                raise CheckpointError(
                    "this checkpoint's results come from another streaming query: its Spark"
                    " checkpoint was lost or replaced; start over with --rebuild"
                )
            source = {"kind": "batch", "query_id": query_id, "batch_id": batch_id}
            self._epoch(frame.sparkSession, frame, source)
            return True

    def control(self, kind: str, until: int | None = None, frame: DataFrame | None = None) -> None:
        """A control epoch: heartbeat, idle, drain, or until (which moves the clock to `until`).

        `frame`: rows that come in it, of no streaming query.
        """
        with self._lock:
            source: dict[str, Any] = {"kind": kind}
            if until is not None:
                source["until"] = until
            self._epoch(self._spark, frame, source)

    def regroup(
        self,
        kind: str,
        section: str,
        reason: str,
        request: int | None = None,
        since: int | None = None,
    ) -> None:
        """A control epoch that attaches or detaches an input of a merge. Raises Refused, and
        Already where nothing is to be done.

        `request`: the number of the request that it answers, which is taken once. `since`: it is
        attached as a new copy, which is complete from that instant.
        """
        with self._lock:
            head = self.ledger.head
            if request is not None and request <= head.requests:
                return
            source: dict[str, Any] = {"kind": kind, "input": section, "reason": reason}
            if request is not None:
                source["request"] = request
            if since is not None:
                source["since"] = since
            attaching.check(self._timings, self.program.merges, head.away, source)
            self._epoch(self._spark, None, source)

    @property
    def is_pending(self) -> bool:
        """Whether a batch was begun that must come before any control epoch."""
        pending = self.ledger.pending_intent()
        return pending is not None and pending.source["kind"] == "batch"

    @property
    def read(self) -> frozenset[str]:
        """The streams that are read: those of detached inputs are not."""
        away = self._timings.within(self.ledger.head.away)
        return frozenset(self._streams) - self._timings.streams_of(away)

    def streams_of(self, sections: Iterable[str]) -> frozenset[str]:
        """The streams that move inputs of merges, and what is within them."""
        return self._timings.streams_of(self._timings.within(sections))

    def may_go(self, stream: str) -> str | None:
        """The input of a merge that a stream moves, if that can be detached."""
        gone, merges = self.ledger.head.away, self.program.merges
        inputs: list[str] = [s for merge in merges for s in merge.inputs]
        for section in (each for each in inputs if each not in gone):
            if stream in self._timings.streams_of(self._timings.within([section])):
                try:
                    attaching.check(
                        self._timings, merges, gone, {"kind": "detach", "input": section}
                    )
                    return section
                except attaching.Refused:
                    continue
        return None

    def close(self) -> None:
        """Wait for the running epoch and take no more."""
        with self._lock:
            self._closed = True

    def reopen(self) -> None:
        """Take epochs again: control epochs, once the streaming query has ended."""
        with self._lock:
            self._closed = False

    def tell_writers(self) -> None:
        """Tell those that write the inputs of merges with FEEDBACK what is not needed any more."""
        streams = self.program.streams
        feedback.publish(
            self.storage, streams, self.program.nrrs, decided(streams, self.ledger.head)
        )

    @property
    def ended(self) -> float:
        """When the last epoch ended, on the monotonic clock."""
        return self._ended

    def _check_open(self) -> None:
        if self._closed:
            raise Closed("the run is ending")

    def idle_streams(self, stamp: int) -> tuple[str, ...]:
        """Streams without rows for their IDLE AFTER or longer, at a clock time in microseconds."""
        last = self.ledger.head.last_rows
        return tuple(
            stream.name
            for _, stream in self._streams.values()
            if stream.idle_after is not None
            and stamp - last.get(stream.name, self.started) >= stream.idle_after
        )

    @property
    def waits(self) -> bool:
        """Whether corrections wait for an epoch without arrivals, which could be made now: a batch
        that was begun comes first.
        """
        return waits(self.ledger.head) and not self.is_pending

    @property
    def started(self) -> int:
        return self.ledger.head.last_rows.get("", self._stamp())

    def _epoch(self, spark: SparkSession, frame: DataFrame | None, source: dict[str, Any]) -> None:
        begun = time.monotonic()
        spent: dict[str, float] = {}
        head = self.ledger.head
        intent, repeated = self._intend(spark, source)
        parent = attaching.forgotten(head, intent, self.program.merges, self._timings)
        spent["intent"] = time.monotonic()
        arrived = self._land(spark, frame, intent)
        spent["landing"] = time.monotonic()
        protocol.bury(self.storage, arrived, intent.epoch)
        clocks = self._clocks(parent, arrived, intent)
        clock = clocks[PROGRAM]
        streams = [stream for _, stream in self._streams.values()]
        judges = self._timings.judges(clocks, streams)
        landed, waiting = defer(arrived, streams, parent, judges, self.program.defers)
        replayed = self._slices(spark, parent, landed)
        turned: dict[str, Any] = {}
        while True:
            context = self._context(spark, parent, intent, clocks, landed, replayed)
            context.repeated, context.turned = repeated or bool(turned), turned
            self._evaluate(context, replayed)
            spent["plan"] = time.monotonic()
            protocol.write_ahead(context, checked(context, self.program.merges))
            more = self._turned(context)
            if not more:
                break
            # The epoch starts over from its parent, as after a run that died here.
            turned = {**turned, **more}
            _let_go(context)
        positions, archive = protocol.write(context)
        self._record(context, replayed, begun)
        spent["write"] = time.monotonic()
        state = context.state.result() | waiting
        _let_go(context)
        dead = landed.dead_rows + context.rejected_rows
        manifest = self._manifest(parent, intent, clock, arrived, dead, archive, state, positions)
        sections = {name: clocks[name] for name in self._timings.sections}
        told = disputes(context, parent.merges, self.program.merges)
        standing = {**parent.merges, **told}
        owners = {**parent.owners, **context.state.owners}
        manifest = replace(manifest, sections=sections, merges=standing, owners=owners)
        self.ledger.commit(manifest)
        protocol.reached("committed", intent.epoch)
        self._publish()
        self.tell_writers()
        self._clean(head, manifest, frame is not None)
        spent["commit"] = time.monotonic()
        self._tell(manifest, landed, begun, spent, context)

    def _evaluate(self, context: EpochContext, replayed: Slices | None) -> None:
        """Build the deltas of an epoch."""
        landed = context.landed
        tune(context.spark, context.in_one_partition)
        if replayed is not None:
            made = corrections if replayed.sample is None else estimates
            context.corrected = made(context, self.program.evaluate, self.program.replay, replayed)
        followers = (each.following for each in self._timings.every)
        begins = any(landed.files.get(name) for names in followers for name in names)
        if context.now != DAWN or begins or context.anew or any(landed.told.values()):
            self.program.evaluate(context)
        if self.program.fail_on_anomaly and self._of_elements:
            for letters in context.rejected:
                of_elements = letters.where(F.col("stream").isin(*self._of_elements))
                refuse_anomalies(of_elements, self._of_elements)

    def _turned(self, context: EpochContext) -> dict[str, Any]:
        """The merges that have to go over to a safe variant, and why. Raises BrokenPromise where
        the program does not ask for that.
        """
        found = broken(context, self.program.merges)
        for each in found:
            if not self.program.degrades:
                raise BrokenPromise(message(each, self.shown))
            variant = SAFE[context.standing[each.merge.path]["variant"]]
            print(warning(each, variant, self.shown), file=sys.stderr)
        return {each.merge.path: each.told(context.number) for each in found}

    def _intend(self, spark: SparkSession, source: dict[str, Any]) -> tuple[Intent, bool]:
        number = self.ledger.head.epoch + 1
        pending = self.ledger.pending_intent()
        if pending is not None and pending.source == source:
            return pending, True
        if pending is not None and pending.source["kind"] == "batch":
            raise CheckpointError(
                f"epoch {number} was begun with batch {pending.source['batch_id']} and not"
                " finished: that batch must come first"
            )
        if pending is not None:
            self.ledger.withdraw_intent()
        versions = self._pin(spark, number)
        protocol.reached("pinned", number)
        stamp = max(self._stamp(), max(self.ledger.head.last_rows.values(), default=0))
        heard = feedback.heard(self.program.streams, self._queries)
        intent = Intent(number, source, versions, self.idle_streams(stamp), stamp, heard)
        intent = self.ledger.intend(intent)
        protocol.reached("intended", number)
        return intent, pending is not None

    def _pin(self, spark: SparkSession, epoch: int) -> dict[str, str]:
        """Snapshots of the relations that changed, taken before the intent names them."""
        versions = {}
        for name, nrr in self._relations.items():
            version = current_version(nrr, epoch)
            if version != self.ledger.head.nrrs.get(name):
                take_snapshot(spark, self.storage, nrr, version)
            versions[name] = version
        return versions

    def _land(self, spark: SparkSession, frame: DataFrame | None, intent: Intent) -> Landed:
        if frame is None:
            return Landed(dict.fromkeys(self._streams, ()))
        streams = [stream for _, stream in self._streams.values()]
        head = self.ledger.head
        judges = self._timings.judges(self._known_clocks(head), streams)
        judges = replace(judges, skips=unneeded(streams, head, intent.heard))
        landed = land(spark, self.storage, streams, frame, intent.epoch, judges, intent.stamp)
        landed = with_firsts(spark, self.storage, streams, landed, judges)
        protocol.reached("landed", intent.epoch)
        revised = revise(spark, self.storage, streams, landed, head, intent.epoch, judges)
        if self.program.fail_on_anomaly:
            refuse_anomalies(revised.dead, self._of_elements)
        return revised

    def _known_clocks(self, head: Manifest) -> dict[str, Clock]:
        """The clocks as an epoch left them."""
        begun = {name: head.sections.get(name, Clock()) for name in self._timings.sections}
        return {**begun, PROGRAM: head.clock}

    def _clocks(self, parent: Manifest, landed: Landed, intent: Intent) -> dict[str, Clock]:
        """The clocks after the epoch."""
        arrivals = Arrivals(
            landed.seen(),
            {name: landed.stable(name) for name in self._of_elements},
            frozenset(intent.idle),
            self._floors(parent, landed),
            {path: standing["stable"] for path, standing in parent.merges.items()},
            self._timings.within(attaching.away(parent, intent)),
            attaching.anew(intent),
            {path: standing_of(standing) for path, standing in parent.merges.items()},
        )
        clocks = self._timings.advanced(self._known_clocks(parent), arrivals)
        kind, until = intent.source["kind"], intent.source.get("until")
        if kind in ("drain", "until"):
            return self._timings.drained(clocks, arrivals, until, self._drains_strictly)
        begun = clocks[PROGRAM].now != DAWN
        if kind == "heartbeat" and self._timings.program.by_arrival and begun:
            return self._timings.drained(clocks, arrivals, intent.stamp, strict=False)
        return clocks

    @property
    def _drains_strictly(self) -> bool:
        """Whether what a drain reports could not be corrected later."""
        return any(query.final_append for query in self._queries.values())

    def _lags(self, intent: Intent) -> dict[str, int]:
        """How far merged stables stay behind in an epoch, by path."""
        drains = intent.source["kind"] in ("drain", "until") and self._drains_strictly
        return {merge.path: 0 if drains else merge.lag for merge in self.program.merges}

    def _floors(self, parent: Manifest, landed: Landed) -> dict[str, int]:
        """From where on the rows lie that are counted, of streams that keep a number of rows."""
        archive = parent.archive
        found = {}
        for name, (_, stream) in self._streams.items():
            if stream.kept_rows is not None:
                known = archive[name].files if name in archive else ()
                files = (*known, *landed.files.get(name, ()))
                found[name] = floor(files, stream.kept_rows)
        return found

    def _slices(self, spark: SparkSession, parent: Manifest, landed: Landed) -> Slices | None:
        """What the epoch's corrections replay, if anything."""
        replay = self.program.replay
        if replay is None:
            return None
        indexes = {name: index for name, (index, _) in self._streams.items()}
        found = slices(spark, self.storage, replay, parent, landed, indexes)
        return None if found is None else at_hand(spark, self.storage, self._streams, found)

    def _held_rows(self, parent: Manifest) -> int:
        """Rows of state and archive that an epoch may read, a replay aside."""
        replay = self.program.replay
        if replay is None:
            return parent.held_rows
        oldest = parent.clock.complete - replay.need
        archived = (file for known in parent.archive.values() for file in known.files)
        read = sum(rows_within(file, oldest, FOREVER) for file in archived)
        return read + sum(k.rows for name, k in parent.state.items() if not name.endswith(RECORD))

    def _replayed_rows(self, parent: Manifest, replayed: Slices | None) -> int:
        """Rows that are read for a replay, of archives and of what windows have recorded."""
        if replayed is None:
            return 0
        least = replayed.stretches[0].low
        records = (k.files for name, k in parent.state.items() if name.endswith(RECORD))
        recorded = (f.rows for files in records for f in files if f.high.get(VE, least) >= least)
        return 2 * replayed.read + sum(recorded)

    def _record(self, context: EpochContext, replayed: Slices | None, begun: float) -> None:
        """What was corrected, and what that cost."""
        replay = self.program.replay
        cost = Cost(
            came=context.stamp,
            technique="DIRECT" if replay is None else replay.technique,
            rows_replayed=0 if replayed is None else replayed.rows,
            outputs_corrected=context.outputs_corrected,
            milliseconds=round((time.monotonic() - begun) * 1000),
            standard_error=context.standard_error,
        )
        protocol.record(context, cost)

    def _context(
        self,
        spark: SparkSession,
        parent: Manifest,
        intent: Intent,
        clocks: Clocks,
        landed: Landed,
        replayed: Slices | None,
    ) -> EpochContext:
        rows = landed.rows + self._held_rows(parent)
        rows += self._replayed_rows(parent, replayed)
        single = is_small(rows)
        return EpochContext(
            spark=spark,
            storage=self.storage,
            number=intent.epoch,
            parent=parent,
            stamp=intent.stamp,
            clock=clocks[PROGRAM],
            landed=landed,
            timing=self._timings.program,
            sections=self._sections(parent, clocks),
            lagging=self._lags(intent),
            tellers=self._timings.tellers,
            away=frozenset(attaching.away(parent, intent)),
            anew=attaching.anew(intent),
            streams=self._streams,
            relations=self._relations,
            queries=self._queries,
            pinned=intent.nrrs,
            in_one_partition=single,
            cut=is_cut(rows, spark.sparkContext.master or ""),
            replays=self.program.replay is not None,
            need=0 if self.program.replay is None else self.program.replay.need,
            percent=None if self.program.replay is None else self.program.replay.percent,
            state=StateStore(
                spark,
                self.storage,
                intent.epoch,
                apart(parent.state),
                landed.rows <= SMALL,
                single,
                self.program.expiration,
            ),
        )

    def _sections(self, parent: Manifest, clocks: Clocks) -> dict[str, Section]:
        before = self._known_clocks(parent)
        return {
            name: Section(timing, before[name], clocks[name])
            for name, timing in self._timings.sections.items()
        }

    def _manifest(
        self,
        parent: Manifest,
        intent: Intent,
        clock: Clock,
        landed: Landed,
        dead: int,
        archive: Any,
        state: Any,
        positions: dict[str, dict[str, Any]],
    ) -> Manifest:
        batches = dict(parent.batches)
        if intent.source["kind"] == "batch":
            batches[intent.source["query_id"]] = intent.source["batch_id"]
        seen = dict.fromkeys(landed.seen(), intent.stamp)
        return Manifest(
            epoch=intent.epoch,
            parent=parent.epoch,
            source=intent.source,
            fingerprint=self.program.fingerprint,
            clock=clock,
            archive=archive,
            state=state,
            nrrs=intent.nrrs,
            sinks={**parent.sinks, **positions},
            away=attaching.away(parent, intent),
            requests=intent.source.get("request", parent.requests),
            batches=batches,
            rows=parent.rows + landed.came - landed.dead_rows,
            dead_letters=parent.dead_letters + dead,
            last_rows={"": intent.stamp, **parent.last_rows, **seen},
            observed={
                name: observed(parent.observed.get(name, (0, 0)), *landed.counted(name))
                for name, (_, stream) in self._streams.items()
                if stream.keep is not None
            },
        )

    def _publish(self) -> None:
        """Show readers the files of the newest epoch."""
        head = self.ledger.head
        for query in self._queries.values():
            publish(query, head.sinks.get(query.name, {}), head.epoch)

    def _clean(self, parent: Manifest, manifest: Manifest, landed: bool) -> None:
        before = protocol.directories(dict(parent.archive), dict(parent.state))
        after = protocol.directories(dict(manifest.archive), dict(manifest.state))
        own = f"landing/{manifest.epoch:08d}" if landed else None
        protocol.clean(self.storage, before, after, own)
        if manifest.epoch > REMEMBERED:
            self.ledger.forget(manifest.epoch - REMEMBERED)
        for name, version in parent.nrrs.items():
            if manifest.nrrs.get(name) != version:
                self.storage.delete(snapshot_directory(self._relations[name], version))

    def _tell(
        self,
        manifest: Manifest,
        landed: Landed,
        begun: float,
        spent: dict[str, float],
        context: EpochContext,
    ) -> None:
        ended = time.monotonic()
        marks = [begun, *spent.values()]
        durations = {
            name: round((mark - marks[i]) * 1000) for i, (name, mark) in enumerate(spent.items())
        }
        clock = manifest.clock
        rows = landed.came
        state = [f for known in manifest.state.values() for f in known.files]
        archive = [f for known in manifest.archive.values() for f in known.files]
        idle_time = max(ended - self._ended, 1e-6)
        self._ended = ended
        self._report(
            Progress(
                epoch=manifest.epoch,
                batchId=manifest.source.get("batch_id"),
                kind=manifest.source["kind"],
                numInputRows=rows,
                inputRowsPerSecond=round(rows / idle_time, 1),
                processedRowsPerSecond=round(rows / max(ended - begun, 1e-6), 1),
                now=self.shown(clock.now),
                complete=self.shown(clock.complete),
                heldBackBy=clock.held_back_by(self._timings.program.within),
                frozen=self.shown(clock.frozen),
                stateRows=sum(file.rows for file in state),
                stateBytes=sum(f.bytes for f in [*state, *archive] if not f.in_place),
                archiveRows=sum(file.rows for file in archive),
                deadLetters=manifest.dead_letters,
                skipped={name: file.rows for name, file in landed.skipped.items()},
                durationMs={**durations, "epoch": round((ended - begun) * 1000)},
                merges=merge_progress(context, manifest, self.program.merges, self.shown),
            )
        )

    def shown(self, instant: int) -> str | int | None:
        """An order value as people read it; None before the first element."""
        if instant <= DAWN + 2**61:
            return None
        if not all(stream.timestamps for _, stream in self._streams.values()):
            return instant
        seconds, micros = divmod(instant, 1_000_000)
        try:
            moment = datetime.fromtimestamp(seconds, UTC).replace(microsecond=micros)
        except (ValueError, OverflowError, OSError):
            return instant
        return moment.replace(tzinfo=None).isoformat()


def _let_go(context: EpochContext) -> None:
    """What was kept for the writes of an epoch."""
    for _, kept in context.shared:
        kept.unpersist()


def _stamp() -> int:
    return time.time_ns() // 1000
