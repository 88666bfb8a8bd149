"""Whole statements, and the script of them."""

from __future__ import annotations

from dataclasses import field
from typing import Literal, TypeAlias

from reflow.grammar.diagnostic import Diagnostic
from reflow.grammar.source import Span
from reflow.grammar.value import value

from .basic import Length, Name
from .clauses import Emit, Every, Into, Revise
from .declarations import (
    Archive,
    ColumnDefinition,
    Elements,
    From,
    Guarantee,
    IdleAfter,
    Key,
    MaxAhead,
    OrderBy,
    Revisions,
    VersionBy,
    WithStats,
)
from .queries import Query
from .trials import TestStatement


@value
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


@value
class MergeInput:
    name: Name
    cleanse: bool
    span: Span


@value
class CreateMerge:
    name: Name
    inputs: tuple[MergeInput, ...]
    policy: str | None
    fraction: float | None
    stable_lag: Length | None
    feedback: bool
    span: Span


@value
class CreateView:
    name: Name
    query: Query
    span: Span


@value
class CreateQuery:
    """A CREATE QUERY, or a bare query (`name` is None: named after the file)."""

    name: Name | None
    query: Query
    revise: Revise | None
    emit: Emit | None
    every: Every | None
    into: Into | None
    span: Span


@value
class SetSetting:
    name: str
    value: str | int | float | bool
    span: Span


@value
class Unreadable:
    """A statement with a mistake in it. Of what it creates only the name is known, if that."""

    name: Name | None
    span: Span


Statement: TypeAlias = (
    CreateSource | CreateMerge | CreateView | CreateQuery | SetSetting | Unreadable | TestStatement
)


@value
class Script:
    """All statements of a file, in order, and the mistakes of those that are unreadable."""

    statements: tuple[Statement, ...] = field(default=())
    mistakes: tuple[Diagnostic, ...] = ()
