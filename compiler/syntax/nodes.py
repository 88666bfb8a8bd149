"""The syntax tree: what the user wrote, statement by statement, nothing resolved.

Scalar expressions are sqlglot expressions (dialect "spark"); each carries its span in
`expression.meta["span"]`. A query inside an expression stands in a `QueryExpression`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from sqlglot import exp

from reflow.grammar.diagnostic import Diagnostic
from reflow.grammar.source import Span


class QueryExpression(exp.Expression):
    """A query within an expression: `EXISTS (…)`, `x IN (…)`, a scalar subquery.

    `kind` is "exists", "in" or "scalar"; `query` a syntax Query; `this` the left side of IN. NOT is
    an `exp.Not` around it.
    """

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "query": True, "this": False}


@dataclass(frozen=True)
class Name:
    """A name without its quotes; `quoted` says whether it was written in them."""

    text: str
    span: Span
    quoted: bool = False


@dataclass(frozen=True)
class Length:
    """The length of a window or of another bound, as written.

    Exactly one of `microseconds` (an interval) and `ticks` (a plain number) is set. Months and
    years have no fixed length: they arrive with `months` set as well, for the binder to refuse.
    """

    microseconds: int | None
    ticks: int | None
    text: str
    span: Span
    months: int = 0


# --- windows --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RangeWindow:
    length: Length
    slide: Length | None
    span: Span


@dataclass(frozen=True)
class TumbleWindow:
    length: Length
    span: Span


@dataclass(frozen=True)
class RowsWindow:
    """`[ROWS n]`, `[ROWS n SLIDE m]`, `[PARTITION BY k ROWS n]`, the last with `RANGE t` or not."""

    rows: int
    slide: int | None
    partition: tuple[exp.Expression, ...]
    length: Length | None
    span: Span


@dataclass(frozen=True)
class NowWindow:
    span: Span


@dataclass(frozen=True)
class UnboundedWindow:
    span: Span


@dataclass(frozen=True)
class SessionWindow:
    gap: Length
    by: tuple[exp.Expression, ...]
    span: Span


@dataclass(frozen=True)
class Moment:
    """A bound of BEGIN/END: a literal, or NOW less a length or a number of rows."""

    literal: exp.Expression | None
    now: bool
    minus: Length | None
    minus_rows: int | None
    span: Span


@dataclass(frozen=True)
class BeginEnd:
    begin: Moment
    end: Moment
    span: Span


Window: TypeAlias = (
    RangeWindow | TumbleWindow | RowsWindow | NowWindow | UnboundedWindow | SessionWindow | BeginEnd
)


@dataclass(frozen=True)
class Reduction:
    """`REDUCE BY …` or `REDUCE TO name`. `kind` is the word after BY in lower case, or "to"."""

    kind: str
    arguments: tuple[Any, ...]
    span: Span


# --- queries --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SelectItem:
    """`expression [AS alias]`; `*` is an `exp.Star`, `a.*` an `exp.Column` whose `this` is one."""

    expression: exp.Expression
    alias: Name | None
    span: Span


@dataclass(frozen=True)
class TableName:
    name: Name
    window: Window | None
    reduction: Reduction | None
    alias: Name | None
    span: Span


@dataclass(frozen=True)
class DerivedTable:
    query: Query
    window: Window | None
    reduction: Reduction | None
    alias: Name | None
    span: Span


@dataclass(frozen=True)
class Join:
    """`kind` is "inner", "left", "right" or "full"; exactly one of `on` and `using` is set."""

    kind: Literal["inner", "left", "right", "full"]
    left: FromItem
    right: FromItem
    on: exp.Expression | None
    using: tuple[Name, ...]
    span: Span


FromItem: TypeAlias = "TableName | DerivedTable | Join"

Report: TypeAlias = Literal["istream", "dstream", "rstream"]


@dataclass(frozen=True)
class Select:
    report: Report | None
    distinct: bool
    items: tuple[SelectItem, ...]
    from_items: tuple[FromItem, ...]
    where: exp.Expression | None
    group_by: tuple[exp.Expression, ...]
    having: exp.Expression | None
    span: Span


@dataclass(frozen=True)
class SetOperation:
    operator: Literal["union", "except", "intersect"]
    all: bool
    by: tuple[exp.Expression, ...]
    left: Query
    right: Query
    span: Span


@dataclass(frozen=True)
class ReportQuery:
    """`ISTREAM (query)` and the like, standing alone."""

    report: Report
    query: Query
    span: Span


@dataclass(frozen=True)
class NamedQuery:
    """A bare name as an operand: `a UNION b`."""

    name: Name
    span: Span


@dataclass(frozen=True)
class Bounded:
    """`query BEGIN t END t`."""

    query: Query
    bounds: BeginEnd
    span: Span


Query: TypeAlias = "Select | SetOperation | ReportQuery | NamedQuery | Bounded"


# --- clauses of a query ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Revise:
    """`technique`: ignore, archive, direct, replay all, replay minimal, auto, approximate."""

    technique: str
    percent: float | None
    span: Span


@dataclass(frozen=True)
class Emit:
    when: Literal["changes", "final", "frozen"]
    span: Span


@dataclass(frozen=True)
class Every:
    interval: Length
    span: Span


@dataclass(frozen=True)
class Option:
    name: str
    value: str | int | float | bool
    span: Span


@dataclass(frozen=True)
class Into:
    """`format` in lower case; `mode` changelog, upsert, append or None; `key` from UPSERT BY."""

    format: str
    path: str | None
    mode: Literal["changelog", "upsert", "append"] | None
    key: tuple[Name, ...]
    options: tuple[Option, ...]
    span: Span


# --- statements -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColumnDefinition:
    """`type` is Spark DDL text, upper case, e.g. `DECIMAL(10,2)` or `ARRAY<STRING>`."""

    name: Name
    type: str
    type_span: Span
    span: Span


@dataclass(frozen=True)
class OrderBy:
    """`column` is None for ORDER BY ARRIVAL."""

    column: Name | None
    within: Length | None
    strict: bool
    span: Span


@dataclass(frozen=True)
class Key:
    columns: tuple[Name, ...]
    span: Span


@dataclass(frozen=True)
class VersionBy:
    column: Name
    span: Span


@dataclass(frozen=True)
class Elements:
    columns: tuple[Name, ...]
    span: Span


@dataclass(frozen=True)
class Guarantee:
    kind: Literal["insert only", "ties in order", "distinct rows"]
    span: Span


@dataclass(frozen=True)
class From:
    """`format` in lower case (json, csv, …, or the text after SOURCE)."""

    format: str
    path: str | None
    options: tuple[Option, ...]
    span: Span


@dataclass(frozen=True)
class Revisions:
    """`column` and `marks` (operation -> literal), or `debezium`."""

    column: Name | None
    marks: tuple[tuple[str, str], ...]
    debezium: bool
    span: Span


@dataclass(frozen=True)
class IdleAfter:
    interval: Length
    span: Span


@dataclass(frozen=True)
class MaxAhead:
    length: Length
    span: Span


@dataclass(frozen=True)
class SampleBy:
    columns: tuple[Name, ...]
    span: Span


@dataclass(frozen=True)
class Summary:
    name: Name
    query: Query
    span: Span


@dataclass(frozen=True)
class Layout:
    kind: Literal["source", "plain", "lazy", "replicated", "randomized"]
    fractions: tuple[float, ...]
    blocks: int | None
    span: Span


@dataclass(frozen=True)
class Archive:
    keep: Length | None
    keep_rows: int | None
    bucket_rows: int | None
    layout: Layout | None
    sample_by: SampleBy | None
    summaries: tuple[Summary, ...]
    span: Span


@dataclass(frozen=True)
class Statistic:
    """`rate = 200` or `distinct symbol = 200`."""

    kind: str
    column: Name | None
    value: float
    span: Span


@dataclass(frozen=True)
class WithStats:
    statistics: tuple[Statistic, ...]
    span: Span


@dataclass(frozen=True)
class CreateSource:
    """CREATE STREAM, NRR or RELATION over an external source."""

    kind: Literal["stream", "nrr", "relation"]
    name: Name
    columns: tuple[ColumnDefinition, ...]
    key: Key | None
    order_by: OrderBy | None
    version_by: VersionBy | None
    elements: Elements | None
    guarantees: tuple[Guarantee, ...]
    source: From | None
    revisions: Revisions | None
    idle_after: IdleAfter | None
    max_ahead: MaxAhead | None
    archive: Archive | None
    with_stats: WithStats | None
    span: Span


@dataclass(frozen=True)
class MergeInput:
    name: Name
    cleanse: bool
    span: Span


@dataclass(frozen=True)
class CreateMerge:
    name: Name
    inputs: tuple[MergeInput, ...]
    policy: str | None
    fraction: float | None
    stable_lag: Length | None
    feedback: bool
    span: Span


@dataclass(frozen=True)
class CreateView:
    name: Name
    query: Query
    span: Span


@dataclass(frozen=True)
class CreateQuery:
    """A CREATE QUERY, or a bare query (`name` is None: named after the file)."""

    name: Name | None
    query: Query
    revise: Revise | None
    emit: Emit | None
    every: Every | None
    into: Into | None
    span: Span


@dataclass(frozen=True)
class SetSetting:
    name: str
    value: str | int | float | bool
    span: Span


@dataclass(frozen=True)
class Unreadable:
    """A statement with a mistake in it. Of what it creates only the name is known, if that."""

    name: Name | None
    span: Span


Statement: TypeAlias = (
    "CreateSource | CreateMerge | CreateView | CreateQuery | SetSetting | Unreadable"
)


@dataclass(frozen=True)
class Script:
    """All statements of a file, in order, and the mistakes of those that are unreadable."""

    statements: tuple[Statement, ...] = field(default=())
    mistakes: tuple[Diagnostic, ...] = ()
