"""What a step calls: one value per function of the runtime that a program may use in an epoch.

Expressions are Spark SQL text over internal column names. Inputs are not here but in the step.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal, TypeAlias

from reflow.grammar.value import value

from ..analyse.grouping import By

Equal = tuple[tuple[str, str], ...]
Named = tuple[tuple[str, str], ...]
Until = Literal["now", "complete", "frozen"]


@value
class Elements:
    """`ordered`: with the place of each row in the order of arrival. It is a property of the
    stream, and no part of a step's meaning. `as_arrived`: without late rows and corrections.
    `net`: what corrections come to, in an epoch, without what they undo of each other.
    """

    stream: str
    as_arrived: bool = field(default=False, repr=False)
    ordered: bool = field(default=False, repr=False)
    net: bool = field(default=False, repr=False)


@value
class Contents:
    """The contents of the relation `of`, whose other fields are as in the plan's `Relation`.
    `columns` are those read of it; `grows`: no row ever leaves.
    """

    of: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    operation: str | None
    marks: Named
    grows: bool


@value
class Reconstitute:
    """The events of a stream of elements (LMERGE III): `columns` are those of its rows, `elements`
    those of the kind, `vs`, `ve` and the `ve` that was; `timestamps`: of what type the last three
    are. `as_told`: ends may be told anew. `judged`: here; else by a merge, as they came.
    """

    of: str
    columns: tuple[str, ...]
    elements: tuple[str, ...]
    timestamps: bool
    insert_only: bool
    as_told: bool = field(default=False, repr=False)
    judged: bool = field(default=True, repr=False)


@value
class Merged:
    """The merge of several inputs, each under the clock of its section: `inputs` pairs its name
    with the section. `as_told`: intervals are merged as they are told, else all as points.
    `tells`: events with their ends are passed on, and may be told anew.
    """

    of: str
    variant: str
    inputs: Named
    cleansed: tuple[str, ...]
    policy: str
    share: float | None
    lag: int
    rows: bool
    as_told: bool
    ordered: bool = field(default=False, repr=False)
    tells: bool = field(default=False, repr=False)


@value
class Where:
    predicate: str


@value
class Select:
    columns: Named


@value
class UnionAll:
    pass


@value
class WindowRange:
    length: int
    slide: int | None
    zone: str | None


@value
class WindowNow:
    pass


@value
class WindowUnbounded:
    pass


@value
class WindowRows:
    """`net`: elements may be withdrawn; `ordered`: the points keep the order of arrival.
    `recorded`: it is recorded when rows leave, for replays.
    """

    rows: int
    by: tuple[str, ...]
    slide: int | None
    length: int | None
    net: bool
    ordered: bool
    recorded: bool = field(default=False, repr=False)


@value
class WindowSession:
    gap: int
    by: tuple[str, ...]
    net: bool
    ordered: bool


@value
class KeepRows:
    pass


@value
class ToPoints:
    pass


@value
class AsStream:
    ordered: bool = field(default=False, repr=False)


@value
class JoinPairs:
    points: bool
    equal: Equal
    condition: str | None


@value
class JoinAsOf:
    """Rows of the interval side with the current row of the point side. `span`: how long rows of
    the interval side live at most; None: not known."""

    equal: Equal
    condition: str | None
    span: int | None


@value
class JoinHalf:
    """Rows of the left with, or (`anti`) without, a match on the right."""

    equal: Equal
    condition: str | None
    anti: bool
    span: int | None


@value
class CompareSets:
    kind: str


@value
class ExceptBy:
    """`by` pairs columns (left, right) by which rows are counted; `ordered`: of rows that came
    together the first to arrive is the oldest."""

    by: Equal
    ordered: bool


@value
class JoinRelation:
    """`columns`: (internal name, relation column). `outer`: as LEFT JOIN. `corrected`: rows may be
    withdrawn, as their stream says.
    """

    relation: str
    columns: Named
    equal: Equal
    condition: str | None
    at: str | None
    outer: bool = False
    corrected: bool = field(default=False, repr=False)


@value
class DistinctRows:
    points: bool


@value
class DistinctStored:
    """DISTINCT over announced ends that reads its input again."""


@value
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


@value
class GroupRows:
    """`streams`: those whose first element begins the answer of a group without keys; None: all.
    `estimated`: what is complete is corrected from a sample, which state reaches back for.
    """

    keys: Named
    aggregates: tuple[AggregateCall, ...]
    by: By
    streams: tuple[str, ...] | None
    estimated: bool = field(default=False, repr=False)


@value
class ReportRows:
    kind: Literal["istream", "dstream", "rstream"]


@value
class Hold:
    until: Until


@value
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
    | Contents
    | Reconstitute
    | Merged
    | Where
    | Select
    | UnionAll
    | WindowRange
    | WindowNow
    | WindowUnbounded
    | WindowRows
    | WindowSession
    | KeepRows
    | ToPoints
    | AsStream
    | JoinPairs
    | JoinAsOf
    | JoinHalf
    | CompareSets
    | ExceptBy
    | JoinRelation
    | DistinctRows
    | DistinctStored
    | GroupRows
    | ReportRows
    | Hold
    | Deliver
)
