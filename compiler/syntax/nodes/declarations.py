"""What stands in CREATE STREAM, RELATION and NRR: columns, guarantees and clauses."""

from __future__ import annotations

from typing import Literal

from reflow.grammar.source import Span
from reflow.grammar.value import value

from .basic import Length, Name
from .clauses import Option
from .queries import Query


@value
class ColumnDefinition:
    """`type` is Spark DDL text, upper case, e.g. `DECIMAL(10,2)` or `ARRAY<STRING>`."""

    name: Name
    type: str
    type_span: Span
    span: Span


@value
class OrderBy:
    """`column` is None for ORDER BY ARRIVAL."""

    column: Name | None
    within: Length | None
    strict: bool
    span: Span


@value
class Key:
    columns: tuple[Name, ...]
    span: Span


@value
class VersionBy:
    column: Name
    span: Span


@value
class Elements:
    columns: tuple[Name, ...]
    span: Span


@value
class Guarantee:
    kind: Literal["insert only", "ties in order", "distinct rows"]
    span: Span


@value
class From:
    """`format` in lower case (json, csv, …, or the text after SOURCE)."""

    format: str
    path: str | None
    options: tuple[Option, ...]
    span: Span


@value
class Revisions:
    """`column` and `marks` (operation -> literal), or `debezium`."""

    column: Name | None
    marks: tuple[tuple[str, str], ...]
    debezium: bool
    span: Span


@value
class IdleAfter:
    interval: Length
    span: Span


@value
class MaxAhead:
    length: Length
    span: Span


@value
class SampleBy:
    columns: tuple[Name, ...]
    span: Span


@value
class Summary:
    name: Name
    query: Query
    span: Span


@value
class Layout:
    kind: Literal["source", "plain", "lazy", "replicated", "randomized"]
    fractions: tuple[float, ...]
    blocks: int | None
    span: Span


@value
class Archive:
    keep: Length | None
    keep_rows: int | None
    bucket_rows: int | None
    layout: Layout | None
    sample_by: SampleBy | None
    summaries: tuple[Summary, ...]
    span: Span


@value
class Statistic:
    """`rate = 200` or `distinct symbol = 200`."""

    kind: str
    column: Name | None
    value: float
    span: Span


@value
class WithStats:
    statistics: tuple[Statistic, ...]
    span: Span
