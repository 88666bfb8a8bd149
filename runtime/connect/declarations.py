"""What a program says about the world. Lengths are microseconds or ticks, as `timestamps` says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql.types import StructType


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
    envelopes, whose operation is the last declared column.
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
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def declared(self) -> StructType:
        return declared_columns(self.schema)

    @property
    def read_schema(self) -> StructType:
        """The declared columns that the plan reads, in its order."""
        declared = self.declared
        return StructType([declared[name] for name in self.columns])


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
