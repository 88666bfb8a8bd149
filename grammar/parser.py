"""Source text to parse tree. Syntax errors of several statements are reported together."""

from __future__ import annotations

from lark import Token, Tree, UnexpectedInput

from .cache import parser
from .diagnose import diagnosis
from .diagnostic import CqlError, Diagnostic
from .scan import after_semicolon, statement_before
from .source import Source, Span
from .value import value

_MOST_ERRORS = 20


@value
class Parsed:
    """The tree of the statements that are CQL; what is wrong with the others, and where they are.

    Node names are the rules of `cql.lark`.
    """

    tree: Tree[Token]
    mistakes: tuple[Diagnostic, ...] = ()
    skipped: tuple[Span, ...] = ()


def parse(source: Source) -> Tree[Token]:
    """The tree of the whole text.

    Raises CqlError with one diagnostic for each statement that is not CQL.
    """
    parsed = parse_what_can_be(source)
    if parsed.mistakes:
        raise CqlError(source, list(parsed.mistakes))
    return parsed.tree


def parse_what_can_be(source: Source) -> Parsed:
    """The tree of the text without the statements that are not CQL; one mistake for each of
    them."""
    try:
        return Parsed(parser().parse(source.text))
    except UnexpectedInput as error:
        mistakes, skipped = _all_errors(source, error)
    return Parsed(_rest(source, skipped), tuple(mistakes), tuple(skipped))


def _rest(source: Source, skipped: list[Span]) -> Tree[Token]:
    """The tree of what is left. Blanks in place of the statements keep the offsets."""
    text = source.text
    for span in skipped:
        # The `;` of a statement that has none takes the place of the blank behind it.
        instead = ";" if source.text[span.start : span.end].isspace() else " "
        text = text[: span.start] + instead * (span.end - span.start) + text[span.end :]
    try:
        return parser().parse(text)
    except UnexpectedInput:
        # What is left of a statement without its end or beginning: its mistake is known.
        return parser().parse("")


def _all_errors(source: Source, first: UnexpectedInput) -> tuple[list[Diagnostic], list[Span]]:
    """The first error and those of the statements behind it, and what to leave out for each."""
    found: list[Diagnostic] = []
    skipped: list[Span] = []
    start, error = 0, first
    while True:
        diagnostic, resume = diagnosis(source, start, error)
        found.append(diagnostic)
        behind = after_semicolon(source.text, diagnostic.span.start) if resume is None else resume
        begin = _beginning(source, start, diagnostic, resume)
        going_on = behind is not None and start < behind < len(source.text)
        full = len(found) == _MOST_ERRORS
        end = behind if behind is not None and going_on and not full else len(source.text)
        skipped.append(Span(begin, end))
        following = _next_error(source, end) if end < len(source.text) else None
        if following is None:
            return found, skipped
        start, error = end, following


def _beginning(source: Source, start: int, diagnostic: Diagnostic, resume: int | None) -> int:
    """From where on a statement is left out: from its first word.

    Where only its `;` is missing nothing is but the blank in its place.
    """
    at = diagnostic.span.start
    if resume == at and source.text[at - 1 : at].isspace():
        return at - 1
    begun = statement_before(source.text, start, at)
    return begun[0].span.start if begun else at


def _next_error(source: Source, start: int) -> UnexpectedInput | None:
    try:
        # Blanks in front keep the offsets.
        parser().parse(" " * start + source.text[start:])
    except UnexpectedInput as error:
        return error
    return None
