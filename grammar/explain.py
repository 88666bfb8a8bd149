"""From a parser's exception to one diagnostic."""

from __future__ import annotations

from lark import UnexpectedInput

from .diagnostic import Diagnostic
from .source import Source, Span


def diagnosis(source: Source, start: int, error: UnexpectedInput) -> tuple[Diagnostic, int | None]:
    at = error.pos_in_stream or 0
    return Diagnostic("RF1001", str(error), Span(at, at + 1)), None
