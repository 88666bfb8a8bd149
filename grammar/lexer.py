"""The lexer: words by one table, and what else there is by the terminals that the parser accepts.

It reads what Lark's contextual lexer reads: a keyword that is not reserved is one only where the
parser can use it. Lark's compiles a regular expression for every set of words that can follow, and
that took a fourth of `reflow explain`; here a word is read whole and looked up.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from lark import Token, UnexpectedCharacters, UnexpectedToken
from lark.common import LexerConf
from lark.lexer import Lexer, LexerState, TerminalDef

from .words import RESERVED, UNITS

_WORD = re.compile(r"[^\W\d]\w*")
_END = "<END-OF-FILE>"


class CqlLexer(Lexer):
    """Reads words and symbols for Lark's parser; raises what Lark's contextual lexer raises."""

    __future_interface__ = 2

    def __init__(self, conf: LexerConf) -> None:
        self._terminals = {terminal.name: terminal for terminal in conf.terminals}
        self._ignored = frozenset(conf.ignore)
        words = [t.name for t in conf.terminals if t.pattern.value == _pattern_of(t.name)]
        self._words = {word: word for word in words} | dict.fromkeys(UNITS, "UNIT")
        self._others = _in_order(conf.terminals, {*words, "UNIT", "NAME"})
        self._compiled: dict[str, re.Pattern[str]] = {}

    def lex(self, lexer_state: LexerState, parser_state: Any) -> Iterator[Token]:
        """The tokens of a text, each as the state of the parser after the one before asks for."""
        states = parser_state.parse_conf.parse_table.states
        while (start := self._after_what_is_ignored(lexer_state)) < lexer_state.text.end:
            accepted = states[parser_state.position]
            token = self._token(lexer_state, start, accepted)
            if token is None:
                raise self._unexpected(lexer_state, start, accepted, parser_state)
            lexer_state.last_token = token
            yield token

    def _after_what_is_ignored(self, state: LexerState) -> int:
        """Moves behind blanks and comments; where the next token begins."""
        while any(self._passed(state, name) for name in self._ignored):
            pass
        return state.line_ctr.char_pos

    def _passed(self, state: LexerState, name: str) -> bool:
        found = self._match(state, name, state.line_ctr.char_pos)
        if found:
            state.line_ctr.feed(found)
        return bool(found)

    def _token(self, state: LexerState, start: int, accepted: Collection[str]) -> Token | None:
        """The next token, if the parser accepts one that the text goes on with."""
        kind, value = self._word(state, start, accepted) or self._other(state, start, accepted)
        if not value:
            return None
        line = state.line_ctr
        token = Token(kind, value, line.char_pos, line.line, line.column)
        line.feed(value)
        token.end_line, token.end_column, token.end_pos = line.line, line.column, line.char_pos
        return token

    def _word(
        self, state: LexerState, start: int, accepted: Collection[str]
    ) -> tuple[str, str] | None:
        """A keyword where it is accepted, and otherwise a name, unless the word is reserved."""
        found = _WORD.match(state.text.text, start, state.text.end)
        if found is None:
            return None
        value = found.group()
        # Keywords are of ASCII letters: a dotless i is no I.
        upper = value.upper() if value.isascii() else value
        kind = self._words.get(upper)
        if kind is not None and kind in accepted:
            return kind, value
        return ("NAME", value) if "NAME" in accepted and upper not in RESERVED else None

    def _other(self, state: LexerState, start: int, accepted: Collection[str]) -> tuple[str, str]:
        for name in self._others:
            if name in accepted and (value := self._match(state, name, start)):
                return name, value
        return "", ""

    def _match(self, state: LexerState, name: str, start: int) -> str:
        pattern = self._compiled.get(name)
        if pattern is None:
            pattern = re.compile(self._terminals[name].pattern.to_regexp())
            self._compiled[name] = pattern
        found = pattern.match(state.text.text, start, state.text.end)
        return found.group() if found else ""

    def _unexpected(
        self, state: LexerState, start: int, accepted: Collection[str], parser: Any
    ) -> UnexpectedCharacters | UnexpectedToken:
        """A token that does not belong here, or characters that belong nowhere."""
        before, line = state.last_token, state.line_ctr
        allowed = {name for name in accepted if name in self._terminals} - self._ignored or {_END}
        place = (start, line.line, line.column)
        token = self._token(state, start, self._terminals)
        if token is not None:
            return UnexpectedToken(  # type: ignore[no-untyped-call]
                token, allowed, parser, token_history=[before], terminals_by_name=self._terminals
            )
        return UnexpectedCharacters(  # type: ignore[no-untyped-call]
            *(state.text.text, *place),
            allowed=allowed,
            token_history=before and [before],
            state=parser,
            terminals_by_name=self._terminals,
        )


def _pattern_of(word: str) -> str:
    """The pattern of a keyword in `lexical.lark`."""
    return f"(?ai:{word.lower()})\\b"


def _in_order(terminals: Collection[TerminalDef], words: Collection[str]) -> list[str]:
    """The terminals that are no words, in the order in which Lark's lexer tries them."""
    others = [terminal for terminal in terminals if terminal.name not in words]
    others.sort(key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name))
    return [terminal.name for terminal in others]
