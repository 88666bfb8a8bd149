"""Groups to lines: a group breaks if it does not fit on the line, or a comment ends one in it."""

from __future__ import annotations

from collections import defaultdict

from .groups import STEP, Group
from .roles import TIGHT, Roles
from .words import Word

WIDTH = 100


class Layout:
    """Writes statements, ranges of the words of one text."""

    def __init__(self, words: list[Word], groups: list[Group], roles: Roles) -> None:
        self._words = words
        self._roles = roles
        self._ends_line = [self._ended(i) for i in range(len(words))]
        _force(groups, self._ends_line)
        self._groups: defaultdict[int, list[Group]] = defaultdict(list)
        for group in sorted(groups, key=lambda group: -group.last):
            self._groups[group.first].append(group)
        self._possible = {word for group in groups for word in group.breaks}

    def _ended(self, word: int) -> bool:
        """Whether comments before this word force it onto a line of its own."""
        return bool(self._words[word].own or (word and self._words[word - 1].trailing))

    def statement(self, first: int, last: int) -> list[str]:
        """The lines of words `first` to `last`, without the own-line comments before them."""
        return _Writing(self, first, last).lines()

    def shown(self, word: int) -> str:
        """A word with the comments that stand before it on its line."""
        item = self._words[word]
        text = self._roles.shown(item.token)
        blank = "" if text in TIGHT else " "
        return " ".join(item.leading) + blank * bool(item.leading) + text

    def gap(self, word: int) -> str:
        """What separates a word from the one before it on a line."""
        item = self._words[word]
        if item.leading:
            return " "
        return self._roles.gap(self._words[word - 1].token, item.token)

    def own(self, word: int) -> tuple[str, ...]:
        """The comments on lines before a word."""
        return self._words[word].own

    def trailing(self, word: int) -> tuple[str, ...]:
        """The comments behind a word."""
        return self._words[word].trailing

    def ends_line(self, word: int) -> bool:
        """Whether a comment ends the line before a word."""
        return self._ends_line[word]

    def starting(self, word: int) -> list[Group]:
        """The groups that begin with a word, the widest first."""
        return self._groups[word]

    def width(self, group: Group, last: int) -> int:
        """The width of a group on one line, with what cannot be parted from it; beyond the width
        of a line it is not counted to its end."""
        width = len(self.shown(group.first))
        for word in range(group.first + 1, last + 1):
            behind = word > group.last
            if behind and (word in self._possible or self._ends_line[word]):
                break
            width += len(self.gap(word) + self.shown(word))
            if width > WIDTH:
                break
        return width


def _force(groups: list[Group], ends_line: list[bool]) -> None:
    """A group that holds the end of a line, or a group that does, is broken."""
    around: list[Group] = []
    for group in sorted(groups, key=lambda group: (group.first, -group.last)):
        group.forced |= any(ends_line[group.first + 1 : group.last + 1])
        while around and around[-1].last < group.first:
            around.pop()
        around.append(group)
        if group.forced:
            for outer in around:
                outer.forced = True


class _Writing:
    """One statement while it is written."""

    def __init__(self, layout: Layout, first: int, last: int) -> None:
        self._layout = layout
        self._first, self._last = first, last
        self._lines: list[str] = []
        self._line = ""
        self._indent = 0
        self._continued = False
        self._breaks: dict[int, int] = {}
        self._flat_to = -1

    def lines(self) -> list[str]:
        for word in range(self._first, self._last + 1):
            gap = self._begin(word)
            self._decide(word, len(gap))
            self._line += gap + self._layout.shown(word)
            for comment in self._layout.trailing(word):
                self._line += "  " + comment
        return [*self._lines, self._line]

    def _begin(self, word: int) -> str:
        """Ends the line if this word begins one; the blank before it otherwise."""
        if word == self._first:
            return ""
        indent = self._breaks.get(word)
        if indent is None and not self._layout.ends_line(word):
            return self._layout.gap(word)
        self._comments(word, indent)
        if indent is None:
            self._continue()
        else:
            self._new_line(indent)
            self._continued = False
        return ""

    def _comments(self, word: int, indent: int | None) -> None:
        for comment in self._layout.own(word):
            if indent is None:
                self._continue()
            else:
                closes = self._layout.shown(word).endswith(")")
                self._new_line(indent + STEP if closes else indent)
            self._line += comment

    def _continue(self) -> None:
        """A line that no group asked for: one step in from the line it goes on with."""
        self._new_line(self._indent if self._continued else self._indent + STEP)
        self._continued = True

    def _new_line(self, indent: int) -> None:
        self._lines.append(self._line)
        self._line = " " * indent
        self._indent = indent

    def _decide(self, word: int, gap: int) -> None:
        """Breaks the groups that begin here, from the widest on, until one fits."""
        for group in self._layout.starting(word):
            if group.last <= self._flat_to:
                return
            column = len(self._line) - self._line.rfind("\n") - 1 + gap
            fits = column + self._layout.width(group, self._last) <= WIDTH
            if fits and not group.forced:
                self._flat_to = group.last
                return
            for place, indent in group.breaks.items():
                self._breaks[place] = self._indent + indent
