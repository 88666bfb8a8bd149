"""What is known about streams and relations, and where each figure came from.

A unit of time is a second, or a tick where the order field is a BIGINT.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Literal

from reflow.grammar.value import value

from ..plan.operators import NrrDeclaration, StreamDeclaration

SECOND = 1_000_000
Origin = Literal["WITH STATS", "archive", "default"]

# Of a stream: {"rows": …, "first": …, "last": …}, order values in microseconds or ticks.
Observed = Mapping[str, Mapping[str, int]]
NOTHING: Observed = MappingProxyType({})

RATE = 100.0
"""Rows per second by default; a stream of ticks has one row a tick."""
DISTINCT = 100.0
ROWS = 1000.0
"""Rows of a relation by default."""
DAY = 86_400.0
TICKS = 100_000.0


@value
class Figure:
    value: float
    origin: Origin

    def __str__(self) -> str:
        return f"{self.value:g} ({self.origin})"


@value
class Statistics:
    """Figures from WITH STATS, else from an earlier run's archive, else by default.

    `observed` are the figures of the bucket index tables of an earlier run, by stream.
    """

    observed: Observed = field(default_factory=lambda: NOTHING)

    def rate(self, stream: StreamDeclaration) -> Figure:
        """Rows per unit of time."""
        given = dict(stream.statistics).get("rate")
        if given is not None:
            return Figure(given, "WITH STATS")
        seen = _rate_seen(self.observed.get(stream.name, {}), unit(stream.timestamps))
        if seen is not None:
            return Figure(seen, "archive")
        return Figure(RATE if stream.timestamps else 1.0, "default")

    def distinct(self, stream: StreamDeclaration, column: str) -> Figure:
        """Different values of a column within the time that is looked at."""
        given = dict(stream.statistics).get(f"distinct {column}")
        if given is not None:
            return Figure(given, "WITH STATS")
        rate = self.rate(stream)
        if column == stream.order or stream.key == (column,):
            # Each row has one of its own.
            return Figure(max(1.0, rate.value * horizon(stream.timestamps)), rate.origin)
        return Figure(_by_type(stream, column), "default")

    def rows_held(self, log: StreamDeclaration) -> Figure:
        """Rows that a retroactive relation holds at an instant."""
        given = dict(log.statistics).get("rows")
        return Figure(ROWS, "default") if given is None else Figure(given, "WITH STATS")

    def rows(self, relation: NrrDeclaration) -> Figure:
        given = dict(relation.statistics).get("rows")
        return Figure(ROWS, "default") if given is None else Figure(given, "WITH STATS")

    def distinct_of_relation(self, relation: NrrDeclaration, column: str) -> Figure:
        given = dict(relation.statistics).get(f"distinct {column}")
        if given is not None:
            return Figure(given, "WITH STATS")
        rows = self.rows(relation)
        # The only key column tells rows apart; of others a tenth of the rows differ.
        share = 1.0 if relation.key == (column,) else 0.1
        return Figure(max(1.0, rows.value * share), rows.origin)

    def of_stream(
        self, stream: StreamDeclaration, columns: frozenset[str]
    ) -> Iterator[tuple[str, Figure]]:
        """All figures about a stream that a plan which reads these columns uses."""
        yield "rate", self.rate(stream)
        for column in stream.columns:
            if column.name in columns:
                yield f"distinct {column.name}", self.distinct(stream, column.name)


def unit(timestamps: bool) -> int:
    """A unit of time in the engine's own: microseconds or ticks."""
    return SECOND if timestamps else 1


def horizon(timestamps: bool) -> float:
    """What never ends is looked at after so many units: a day, or 100,000 ticks."""
    return DAY if timestamps else TICKS


def _rate_seen(seen: Mapping[str, int], of: int) -> float | None:
    if seen.get("rows", 0) < 2:
        return None
    length = (seen["last"] - seen["first"]) / of
    return seen["rows"] / length if length > 0 else None


def _by_type(stream: StreamDeclaration, column: str) -> float:
    types = {c.name: c.type for c in stream.columns}
    return 2.0 if types.get(column) == "BOOLEAN" else DISTINCT
