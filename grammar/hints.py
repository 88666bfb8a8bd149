"""Advice for syntax errors that are no known mistake: what may be meant."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache

from .cache import parser
from .scan import pieces
from .situation import Situation
from .words import RESERVED


def hint_for(situation: Situation) -> str:
    """The first advice that fits, or nothing."""
    hints = (hint(situation) for hint in _HINTS)
    return next((text for text in hints if text), "")


def shown(situation: Situation) -> str:
    """The token for a message: reserved words and symbols as they are read, the rest as written."""
    if situation.kind == "$END":
        return "the end of the text"
    if situation.kind in RESERVED:
        return situation.kind
    text = situation.text
    if situation.kind in {"STRING", "QUOTED_NAME"}:
        return text if len(text) <= 40 else f"{text[:36]}…{text[-1]}"
    return f"`{text}`"


def _glued(situation: Situation) -> str:
    """`BYa`, `ROWS5`: a keyword that runs into what follows."""
    for word in sorted(situation.accepts, key=len, reverse=True):
        rest = situation.text[len(word) :]
        glued = word.isalpha() and situation.upper.startswith(word) and rest
        if glued and (word == "BY" or rest.isdigit()):
            return f"a space is missing: {word} {rest}"
    return ""


def _misspelt(situation: Situation) -> str:
    """A word that resembles a keyword which could stand here, or in the place before."""
    wanted = sorted(kind for kind in situation.accepts if kind.isalpha() and len(kind) > 2)
    wanted = [kind for kind in wanted if kind not in symbols()]
    candidates = [situation.text] if situation.kind == "NAME" else []
    candidates += [piece.text for piece in situation.before[:-3:-1] if piece.kind == "word"]
    for text in candidates:
        near = get_close_matches(text.upper(), wanted, 1, cutoff=0.75)
        if near and text.upper() != near[0] and text.upper() not in RESERVED:
            return f"did you mean {near[0]} instead of `{text}`?"
    return ""


def _quotes_needed(situation: Situation) -> str:
    """A reserved word where a name could stand, or ORDER and GROUP without BY behind them."""
    kind, text = situation.kind, situation.text
    if situation.accepts == {"BY"} and situation.last is not None:
        kind, text = situation.last.upper, situation.last.text
    elif kind in {"FROM", "AS"} or not situation.accept("NAME"):
        return ""
    return (
        f'{kind} is a reserved word; as a name it is quoted: "{text}"' if kind in RESERVED else ""
    )


def _quote_inside(situation: Situation) -> str:
    """A word that touches the end of a string."""
    last = situation.last
    if last is None or last.kind != "string" or last.span.end != situation.span.start:
        return ""
    return "a quote inside a string is doubled: 'it''s'"


def _comma_missing(situation: Situation) -> str:
    starts = {"NAME", "QUOTED_NAME", "NUMBER", "STRING", "CASE", "CAST", "LPAR"}
    if situation.accept("COMMA") and situation.kind in starts:
        return f"a comma may be missing before {shown(situation)}"
    return ""


def _bracket_open(situation: Situation) -> str:
    if situation.open and situation.accepts & {"RPAR", "RSQB"} and not _closed(situation):
        bracket = situation.open[-1]
        line, column = situation.source.position(bracket.span.start)
        return f"the bracket `{bracket.text}` at {line}:{column} is not closed"
    return ""


def _closed(situation: Situation) -> bool:
    """Whether the innermost bracket is closed before the statement ends."""
    depth = len(situation.open)
    for piece in pieces(situation.source.text, situation.span.start):
        if piece.text == ";":
            return False
        depth += (piece.text in {"(", "["}) - (piece.text in {")", "]"})
        if depth < len(situation.open):
            return True
    return False


def _long_string(situation: Situation) -> str:
    """A quote too many or too few makes strings of what lies between others."""
    strings = [piece for piece in situation.before if piece.kind == "string" and "\n" in piece.text]
    if not strings:
        return ""
    line, column = situation.source.position(strings[-1].span.start)
    return f"the string at {line}:{column} runs over several lines; is a quote missing?"


_HINTS = (
    _glued,
    _long_string,
    _quote_inside,
    _misspelt,
    _quotes_needed,
    _comma_missing,
    _bracket_open,
)


@cache
def symbols() -> dict[str, str]:
    """The spelling of every terminal that is no word."""
    found = {}
    for terminal in parser().terminals:
        spelling = terminal.pattern.value
        if not re.match(r"[\w(\[]", spelling) or len(spelling) == 1:
            found[terminal.name] = spelling
    found["SLASH"] = "/"
    return {name: text for name, text in found.items() if len(text) <= 3}
