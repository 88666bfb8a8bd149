"""From a parser's exception to one diagnostic, and to where the next statement begins."""

from __future__ import annotations

import unicodedata
from difflib import get_close_matches

from lark import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from .diagnostic import Diagnostic
from .expected import expected
from .foreign import BEGINNINGS, BEHIND_A_QUERY, OF_TESTS, foreign_pair, foreign_statement
from .hints import hint_for, shown, symbols
from .malformed import MISTAKES, Mistake
from .scan import Piece, pieces, statement_before
from .situation import Situation
from .source import Source, Span
from .words import NEEDS_AS

_UNCLOSED = {
    "'": ("this string is not closed", "strings end with ', and '' stands for one inside"),
    '"': ("this quoted name is not closed", 'it ends with ", and "" stands for one inside'),
    "`": ("this quoted name is not closed", "it ends with `, and `` stands for one inside"),
}
_STRAY = {
    "#": "comments begin with --",
    "“": "use the straight quotes ' and \"",
    "”": "use the straight quotes ' and \"",
    "‘": "use the straight quotes ' and \"",
    "’": "use the straight quotes ' and \"",
    "„": "use the straight quotes ' and \"",
    "{": "brackets are ( and [",
    "\\": "a backslash belongs in strings only",
}


def diagnosis(source: Source, start: int, error: UnexpectedInput) -> tuple[Diagnostic, int | None]:
    """What is wrong in the text from `start` on.

    With it the offset from which to go on, or None for the next `;`. Behind the end of the text
    nothing is left.
    """
    if isinstance(error, UnexpectedCharacters):
        return _bad_character(source, error.pos_in_stream or 0)
    assert isinstance(error, UnexpectedToken)
    situation = _situation(source, start, error)
    diagnostic = _foreign(situation) or _mistake(situation) or _plain(situation)
    # A new statement begins where a `;` is missing.
    resumes = diagnostic.message.startswith("a `;` is missing")
    return diagnostic, diagnostic.span.start if resumes else None


def _bad_character(source: Source, at: int) -> tuple[Diagnostic, int | None]:
    text = source.text
    end = len(text)
    if text.startswith("/*", at):
        hint = "it ends with */"
        return Diagnostic("RF1002", "this comment is not closed", Span(at, at + 2), hint=hint), end
    if text[at] in _UNCLOSED:
        message, hint = _UNCLOSED[text[at]]
        line_end = text.find("\n", at)
        span = Span(at, end if line_end < 0 else line_end)
        return Diagnostic("RF1002", message, span, hint=hint), end
    hint = _STRAY.get(text[at], "")
    if unicodedata.category(text[at]).startswith("M"):
        hint = "names with combining marks stand in double quotes"
    message = f"the character `{text[at]}` (U+{ord(text[at]):04X}) has no place here"
    return Diagnostic("RF1003", message, Span(at, at + 1), hint=hint), None


def _situation(source: Source, start: int, error: UnexpectedToken) -> Situation:
    token = error.token
    kind = str(token.type)
    at = len(source.text) if kind == "$END" else token.start_pos or 0
    before = statement_before(source.text, start, at)
    if kind == "$END":
        behind = before[-1].span.end if before else 0
        span = Span(behind, behind)
    else:
        span = Span(at, at + len(token))
    return Situation(source, kind, span, frozenset(error.accepts or ()), tuple(before))


# --- Syntax that belongs to another language -----------------------------------------------------


def _foreign(situation: Situation) -> Diagnostic | None:
    here = list(situation.before) + _here(situation)
    foreign = foreign_statement(here) or foreign_pair(here)
    if foreign is not None:
        return _not_ours(*foreign)
    by = len(here) > 1 and here[-1].upper == "BY"
    if situation.kind == "ORDER" and by and "SELECT" in situation.words:
        hint = "an answer is a set of rows that changes; it has no order"
        return Diagnostic("RF1006", "ORDER BY is not part of a query", situation.span, hint=hint)
    return _unknown_statement(situation, here)


def _here(situation: Situation) -> list[Piece]:
    """The token itself and the one behind it."""
    if situation.kind == "$END":
        return []
    found: list[Piece] = []
    for piece in pieces(situation.source.text, situation.span.start):
        found.append(piece)
        if len(found) == 2 or piece.text == ";":
            break
    return found


def _not_ours(piece: Piece, name: str, hint: str) -> Diagnostic:
    return Diagnostic("RF1006", f"{name} is not part of the language", piece.span, hint=hint)


def _unknown_statement(situation: Situation, here: list[Piece]) -> Diagnostic | None:
    """A first word that begins no statement: the parser took it for the name of a view."""
    if len(situation.before) > 1 or not here or here[0].kind != "word":
        return None
    if here[0].upper in BEGINNINGS:
        return None
    near = get_close_matches(here[0].upper, BEGINNINGS, 1)
    return Diagnostic(
        "RF1001",
        f"`{here[0].text}` begins no statement",
        here[0].span,
        expected="SELECT, CREATE, SET, ISTREAM, DSTREAM or RSTREAM",
        hint=f"did you mean {near[0]}?" if near else "",
    )


# --- Known mistakes ------------------------------------------------------------------------------


def _mistake(situation: Situation) -> Diagnostic | None:
    for mistake in MISTAKES:
        if mistake.when(situation):
            return _told(mistake, situation)
    return None


def _told(mistake: Mistake, situation: Situation) -> Diagnostic:
    last = situation.last
    words = {
        "text": shown(situation),
        "raw": situation.text,
        "last": last.text if last else "",
    }
    span = situation.span
    if mistake.at == "last" and last is not None:
        span = last.span
    elif mistake.at == "second last":
        span = situation.before[-2].span
    return Diagnostic(
        mistake.code, mistake.message.format(**words), span, hint=mistake.hint.format(**words)
    )


# --- Everything else -----------------------------------------------------------------------------


def _meant(situation: Situation) -> frozenset[str]:
    """What could stand there. The first word of a statement of tests is not meant as the name of a
    view (`test UNION b`), which it could be."""
    first = situation.last
    if len(situation.before) == 1 and first is not None and first.upper in OF_TESTS:
        return situation.accepts - BEHIND_A_QUERY
    return situation.accepts


def _plain(situation: Situation) -> Diagnostic:
    if situation.upper in NEEDS_AS and situation.accept("NAME", "AS"):
        message = f"`{situation.text}` needs AS to be an alias"
        hint = f'write AS {situation.text}, or quote it: "{situation.text}"'
        return Diagnostic("RF1010", message, situation.span, hint=hint)
    at_end = situation.kind == "$END"
    message = "the text ends too early" if at_end else f"{shown(situation)} has no place here"
    return Diagnostic(
        "RF1004" if at_end else "RF1001",
        message,
        situation.span,
        expected=expected(_meant(situation), symbols()),
        hint=hint_for(situation),
    )
