"""What a program says about the world. Lengths are microseconds or ticks, as `timestamps` says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql.types import StructType

from ..elements.columns import DAWN
from ..ledger.clock import Clock


def declared_columns(ddl: str) -> StructType:
    """The columns that a declaration's DDL text names."""
    columns = StructType.fromDDL(ddl)
    assert isinstance(columns, StructType), ddl
    return columns


@dataclass(frozen=True)
class Stream:
    """A base stream.

    `columns` are the declared columns that the plan reads; `order` is None for arrival order;
    `within` the bound on disorder; `keep` how far behind `complete` the archive is read (None: no
    archive, -1: for ever); `max_ahead` None: no limit. `idle_after` is clock time in microseconds.
    `ordered`: some operator asks for the place of its elements in the order of arrival.
    `relation`: it is the log of a relation: see `movers`. `envelopes`: the source has Debezium's
    envelopes, whose operation is the last declared column. `kept`: how far behind `complete` a row
    may still come or be corrected (None: not at all); `kept_rows`: as far back as so many of the
    archive's youngest rows reach, instead; `key` finds the row that is replaced or deleted, where
    anything reads revisions; `marks` tells what the values of the column `operation` do: insert,
    replace, delete. `bucket`: rows up to which its archive lays small epochs together; None: as
    many as its revisions ask for. `in_place`: the source's own files are immutable, and are read
    where they lie instead of landed (LAYOUT SOURCE). `read_as_arrived`: somebody reads it without
    what came late or corrects rows, which therefore stays apart. `elements`: its rows are elements
    of a physical stream, and these columns tell their kind, `vs`, `ve` and the `ve` that was.
    `merged`: only inputs of merges read it, whose clocks it moves instead of the program's.
    `skips`: path of a merge -> length: rows that lie before its frontier less the length are passed
    over (FEEDBACK). `heeds`: query -> length: the same for what the readers of its elements say
    that they have merged.
    """

    name: str
    format: str
    schema: str
    columns: Sequence[str]
    path: str | None = None
    order: str | None = None
    timestamps: bool = True
    within: int = 0
    strict: bool = False
    max_ahead: int | None = None
    max_ahead_written: bool = False
    idle_after: int | None = None
    keep: int | None = None
    ordered: bool = False
    relation: bool = False
    envelopes: bool = False
    kept: int | None = None
    kept_rows: int | None = None
    bucket: int | None = None
    in_place: bool = False
    read_as_arrived: bool = False
    key: Sequence[str] = ()
    operation: str | None = None
    marks: Mapping[str, str] = field(default_factory=dict)
    elements: Sequence[str] = ()
    merged: bool = False
    skips: Mapping[str, int] = field(default_factory=dict)
    heeds: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def declared(self) -> StructType:
        return declared_columns(self.schema)

    @property
    def read_schema(self) -> StructType:
        """The declared columns that are read: by the plan, in its order, and to revise rows."""
        declared = self.declared
        own = [*self.key, *([] if self.operation is None else [self.operation]), *self.elements]
        return StructType([declared[name] for name in dict.fromkeys([*self.columns, *own])])

    @property
    def revisable(self) -> bool:
        """Whether its files tell elements that arrived in order from those that revise."""
        return self.kept is not None or bool(self.marks)

    @property
    def looked_up(self) -> bool:
        """Whether what revises a row finds it by its key, so that elements are withdrawn."""
        return self.revisable and bool(self.key)

    def oldest(self, clock: Clock) -> int:
        """The least order value at which a row may still come or be corrected."""
        if self.kept_rows is not None:
            return min(clock.complete, clock.floor(self.name))
        if self.kept is None or clock.complete == DAWN:
            return clock.complete
        return clock.complete - self.kept


@dataclass(frozen=True)
class Merge:
    """A merged stream (LMERGE). `inputs`: section -> the streams, and the merged streams within it,
    that move its clock. `section`: the one in which it is read; empty: the program. `lag`: how far
    the merged stable stays behind the furthest input. `held`: only the rows tell how far it is.
    `promised`: section -> what its input declares and the algorithm needs.
    """

    name: str
    inputs: Mapping[str, Sequence[str]]
    lag: int = 0
    section: str = ""
    held: bool = False
    promised: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Its name among all merges of a program."""
        return f"{self.section}.{self.name}" if self.section else self.name


def movers(streams: Iterable[Stream]) -> tuple[Stream, ...]:
    """Those whose elements move the clock: the streams, and where there are none, the logs of
    relations, the ordered ones if there are such (DESIGN section 2). Changes of a log without an
    order that moves no clock are at the epoch's `now`.
    """
    all_ = tuple(streams)
    found = [stream for stream in all_ if not stream.relation]
    found = found or [stream for stream in all_ if stream.order is not None]
    return tuple(found) or all_


@dataclass(frozen=True)
class Nrr:
    """A non-retroactive relation; `version_by` names the column that says since when a row holds,
    per `key`.
    """

    name: str
    format: str
    schema: str
    columns: Sequence[str]
    path: str | None = None
    version_by: str | None = None
    key: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Replay:
    """That corrections are made by replaying slices of the archives (REPLAY 3, 4); state is kept as
    of `complete` then.

    `slices`: `minimal`, what the corrected answers depend on, or `all` that is archived. `places`:
    where corrections join the deltas of a query: at its sink, or where it is held. `reach`: stream
    -> how long after a row's instant answers can depend on it, None: to the end; `need`: how long
    before an answer's instant the rows lie on which it depends. `by`: stream -> column by which the
    answers fall apart: the part for one value is made of the rows with that value. `step`: rows
    that are moved in time by a multiple of it move the answers by as much; None: there is no such
    length.
    `recorded`: windows by count begin with the rows that are recorded of them.
    `percent`: corrections are estimated (REVISE BY APPROXIMATE) from the corrected rows and, of
    those that they meet, so many of a hundred; `places` are groups then, which take them in. None:
    they are exact. `drawn`: stream -> the streams whose corrected rows meet its own.
    """

    slices: str
    places: Sequence[str]
    reach: Mapping[str, int | None]
    need: int
    by: Mapping[str, str] = field(default_factory=dict)
    step: int | None = None
    recorded: bool = False
    percent: int | None = None
    drawn: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def technique(self) -> str:
        """As REVISE BY says it."""
        if self.percent is not None:
            return f"APPROXIMATE {self.percent}%"
        return f"REPLAY {self.slices.upper()}"


@dataclass(frozen=True)
class Query:
    """A query of the file: the streams it reads, and its trigger interval in microseconds.

    `final_append`: it appends final rows, so that nothing may be corrected after a drain. `format`
    and `path` are its sink's, as written.
    """

    name: str
    streams: Sequence[str]
    every: int | None = None
    final_append: bool = False
    format: str = "console"
    path: str | None = None
