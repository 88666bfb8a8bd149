"""One epoch as the delta program sees it: its elements, its clock, its state, and what it will
write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from ..archive import index as bucket_index
from ..connect.declarations import Nrr, Query, Stream
from ..connect.relations import read_snapshot
from ..connect.sources import struct_column
from ..elements.columns import FOREVER, POS, TICK, VE, VS, T, W, big, quote
from ..elements.context import State
from ..elements.deltas import AnyDelta, Intervals, Points, Slice, consolidate, shuffled
from ..ledger.clock import Clock
from ..ledger.files import DataFile
from ..ledger.manifest import Manifest
from ..ledger.storage import Storage
from ..state.store import StateStore
from .landing import Landed, landed_frame
from .timing import Timing
from .tuning import kept


@dataclass(frozen=True)
class Output:
    """A pending write to a sink; `write` returns the sink's new position for the manifest."""

    query: str
    write: Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class Section:
    """What moves an input of a merge, and its clock before and after an epoch."""

    timing: Timing
    before: Clock
    after: Clock


@dataclass
class EpochContext:
    """The context of one epoch. Instants: `before` is the parent's `now`, `since` its `complete`.

    Everything at instants below `since` is settled; answers change only from `start` on. Where rows
    may be corrected, both are the clocks' `frozen`: what state is kept as of (DESIGN section 2);
    unless corrections are replayed (`replays`), which `corrected` has, by place. `need`: how far
    before answers the rows lie on which they depend, where they are replayed. `percent`: they are
    estimated from so many of a hundred rows; `errors`: frames of one row, a standard error each.

    `timing`: what moves the clock. `sections`: those of merges' inputs, with their clocks before
    and after; `parts` are their contexts, which share all but the clock. `lagging`: merge -> how
    far its stable stays behind. `standing`: where merges stand after the epoch, by path; `turned`:
    those that go over to a safe variant in it, and why; `watched`: what their rows tell. `tellers`:
    of each stream the section that tells of its dead letters. `away`: the inputs of merges that are
    detached in this epoch. `anew`: those that begin in it as new copies, and what they are complete
    from.
    """

    spark: SparkSession
    storage: Storage
    number: int
    stamp: int
    parent: Manifest
    clock: Clock
    landed: Landed
    streams: Mapping[str, tuple[int, Stream]]
    relations: Mapping[str, Nrr]
    queries: Mapping[str, Query]
    pinned: Mapping[str, str]
    state: StateStore
    outputs: list[Output] = field(default_factory=list)
    rejected: list[DataFrame] = field(default_factory=list)
    rejected_rows: int = 0
    shared: list[tuple[DataFrame, DataFrame]] = field(default_factory=list)
    repeated: bool = False
    in_one_partition: bool = False
    cut: bool = False
    replays: bool = False
    need: int = 0
    observed: list[Observation] = field(default_factory=list)
    corrected: Mapping[str, AnyDelta] = field(default_factory=dict)
    percent: int | None = None
    errors: list[DataFrame] = field(default_factory=list)
    timing: Timing = field(default_factory=Timing)
    sections: Mapping[str, Section] = field(default_factory=dict)
    parts: dict[str, EpochContext] = field(default_factory=dict)
    lagging: Mapping[str, int] = field(default_factory=dict)
    tellers: Mapping[str, str] = field(default_factory=dict)
    standing: dict[str, Any] = field(default_factory=dict)
    turned: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    watched: dict[str, Observation] = field(default_factory=dict)
    away: frozenset[str] = frozenset()
    anew: Mapping[str, int] = field(default_factory=dict)
    views: Iterator[int] = field(default_factory=lambda: count(1))

    def part(self, section: str) -> EpochContext:
        """The epoch under the clock of a section: the same store, files and session."""
        if section not in self.parts:
            own = self.sections[section]
            parent = replace(self.parent, clock=own.before)
            self.parts[section] = replace(
                self,
                parent=parent,
                clock=own.after,
                timing=own.timing,
                state=self.state.of(section),
            )
        return self.parts[section]

    def merge_lag(self, name: str) -> int:
        """How far the stable of a merge stays behind its furthest input in this epoch."""
        return self.lagging[self._path(name)]

    def is_away(self, section: str) -> bool:
        """Whether an input of a merge is detached in this epoch."""
        return section in self.away

    def anew_from(self, section: str) -> int | None:
        """What an input is complete from that is attached as a new copy in this epoch."""
        return self.anew.get(section)

    def merge_standing(self, name: str) -> Any:
        """Where a merge stood before this epoch, as `stand` was told; None: it begins."""
        return self.parent.merges.get(self._path(name))

    def promises(self, name: str) -> Mapping[str, str]:
        """Section -> what an input of a merge declares and its algorithm needs."""
        return next(merge.promised for merge in self.timing.merges if merge.name == name)

    def degraded(self, name: str) -> dict[str, Any] | None:
        """Why a merge runs by a safe variant, in this epoch or since an earlier one."""
        path = self._path(name)
        before: dict[str, Any] = self.parent.merges.get(path) or {}
        return before.get("degraded") or self.turned.get(path)

    def observe(self, name: str, frame: DataFrame, asked: Mapping[str, str]) -> DataFrame:
        """The frame, which tells aggregates of its rows about a merge when it is written."""
        observation = Observation()
        self.watched[self._path(name)] = observation
        aggregates = [F.expr(text).alias(key) for key, text in asked.items()]
        return frame.observe(observation, *aggregates)

    def stand(self, name: str, standing: Any) -> None:
        """Remember where a merge stands after this epoch: what JSON can hold."""
        self.standing[self._path(name)] = standing

    def _path(self, name: str) -> str:
        return next(merge.path for merge in self.timing.merges if merge.name == name)

    def share(self, frame: DataFrame, at_once: bool = False) -> DataFrame:
        """Keep a frame that several writes of this epoch read; it is let go after them. `at_once`:
        computed as by `compute`.

        Whoever reads a persisted frame has Spark analyse and plan its whole text again, and a frame
        above that again, which takes longer than some thousand rows. There the plan is cut.
        """
        for known, made in self.shared:
            if frame is known or frame is made:
                return made
        made = kept(frame, self.cut, at_once=at_once and self.in_one_partition)
        self.shared.append((frame, made))
        return made

    def compute(self, frame: DataFrame) -> DataFrame:
        """The frame, computed now in small epochs whose plans are cut: no shuffle ends what a task
        brings along there.
        """
        return self.share(frame, at_once=True) if self._is_small else frame

    def plan_once(self, frame: DataFrame) -> DataFrame:
        """The frame, shared if the epoch is so small that to plan it again takes longer than its
        rows.
        """
        return self.share(frame) if self._is_small else frame

    def together(self, frame: DataFrame) -> DataFrame:
        """Rows of joins, and unions of such, as one partition in small epochs whose plans are cut.

        Spark does not see that they are one, and would shuffle them. Where plans are not cut it
        may: there a shuffle is all that ends what a task brings along.
        """
        return frame.coalesce(1) if self._is_small else frame

    @property
    def _is_small(self) -> bool:
        """Whether all frames are one partition, and plans are cut."""
        return self.in_one_partition and self.cut

    def spread(self, frame: DataFrame, columns: Sequence[str]) -> DataFrame:
        """The rows laid together by some columns: they are already where there is one partition."""
        return frame if self.in_one_partition else shuffled(frame, columns)

    @property
    def rows(self) -> int:
        return self.landed.rows

    @property
    def frontiers(self) -> tuple[Clock, Clock]:
        return self.parent.clock, self.clock

    @property
    def stream_names(self) -> list[str]:
        return self.timing.names

    @property
    def is_fresh(self) -> bool:
        return self.parent.epoch == 0 and not self.repeated

    @property
    def before(self) -> int:
        return self.parent.clock.now

    @property
    def now(self) -> int:
        return self.clock.now

    @property
    def since(self) -> int:
        return self._settled(self.parent.clock)

    @property
    def complete(self) -> int:
        return self._settled(self.clock)

    def _settled(self, clock: Clock) -> int:
        return clock.complete if self.replays else clock.frozen

    def archived_from(self, stream: str) -> int:
        """The instant behind which the archive of a stream keeps what is read, by the slowest of
        its readers: how far KEEP n ROWS reaches behind `complete` only the clock knows.
        """
        every = [self, *map(self.part, self.sections)]
        readers = [each for each in every if stream in each.timing.names]
        return min(each.clock.frozen if each.timing.by_rows else each.complete for each in readers)

    @property
    def start(self) -> int:
        """The least instant at which this epoch can change an answer: its oldest element, or the
        first expiry.
        """
        if self.timing.merges or any(map(self.landed.told.get, self.timing.names)):
            # An adjust reaches back as far as nothing is settled.
            return self.since
        seen = self.landed.seen()
        oldest = min((seen[name][0] for name in self.timing.names if name in seen), default=FOREVER)
        return max(self.since, min(oldest, self.before + TICK))

    def stables(self, name: str) -> tuple[int, int]:
        """The instants before which a stream of elements was settled, and is now."""
        return self.parent.clock.settled(name), self.clock.settled(name)

    def first(self, query_streams: list[str]) -> tuple[int | None, int | None]:
        """The least order value shown by some streams, as of the parent and as of this epoch."""
        return self.parent.clock.first(query_streams), self.clock.first(query_streams)

    @property
    def corrects(self) -> bool:
        return self.landed.has_revisions

    def elements(
        self, name: str, ordered: bool = False, as_arrived: bool = False, net: bool = False
    ) -> Intervals:
        """A base stream: this epoch's rows, and its archive where one is kept. `ordered`: with
        `_pos`, the place of each row in the order of the stream (which says so in its declaration).
        `as_arrived`: without what came late or corrects other rows. `net`: what an epoch's rows and
        corrections come to, place by place: what one of them adds and another withdraws is gone.
        """
        _, stream = self.streams[name]

        def past(wanted: Slice) -> DataFrame | None:
            return self._archived(name, wanted, ordered, as_arrived)

        files = (*self.landed.files.get(name, ()), *self.landed.told.get(name, ()))
        frame = self._frame(name, files, ordered, as_arrived)
        if net and frame is not None and any(file.revised for file in files):
            frame = consolidate(frame, tuple(stream.columns), VS, VE, POS)
        archived = None if stream.keep is None else past
        settled = None if as_arrived else self._replayed_before(name)
        latest = max((file.high[VS] for file in files if VS in file.high), default=None)
        oldest = None if settled is None else min(f.low[VS] for f in files if f.revised)
        return Intervals(
            tuple(stream.columns),
            frame,
            archived,
            ordered=ordered,
            settled=settled,
            latest=latest,
            oldest=oldest,
        )

    def _replayed_before(self, name: str) -> int | None:
        """The instant up to which a replay tells what is corrected of a stream, if there is any."""
        replayed = self.replays and self.landed.revised_before(name, self.since)
        return self.since if replayed else None

    def _archived(
        self, name: str, wanted: Slice, ordered: bool, as_arrived: bool
    ) -> DataFrame | None:
        known = self.parent.archive.get(name)
        if known is None:
            return None
        buckets = known.files
        if not self.state.scans:
            buckets = tuple(bucket_index.matching(buckets, wanted))
        frame = self._frame(name, buckets, ordered, as_arrived)
        condition = wanted.condition()
        return frame if frame is None or condition is None else frame.where(condition)

    def _frame(
        self, name: str, files: tuple[DataFile, ...], ordered: bool, as_arrived: bool
    ) -> DataFrame | None:
        if as_arrived:
            files = tuple(file for file in files if not file.revised)
        if not files:
            return None
        rows = landed_frame(self.spark, self.storage, *self.streams[name], files)
        return self._elements_of(name, rows, ordered, as_arrived)

    def _elements_of(
        self,
        name: str,
        rows: DataFrame,
        ordered: bool,
        as_arrived: bool = False,
        more: Sequence[str] = (),
    ) -> DataFrame:
        """The elements that rows of landed files are, with more columns of these."""
        index, stream = self.streams[name]
        struct = struct_column(index)
        columns = [f"{struct}.{quote(column)} AS {quote(column)}" for column in stream.columns]
        place = [POS] if ordered else []
        if self.in_one_partition:
            rows = rows.coalesce(1)
        # Nothing but the clock tells when such a change happens.
        at = VS if self.timing.has_order(stream) else f"{big(self.now)} AS {VS}"
        weight = (
            f"coalesce({W}, 1L) AS {W}" if stream.revisable and not as_arrived else f"1L AS {W}"
        )
        return rows.selectExpr(*columns, at, f"{big(FOREVER)} AS {VE}", weight, *place, *more)

    def relation(self, name: str) -> tuple[DataFrame, str | None, list[str]]:
        """The pinned rows of a non-retroactive relation, its VERSION BY column, its key."""
        nrr = self.relations[name]
        rows = read_snapshot(self.spark, self.storage, nrr, self.pinned[name])
        return rows, nrr.version_by, list(nrr.key)

    def view(self, frame: DataFrame) -> str:
        """A name by which SQL text of this epoch can read a frame. Names are used again in the next
        epoch.
        """
        name = f"_reflow_{next(self.views)}"
        frame.createOrReplaceTempView(name)
        return name

    def sql(self, text: str) -> DataFrame:
        """A frame from SQL text: one parse and one analysis; chained calls cost one each."""
        return self.spark.sql(text)

    def reject(self, frame: DataFrame, of: str) -> None:
        """Rows of the stream `of` for the dead-letter table: `stream`, `reason`, `vs`, `row`. Where
        several sections read it, the first tells.
        """
        if self.tellers.get(of, self.timing.name) == self.timing.name:
            self.rejected.append(frame)

    def output(self, query: str, write: Callable[[], dict[str, Any]]) -> None:
        """Register a write to a sink."""
        self.outputs.append(Output(query, write))

    def folder(self, name: str) -> Storage:
        """A folder of the checkpoint; the whole of it for an empty name."""
        return Storage(self.storage.spark_path(name)) if name else self.storage

    @property
    def is_replay(self) -> bool:
        return False

    @property
    def earlier(self) -> State:
        """The state that earlier epochs left."""
        return self.state

    @property
    def recorded_from(self) -> int:
        """The least instant at which a replay can begin."""
        return self.clock.frozen - self.need

    @property
    def stretches(self) -> Sequence[tuple[int, int]]:
        """The instants `[low, high)` that are replayed, in order."""
        return ()

    @property
    def estimates(self) -> bool:
        return self.percent is not None

    @property
    def drawn_share(self) -> float:
        return (self.percent or 100) / 100

    def mistaken(self, frame: DataFrame) -> None:
        """A standard error of what a sample corrects, as a frame of one row with `error`."""
        self.errors.append(frame)

    @property
    def standard_error(self) -> float | None:
        """The largest of what a sample corrected; None where corrections are exact by technique."""
        if not self.estimates:
            return None
        rows = [row for frame in self.errors for row in frame.toArrow().to_pylist()]
        # Without a drawn row there is none.
        return max((float(row["error"] or 0) for row in rows), default=0.0)

    def corrections(self, place: str, delta: AnyDelta) -> AnyDelta | None:
        """What a replay corrects of the answers below `since`."""
        return self.corrected.get(place)

    def closed(self, delta: AnyDelta) -> AnyDelta:
        """What a replay corrects, as a delta that ends at `since`."""
        if isinstance(delta, Intervals) or delta.frame is None:
            return delta
        names = [quote(column) for column in delta.columns]
        change, end = f"struct({T}, {W})", f"struct({big(self.since)} AS {T}, -{W} AS {W})"
        ended = delta.frame.selectExpr(*names, f"inline(array({change}, {end}))")
        return Points(delta.columns, consolidate(ended, delta.columns, T))

    def counted(self, frame: DataFrame, instant: str) -> DataFrame:
        """The frame, which counts its rows about instants that were complete, if this epoch has
        corrections.
        """
        if not self.landed.has_revisions:
            return frame
        observation = Observation()
        self.observed.append(observation)
        told = F.count_if(F.expr(f"{instant} < {big(self.parent.clock.complete)}"))
        return frame.observe(observation, told.alias("told"))

    @property
    def outputs_corrected(self) -> int | None:
        """Rows that have been written about instants that were complete; None: nothing counted."""
        counts = [int(observation.get["told"]) for observation in self.observed]
        return sum(counts) if counts else None

    def sink_position(self, query: str) -> dict[str, Any]:
        return dict(self.parent.sinks.get(query, {}))
