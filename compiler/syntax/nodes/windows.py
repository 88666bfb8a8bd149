"""Windows, the moments of BEGIN and END, and reductions."""

from __future__ import annotations

from typing import Any, TypeAlias

from sqlglot import exp

from reflow.grammar.source import Span
from reflow.grammar.value import value

from .basic import Length


@value
class RangeWindow:
    length: Length
    slide: Length | None
    span: Span


@value
class TumbleWindow:
    length: Length
    span: Span


@value
class RowsWindow:
    """`[ROWS n]`, `[ROWS n SLIDE m]`, `[PARTITION BY k ROWS n]`, the last with `RANGE t` or not."""

    rows: int
    slide: int | None
    partition: tuple[exp.Expression, ...]
    length: Length | None
    span: Span


@value
class NowWindow:
    span: Span


@value
class UnboundedWindow:
    span: Span


@value
class SessionWindow:
    gap: Length
    by: tuple[exp.Expression, ...]
    span: Span


@value
class Moment:
    """A bound of BEGIN/END: a literal, or NOW less a length or a number of rows."""

    literal: exp.Expression | None
    now: bool
    minus: Length | None
    minus_rows: int | None
    span: Span


@value
class BeginEnd:
    begin: Moment
    end: Moment
    span: Span


Window: TypeAlias = (
    RangeWindow | TumbleWindow | RowsWindow | NowWindow | UnboundedWindow | SessionWindow | BeginEnd
)


@value
class Reduction:
    """`REDUCE BY …` or `REDUCE TO name`. `kind` is the word after BY in lower case, or "to"."""

    kind: str
    arguments: tuple[Any, ...]
    span: Span
