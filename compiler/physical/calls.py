"""What a step calls: one value per function of the runtime that a program may use in an epoch.

Expressions are Spark SQL text over internal column names. Inputs are not here but in the step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Equal = tuple[tuple[str, str], ...]
Named = tuple[tuple[str, str], ...]
By = Literal["accumulators", "panes", "contents"]
Until = Literal["now", "complete", "frozen"]


@dataclass(frozen=True)
class Elements:
    """`ordered`: with the place of each row in the order of arrival. It is a property of the
    stream, and no part of a step's meaning.
    """

    stream: str
    ordered: bool = field(default=False, repr=False)


@dataclass(frozen=True)
class Where:
    predicate: str


@dataclass(frozen=True)
class Select:
    columns: Named


@dataclass(frozen=True)
class UnionAll:
    pass


@dataclass(frozen=True)
class WindowRange:
    length: int
    slide: int | None
    zone: str | None


@dataclass(frozen=True)
class WindowNow:
    pass


@dataclass(frozen=True)
class WindowUnbounded:
    pass


@dataclass(frozen=True)
class WindowRows:
    """`net`: elements may be withdrawn; `ordered`: the points keep the order of arrival."""

    rows: int
    by: tuple[str, ...]
    slide: int | None
    length: int | None
    net: bool
    ordered: bool


@dataclass(frozen=True)
class WindowSession:
    gap: int
    by: tuple[str, ...]
    net: bool
    ordered: bool


@dataclass(frozen=True)
class ToPoints:
    pass


@dataclass(frozen=True)
class AsStream:
    ordered: bool = field(default=False, repr=False)


@dataclass(frozen=True)
class JoinPairs:
    points: bool
    equal: Equal
    condition: str | None


@dataclass(frozen=True)
class JoinAsOf:
    """Rows of the interval side with the current row of the point side. `span`: how long rows of
    the interval side live at most; None: not known."""

    equal: Equal
    condition: str | None
    span: int | None


@dataclass(frozen=True)
class JoinHalf:
    """Rows of the left with, or (`anti`) without, a match on the right."""

    equal: Equal
    condition: str | None
    anti: bool
    span: int | None


@dataclass(frozen=True)
class CompareSets:
    kind: str


@dataclass(frozen=True)
class ExceptBy:
    """`by` pairs columns (left, right) by which rows are counted; `ordered`: of rows that came
    together the first to arrive is the oldest."""

    by: Equal
    ordered: bool


@dataclass(frozen=True)
class JoinRelation:
    """`columns`: (internal name, relation column)."""

    relation: str
    columns: Named
    equal: Equal
    condition: str | None
    at: str | None


@dataclass(frozen=True)
class DistinctRows:
    points: bool


@dataclass(frozen=True)
class AggregateCall:
    """`argument` is None for COUNT(*); `type` is the result's type, `of` the argument's where
    known."""

    name: str
    function: str
    argument: str | None
    type: str | None
    of: str | None
    parameter: str | None = None
    distinct: bool = False


@dataclass(frozen=True)
class GroupRows:
    """`streams`: those whose first element begins the answer of a group without keys; None: all."""

    keys: Named
    aggregates: tuple[AggregateCall, ...]
    by: By
    streams: tuple[str, ...] | None


@dataclass(frozen=True)
class ReportRows:
    kind: Literal["istream", "dstream", "rstream"]


@dataclass(frozen=True)
class Hold:
    until: Until


@dataclass(frozen=True)
class Deliver:
    query: str
    format: str
    path: str | None
    mode: str
    names: tuple[str, ...]
    key: tuple[str, ...]
    emit: str
    timestamps: bool
    options: tuple[tuple[str, str], ...]


Call: TypeAlias = (
    Elements
    | Where
    | Select
    | UnionAll
    | WindowRange
    | WindowNow
    | WindowUnbounded
    | WindowRows
    | WindowSession
    | ToPoints
    | AsStream
    | JoinPairs
    | JoinAsOf
    | JoinHalf
    | CompareSets
    | ExceptBy
    | JoinRelation
    | DistinctRows
    | GroupRows
    | ReportRows
    | Hold
    | Deliver
)
