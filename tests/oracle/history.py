"""What arrived: rows with the epoch of their arrival, and the contents of NRRs from epoch to epoch.

Order values are integers: ticks, or microseconds where the stream's order column is a TIMESTAMP.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .physical import Told, told

Values = Mapping[str, Any]


@dataclass(frozen=True)
class StreamSchema:
    """A stream: its columns with DuckDB's names of their types, and which column orders it.

    `relation`: the log of a relation, which does not move the clock where there are streams; the
    changes of one without an order are at the `now` of the epoch in which they come. `elements`:
    its rows are elements of a physical stream, whose kind, `vs`, `ve` and `old_ve` these columns
    tell.
    """

    name: str
    columns: Mapping[str, str]
    order: str | None
    relation: bool = False
    elements: tuple[str, ...] = ()
    insert_only: bool = False

    def values(self) -> list[str]:
        """The columns of its rows."""
        return [name for name in self.columns if name not in self.elements]


@dataclass(frozen=True)
class NrrSchema:
    """A non-retroactive relation; with `version_by` a row is a version of its key."""

    name: str
    columns: Mapping[str, str]
    key: tuple[str, ...]
    version_by: str | None = None


@dataclass(frozen=True)
class Arrival:
    """`since`: the epoch from which on a corrected row is as it is; None: it came so."""

    epoch: int
    values: Values
    since: int | None = None

    @property
    def met(self) -> int:
        """The epoch whose versions of NRRs it meets."""
        return self.epoch if self.since is None else self.since


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

    def arrived(self, stream: str, known: int | None = None) -> list[tuple[int, Arrival]]:
        """The rows of a stream up to the epoch `known`, each with its number among all."""
        return [
            (number, arrival)
            for number, arrival in enumerate(self.arrivals.get(stream, []))
            if known is None or arrival.epoch <= known
        ]

    def order_of(self, stream: str, arrival: Arrival) -> int:
        order = self.streams[stream].order
        if order is None:
            return self._at_now(arrival.epoch)
        value: int = arrival.values[order]
        return value

    def _at_now(self, epoch: int) -> int:
        """`now` of an epoch; before there is one, the first instant that there ever is."""
        now = self.now(epoch)
        if now is not None:
            return now
        begins = min(a.epoch for name in self._movers() for a in self.arrivals.get(name, []))
        ordered = {name for name in self.arrivals if self.streams[name].order is not None}
        first = self.first(ordered, begins)
        assert first is not None
        return first

    def _movers(self, streams: Iterable[str] | None = None) -> set[str]:
        """Those that move the clock: relations only where there is no stream."""
        names = set(self.arrivals if streams is None else streams)
        return {name for name in names if not self.streams[name].relation} or names

    def now(self, known: int | None = None, streams: set[str] | None = None) -> int | None:
        """The largest order value up to the epoch `known`, of all streams or of these; None before
        the first row.
        """
        movers = self._movers(streams or None)
        shown = self._orders(movers, known)
        stables = (self.told(name, known).stable for name in movers if self._is_of_elements(name))
        return max([*shown, *(each for each in stables if each is not None)], default=None)

    def first(self, streams: set[str], known: int | None = None) -> int | None:
        """The first order value among these streams up to the epoch `known`, if it has come."""
        now = self.now(known)
        reached = (at for at in self._orders(streams, known) if now is not None and at <= now)
        return min(reached, default=None)

    def _orders(self, streams: Iterable[str], known: int | None) -> list[int]:
        names = list(streams)
        starts = (self.told(name, known).starts for name in names if self._is_of_elements(name))
        return [
            *(start for each in starts for start in each),
            *(
                self.order_of(stream, arrival)
                for stream in names
                if not self._is_of_elements(stream)
                for arrival in self.arrivals.get(stream, [])
                if known is None or arrival.epoch <= known
            ),
        ]

    def _is_of_elements(self, stream: str) -> bool:
        return bool(self.streams[stream].elements)

    def told(self, stream: str, known: int | None = None) -> Told:
        """What a stream of elements has told up to the epoch `known`."""
        schema = self.streams[stream]
        rows = [
            {name: arrival.values.get(name) for name in schema.columns}
            for _, arrival in self.arrived(stream, known)
        ]
        return told(schema.elements, rows, schema.insert_only)

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
