"""Text to words: the tokens of the parser's own lexer, each with the comments around it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from lark import Token, Tree

from ..cache import parser
from ..value import value

_COMMENT = re.compile(r"--[^\n]*|/\*[\s\S]*?\*/")


@value
class Word:
    """A token and its comments.

    `own` are comments on lines of their own before it, `leading` those before it on its line,
    `trailing` those behind it on its line. `blanks` says for each of `own`, and last for the word,
    whether an empty line stands before.
    """

    token: Token
    own: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    trailing: tuple[str, ...] = ()
    blanks: tuple[bool, ...] = (False,)

    @property
    def text(self) -> str:
        """The token as it was written."""
        return str(self.token)


class Read(NamedTuple):
    """The words of a text, an empty last one that carries the comments of the end, and the tree."""

    words: list[Word]
    tree: Tree[Token]


def read_words(text: str) -> Read:
    """Cuts a text that parses; raises lark's UnexpectedInput for one that does not."""
    interactive = parser().parse_interactive(text)
    tokens = list(interactive.iter_parse())
    tree: Tree[Token] = interactive.feed_eof(tokens[-1] if tokens else None)  # type: ignore[no-untyped-call]
    words: list[Word] = []
    end = 0
    for token in [*tokens, Token("$END", "", len(text))]:
        start = token.start_pos or 0
        trailing, word = _gap(text[end:start], token, bool(words))
        if trailing:
            words[-1] = replace(words[-1], trailing=trailing)
        words.append(word)
        end = start + len(token)
    return Read(_behind_commas(words), tree)


def comments(text: str, words: list[Word]) -> list[str]:
    """Every comment of the text in order, without blanks at the ends of its lines."""
    found: list[str] = []
    end = 0
    for word in words:
        start = word.token.start_pos or 0
        found += [_tidy(match[0]) for match in _COMMENT.finditer(text[end:start])]
        end = start + len(word.token)
    return found


def _tidy(comment: str) -> str:
    return comment.rstrip() if comment.startswith("--") else comment.replace("\r\n", "\n")


def _gap(gap: str, token: Token, has_left: bool) -> tuple[tuple[str, ...], Word]:
    """The comments between two tokens: those that trail the left one, and the right word."""
    matches = list(_COMMENT.finditer(gap))
    ends = [0, *(match.end() for match in matches)]
    starts = [*(match.start() for match in matches), len(gap)]
    spaces = [gap[end:start] for end, start in zip(ends, starts, strict=True)]
    first_leading = len(matches)
    while first_leading and _leads(matches[first_leading - 1][0], spaces[first_leading], token):
        first_leading -= 1
    trailing: list[str] = []
    own: list[str] = []
    blanks: list[bool] = []
    for match, space in zip(matches[:first_leading], spaces, strict=False):
        text = _tidy(match[0])
        if "\n" not in space and own:
            own[-1] += "  " + text
        elif "\n" not in space and has_left:
            trailing.append(text)
        else:
            own.append(text)
            blanks.append(space.count("\n") > 1)
    blanks.append(spaces[first_leading].count("\n") > 1)
    leading = tuple(_tidy(match[0]) for match in matches[first_leading:])
    return tuple(trailing), Word(token, tuple(own), leading, (), tuple(blanks))


def _leads(comment: str, space: str, token: Token) -> bool:
    return bool(token) and comment.startswith("/*") and "\n" not in space


def _behind_commas(words: list[Word]) -> list[Word]:
    """Comments between a word and its `,` or `;` go behind it, where the line ends."""
    for i in range(len(words) - 1):
        left, right = words[i], words[i + 1]
        if right.text == ";":
            _attach(words, i)
        elif right.text == "," and left.trailing and not (right.own or right.trailing):
            words[i] = replace(left, trailing=())
            words[i + 1] = replace(right, trailing=left.trailing)
    return words


def _attach(words: list[Word], i: int) -> None:
    """Nothing stands between a statement and its `;`: what did follows it in the same order."""
    left, mark, following = words[i : i + 3]
    own, blanks = mark.own, mark.blanks[:-1]
    behind = mark.trailing
    if own or left.trailing:
        own += behind
        blanks += (False,) * len(behind)
        behind = left.trailing
    words[i] = replace(left, trailing=())
    words[i + 1] = replace(mark, own=(), blanks=(False,), trailing=behind)
    own, blanks = own + following.own, blanks + following.blanks
    words[i + 2] = replace(following, own=own, blanks=blanks)
