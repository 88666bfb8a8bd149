"""What arrived: rows with the epoch of their arrival, and the contents of NRRs from epoch to epoch.

Order values are integers: ticks, or microseconds where the stream's order column is a TIMESTAMP.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Values = Mapping[str, Any]


@dataclass(frozen=True)
class StreamSchema:
    """A stream: its columns with DuckDB's names of their types, and which column orders it."""

    name: str
    columns: Mapping[str, str]
    order: str


@dataclass(frozen=True)
class NrrSchema:
    """A non-retroactive relation; with `version_by` a row is a version of its key."""

    name: str
    columns: Mapping[str, str]
    key: tuple[str, ...]
    version_by: str | None = None


@dataclass(frozen=True)
class Arrival:
    epoch: int
    values: Values


@dataclass
class History:
    """The log of arrivals. Epochs are numbered by the caller, ascending."""

    streams: Mapping[str, StreamSchema]
    nrrs: Mapping[str, NrrSchema] = field(default_factory=dict)
    arrivals: dict[str, list[Arrival]] = field(default_factory=dict)
    contents: dict[str, list[tuple[int, Sequence[Values]]]] = field(default_factory=dict)

    def arrive(self, epoch: int, stream: str, rows: Sequence[Values]) -> None:
        self.arrivals.setdefault(stream, []).extend(Arrival(epoch, row) for row in rows)

    def replace(self, epoch: int, nrr: str, rows: Sequence[Values]) -> None:
        """From `epoch` on the relation holds `rows` and nothing else."""
        self.contents.setdefault(nrr, []).append((epoch, rows))

    def order_of(self, stream: str, arrival: Arrival) -> int:
        value: int = arrival.values[self.streams[stream].order]
        return value

    def now(self, known: int | None = None, streams: set[str] | None = None) -> int | None:
        """The largest order value up to the epoch `known`, of all streams or of these; None before
        the first row.
        """
        return max(self._orders(streams or self.arrivals, known), default=None)

    def first(self, streams: set[str], known: int | None = None) -> int | None:
        """The first order value among these streams up to the epoch `known`."""
        return min(self._orders(streams, known), default=None)

    def _orders(self, streams: Mapping[str, Any] | set[str], known: int | None) -> list[int]:
        return [
            self.order_of(stream, arrival)
            for stream in streams
            for arrival in self.arrivals.get(stream, [])
            if known is None or arrival.epoch <= known
        ]

    def visible(self, nrr: str, epoch: int, at: int) -> list[Values]:
        """The rows that a stream row of this epoch and order value meets.

        Without VERSION BY: the contents that the epoch pinned. With it: of these, per key, the
        version with the greatest `since` that is not after `at`.
        """
        pinned: Sequence[Values] = []
        for since_epoch, rows in self.contents.get(nrr, []):
            if since_epoch <= epoch:
                pinned = rows
        schema = self.nrrs[nrr]
        since = schema.version_by
        if since is None:
            return list(pinned)
        newest: dict[tuple[Any, ...], Values] = {}
        for row in sorted(pinned, key=lambda version: version[since]):
            if row[since] <= at:
                newest[tuple(row[column] for column in schema.key)] = row
        return list(newest.values())
