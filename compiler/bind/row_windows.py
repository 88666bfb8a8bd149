"""Windows in which later rows decide when a row leaves: `[ROWS …]`, `[PARTITION BY …]`, sessions.

They stand above the views of their stream, since a view's rows are those that count.
"""

from __future__ import annotations

from sqlglot import exp

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span

from ..plan.operators import Operator, RowsWindow, SessionWindow
from ..plan.operators.base import Expr
from .build import text
from .calls import span_of
from .catalog import Context
from .expressions import Resolver
from .infer import Typer
from .lengths import units
from .scope import Scope
from .shape import clock

_MOST_ROWS = 2**31 - 1


def rows_window(
    stream: Operator, window: nodes.RowsWindow, scope: Scope, context: Context
) -> Operator:
    """The stream seen through a count window; the stream itself where the window is wrong."""
    by = _by(window.partition, scope, window.span, context)
    rows, slide = window.rows, window.slide
    fine = _is_number(rows, "ROWS", window.span, context)
    if slide is not None:
        fine &= _is_number(slide, "SLIDE", window.span, context)
    length = None
    if window.length is not None:
        length = units(
            window.length, clock(stream), context.findings, "RANGE of a window", code="RF3101"
        )
    if not fine or by is None or (window.length is not None and length is None):
        return stream
    _warn(window, bool(by), context)
    return RowsWindow(stream, rows, by, slide, length, clock(stream))


def session_window(
    stream: Operator, window: nodes.SessionWindow, scope: Scope, context: Context
) -> Operator:
    """The stream in sessions; the stream itself where the window is wrong."""
    by = _by(window.by, scope, window.span, context)
    gap = units(window.gap, clock(stream), context.findings, "SESSION of a window", code="RF3101")
    if by is None or gap is None:
        return stream
    return SessionWindow(stream, gap, by, clock(stream))


def _by(
    columns: tuple[exp.Expression, ...], scope: Scope, around: Span, context: Context
) -> tuple[Expr, ...] | None:
    """The columns by which a window is divided; None where one of them is wrong."""
    if scope.open:
        return None
    known = len(context.findings.errors)
    resolver = Resolver(scope, context.findings, "a window", False, around)
    typer = Typer(scope.types, context.findings, around)
    found = []
    for column in columns:
        resolved = resolver(column)
        type_ = typer(resolved)
        if type_.name in {"MAP", "VARIANT"}:
            message = f"a window cannot be divided by a {type_}"
            context.findings.error("RF2109", message, span_of(column, around))
        found.append(text(resolved, type_))
    return tuple(dict.fromkeys(found)) if len(context.findings.errors) == known else None


def _is_number(number: int, word: str, span: Span, context: Context) -> bool:
    place = context.word(f"{word} {number}", span)
    if number < 1:
        wanted = "a whole number greater than zero"
        context.findings.error("RF3101", f"{word} of a window is zero", place, wanted)
    elif number > _MOST_ROWS:
        context.findings.error(
            "RF3011",
            f"{word} of a window is more rows than can be counted",
            place,
            f"at most {_MOST_ROWS}",
            "write [UNBOUNDED] for a window without end" if word == "ROWS" else "",
        )
    return 1 <= number <= _MOST_ROWS


def _warn(window: nodes.RowsWindow, divided: bool, context: Context) -> None:
    rows, slide = window.rows, window.slide
    if slide is not None and slide > rows:
        context.findings.warning(
            "RF3105",
            f"SLIDE is longer than ROWS: rows between the windows are in none ({rows} of every"
            f" {slide} are read)",
            context.word(f"SLIDE {slide}", window.span),
        )
    if divided and window.length is None and not context.settings.unbounded_state:
        context.findings.warning(
            "RF3302",
            "PARTITION BY keeps the last rows of every value for ever: its state grows with the"
            " number of values",
            context.word("PARTITION BY", window.span),
            "let rows leave by time as well: `[PARTITION BY … ROWS n RANGE t]`",
        )
