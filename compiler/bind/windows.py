"""Windows of FROM: each put onto its stream.

In: a stream and what stands in the brackets. Out: the stream seen through the window; what is wrong
is recorded. Windows by rows and sessions are bound in `row_windows`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span

from ..plan.operators import Operator, Window
from .catalog import BROKEN, Context
from .lengths import DAY, units
from .row_windows import rows_window, session_window
from .scope import Scope
from .shape import as_relation, clock, is_of_elements, is_stream, with_window


def windowed(
    operator: Operator, window: nodes.Window | None, name: str, scope: Scope, context: Context
) -> Operator:
    """The stream seen through its window; without one a stream is [UNBOUNDED]. `scope`: its columns
    as the window may name them.

    A wrong window is recorded and left out.
    """
    if window is None or operator is BROKEN:
        return as_relation(operator)
    if is_of_elements(operator):
        _of_elements(name, window.span, context)
        return operator
    if not is_stream(operator):
        _not_a_stream(name, window.span, context)
        return operator
    match window:
        case nodes.RowsWindow():
            return rows_window(operator, window, scope, context)
        case nodes.SessionWindow():
            return session_window(operator, window, scope, context)
    bound = _bind(window, clock(operator), context)
    # A window that is wrong was written all the same: no further error is due to its absence.
    return with_window(operator, bound or Window(BROKEN, "unbounded"))


def _of_elements(name: str, span: Span, context: Context) -> None:
    context.findings.error(
        "RF3104",
        f"{name} is a stream of elements, which say how long its rows are valid: it has no window",
        span,
        hint="ISTREAM (SELECT * FROM …) is a stream again: put the window on that",
    )


def _not_a_stream(name: str, span: Span, context: Context) -> None:
    context.findings.error(
        "RF3104",
        f"{name} is not a stream, so it has no window",
        span,
        "a window after a stream, a view that only filters and projects one, or ISTREAM (…)",
        "put the window on the streams inside it",
    )


def _bind(
    window: nodes.RangeWindow
    | nodes.TumbleWindow
    | nodes.NowWindow
    | nodes.UnboundedWindow
    | nodes.BeginEnd,
    timestamps: bool,
    context: Context,
) -> Window | None:
    match window:
        case nodes.RangeWindow():
            return _range(window.length, window.slide, timestamps, context)
        case nodes.TumbleWindow():
            return _range(window.length, window.length, timestamps, context, "TUMBLE")
        case nodes.NowWindow():
            return Window(BROKEN, "now")
        case nodes.UnboundedWindow():
            return Window(BROKEN, "unbounded")
        case nodes.BeginEnd():
            context.findings.not_yet("RF9013", "BEGIN … END", window.span)
            return None
    assert_never(window)


def _range(
    length: nodes.Length,
    slide: nodes.Length | None,
    timestamps: bool,
    context: Context,
    word: str = "RANGE",
) -> Window | None:
    findings = context.findings
    size = units(length, timestamps, findings, f"{word} of a window", code="RF3101")
    if slide is None:
        return None if size is None else Window(BROKEN, "range", size)
    step = size
    if slide is not length:
        step = units(slide, timestamps, findings, "SLIDE of a window", code="RF3101")
    if size is None or step is None:
        return None
    if step > size:
        findings.warning(
            "RF3105",
            f"SLIDE is longer than RANGE: rows between the windows are in none ({length.text} of "
            f"every {slide.text} are read)",
            slide.span,
        )
    return replace(Window(BROKEN, "range", size, step), zone=_zone(step, timestamps, context))


def _zone(step: int, timestamps: bool, context: Context) -> str | None:
    """Slides of whole days begin at midnight of the file's time zone."""
    return context.settings.timezone if timestamps and step % DAY == 0 else None
