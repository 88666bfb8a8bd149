"""Source text to parse tree. Syntax errors of several statements are reported together."""

from __future__ import annotations

from lark import Token, Tree, UnexpectedInput

from .cache import parser
from .diagnose import diagnosis
from .diagnostic import CqlError, Diagnostic
from .scan import after_semicolon
from .source import Source

_MOST_ERRORS = 20


def parse(source: Source) -> Tree[Token]:
    """The tree of the whole text; node names are the rules of `cql.lark`.

    Raises CqlError with one diagnostic for each statement that is not CQL.
    """
    try:
        return parser().parse(source.text)
    except UnexpectedInput as error:
        raise CqlError(source, _all_errors(source, error)) from None


def _all_errors(source: Source, first: UnexpectedInput) -> list[Diagnostic]:
    """The first error, and those of the statements behind it."""
    found: list[Diagnostic] = []
    start, error = 0, first
    while len(found) < _MOST_ERRORS:
        diagnostic, resume = diagnosis(source, start, error)
        found.append(diagnostic)
        behind = after_semicolon(source.text, diagnostic.span.start) if resume is None else resume
        if behind is None or behind <= start or behind >= len(source.text):
            break
        following = _next_error(source, behind)
        if following is None:
            break
        start, error = behind, following
    return found


def _next_error(source: Source, start: int) -> UnexpectedInput | None:
    try:
        # Blanks in front keep the offsets.
        parser().parse(" " * start + source.text[start:])
    except UnexpectedInput as error:
        return error
    return None
