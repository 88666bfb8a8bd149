"""Tree to statements, and the way there from the text."""

from __future__ import annotations

from reflow.grammar.diagnostic import CqlError, Diagnostic
from reflow.grammar.parser import Parsed, parse_what_can_be
from reflow.grammar.source import Source

from .nodes import Script, Statement
from .statements import Statements
from .unreadable import unreadable


def read(source: Source) -> Script:
    """The statements of a text. Raises CqlError with all its syntax errors."""
    script = read_what_can_be(source)
    if script.mistakes:
        raise CqlError(source, list(script.mistakes))
    return script


def read_what_can_be(source: Source) -> Script:
    """The statements of a text; those with a mistake in them are Unreadable."""
    return build(source, parse_what_can_be(source))


def build(source: Source, parsed: Parsed) -> Script:
    """The statements of a tree, with what the parser and the builder refused."""
    fold = Statements(source)
    try:
        script: Script = fold.build(parsed.tree)
    except CqlError as error:
        # Too deep to go on: what is known of the file are its mistakes.
        return Script(mistakes=(*parsed.mistakes, *error.diagnostics))
    statements = [_checked(s, fold.diagnostics, source) for s in script.statements]
    statements += [
        unreadable(source, span)
        for span in parsed.skipped
        if not source.text[span.start : span.end].isspace()
    ]
    statements.sort(key=lambda statement: statement.span.start)
    return Script(tuple(statements), (*parsed.mistakes, *fold.diagnostics))


def _checked(statement: Statement, mistakes: list[Diagnostic], source: Source) -> Statement:
    """The statement, if none of the mistakes lies in it."""
    span = statement.span
    wrong = any(span.start <= mistake.span.start <= span.end for mistake in mistakes)
    return unreadable(source, span) if wrong else statement
