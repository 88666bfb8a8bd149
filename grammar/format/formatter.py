"""Source to formatted text, and the check that both say the same."""

from __future__ import annotations

from lark import UnexpectedInput

from ..parser import parse
from ..source import Source
from .groups import Groups
from .layout import Layout
from .roles import Roles, roles_of
from .words import Read, Word, comments, read_words


class ChangedMeaning(RuntimeError):
    """The formatter would have changed more than blanks and the case of keywords: our bug."""


def format_source(source: Source) -> str:
    """The text in house style, lines ended by a line feed, without a byte order mark.

    Raises CqlError if it does not parse, ChangedMeaning if the result would say something else.
    """
    parse(source)
    read = read_words(source.text)
    roles = roles_of(read.tree, read.words)
    layout = Layout(read.words, Groups(read.tree, read.words).all, roles)
    text = _script(read.words, layout)
    _compare(source, read, roles, text)
    return text


def _script(words: list[Word], layout: Layout) -> str:
    """The statements, one empty line between them; where none stood between two statements of one
    line each, none is put there."""
    lines: list[str] = []
    short = True
    for first, last in _statements(words):
        head = words[first]
        statement = layout.statement(first, last) if first < len(words) - 1 else []
        was_short, short = short, len(statement) <= 1
        apart = not (was_short and short) and bool(statement) and not any(head.blanks)
        blanks = (True, *head.blanks[1:]) if apart else head.blanks
        for blank, comment in zip(blanks, head.own, strict=False):
            lines += [""] * (blank and bool(lines)) + [comment]
        if statement:
            lines += [""] * (blanks[-1] and bool(lines)) + statement
    return "".join(line + "\n" for line in lines)


def _statements(words: list[Word]) -> list[tuple[int, int]]:
    """First and last word of each statement, its `;` and those that follow at once included."""
    found: list[tuple[int, int]] = []
    first = 0
    for i, word in enumerate(words):
        following = words[i + 1].text if i + 1 < len(words) else ""
        last = i == len(words) - 1
        if last or i == len(words) - 2 or (word.text == ";" and following != ";"):
            found.append((first, i))
            first = i + 1
    return found


def _compare(source: Source, before: Read, roles: Roles, text: str) -> None:
    try:
        after = read_words(text)
    except UnexpectedInput as error:
        raise ChangedMeaning(f"{source.path}: formatted, it would not parse: {error}") from error
    if _essence(before, roles) != _essence(after, roles_of(after.tree, after.words)):
        raise ChangedMeaning(f"{source.path}: formatting would change its tokens")
    if comments(source.text, before.words) != comments(text, after.words):
        raise ChangedMeaning(f"{source.path}: formatting would change its comments")


def _essence(read: Read, roles: Roles) -> list[tuple[str, str]]:
    """Kind and text of each token, keywords in capitals."""
    return [(word.token.type, roles.shown(word.token)) for word in read.words]
