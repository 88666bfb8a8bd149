"""Where lines may break: groups of words, each broken at all of its places or at none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lark import Token, Tree

from ..value import value
from .words import Word

STEP = 4
_FROM = len("FROM ")

_QUERIES = frozenset(
    {"select", "set_operation", "bounded", "bracketed", "report_query", "named_query"}
)
_CLAUSES = frozenset({"from_tables", "where", "group_by", "having"})
_WITH_ROWS = frozenset(
    {"insert_rows", "delete_rows", "assert_answer", "assert_changes", "changed_rows"}
)
_QUERY_CLAUSES = frozenset({"revise", "emit", "every", "into"})
_CHAINS = (
    frozenset({"bitwise_or"}),
    frozenset({"bitwise_xor"}),
    frozenset({"bitwise_and"}),
    frozenset({"shift_left", "shift_right", "shift_right_unsigned"}),
    frozenset({"add", "sub", "concat"}),
    frozenset({"mul", "div", "mod", "int_div"}),
)
"""Operators of equal rank: `a + b - c` is one chain, broken at each of them or at none."""
_RANKS = {name: rank for rank, names in enumerate(_CHAINS) for name in names}


@dataclass
class Group:
    """Words `first` to `last`; `breaks` maps a word to the indent of the line it would begin,
    counted from the indent of the line on which the group begins."""

    first: int
    last: int
    breaks: dict[int, int] = field(default_factory=dict)
    forced: bool = False


@value
class _Level:
    """The group whose lines the clauses of a query are, and their indent in it."""

    group: Group
    indent: int

    def line(self, word: int) -> None:
        if word != self.group.first:
            self.group.breaks[word] = self.indent


class Groups:
    """The groups of a whole text, found by walking its tree once."""

    def __init__(self, tree: Tree[Token], words: list[Word]) -> None:
        self.all: list[Group] = []
        self._words = words
        self._at = {word.token.start_pos: i for i, word in enumerate(words)}
        self._pairs = _pairs(words)
        self._taken: set[int] = set()
        self._chained: set[int] = set()
        types = [node for node in tree.find_data("type") if not node.meta.empty]
        self._typed = {i for node in types for i in range(self._first(node), self._last(node))}
        for statement in tree.children:
            if isinstance(statement, Tree):
                self._statement(statement)
        for opening, closing in self._pairs.items():
            if opening not in self._taken and closing > opening + 2:
                self._list(self._group(opening, closing), opening)

    def _group(self, first: int, last: int, forced: bool = False) -> Group:
        group = Group(first, last, {}, forced)
        self.all.append(group)
        return group

    def _first(self, node: Tree[Token] | Token) -> int:
        return self._at[node.meta.start_pos if isinstance(node, Tree) else node.start_pos]

    def _last(self, node: Tree[Token] | Token) -> int:
        end = (node.meta.end_pos if isinstance(node, Tree) else node.end_pos) or 0
        word = self._first(node)
        while (self._words[word].token.start_pos or 0) + len(self._words[word].text) < end:
            word += 1
        return word

    def _list(self, group: Group, opening: int) -> None:
        """Brackets: one item a line, the closing one below the line of the opening one."""
        closing = self._pairs[opening]
        self._taken.add(opening)
        group.breaks |= {opening + 1: STEP, closing: 0}
        word = opening + 1
        while word < closing:
            if self._words[word].text == "," and word not in self._typed:
                group.breaks[word + 1] = STEP
            word = self._pairs.get(word, word) + 1

    def _statement(self, node: Tree[Token]) -> None:
        group = self._group(self._first(node), self._last(node))
        level = _Level(group, 0)
        if node.data == "create_source":
            self._source(node, level)
        elif node.data in _WITH_ROWS:
            self._given_rows(node, level)
        elif node.data in ("create_query", "create_view", "bare_query"):
            group.forced = any(True for _ in node.find_data("select"))
        self._children(node, level)

    def _source(self, node: Tree[Token], level: _Level) -> None:
        """A declaration breaks as a whole: each column and each clause on a line."""
        words = range(level.group.first, level.group.last)
        opening = next(word for word in words if word in self._pairs)
        self._list(level.group, opening)
        for child in node.children:
            if self._first(child) > self._pairs[opening]:
                level.line(self._first(child))

    def _given_rows(self, node: Tree[Token], level: _Level) -> None:
        """Rows of values stand one a line where they do not fit on one; so do the parts of
        ASSERT CHANGES."""
        for part in node.find_pred(lambda each: each.data in _WITH_ROWS):
            rows = [child for child in part.children if _is_row(child)]
            if part.data == "changed_rows":
                level.group.breaks[self._first(part)] = STEP
            if rows:
                group = self._group(self._first(part), self._last(rows[-1]))
                group.breaks |= {self._first(row): STEP for row in rows}

    def _children(self, node: Tree[Token], level: _Level) -> None:
        for child in node.children:
            if isinstance(child, Tree) and not child.meta.empty:
                self._lines(node, child, level)
                self._visit(child, level)

    def _lines(self, node: Tree[Token], child: Tree[Token], level: _Level) -> None:
        """Which parts of statements begin a line."""
        if node.data == "create_merge":
            if child.data in ("policy", "stable_lag", "feedback"):
                level.group.breaks[self._first(child)] = STEP
        elif child.data in _QUERY_CLAUSES or (
            node.data in ("create_query", "create_view") and child.data in _QUERIES
        ):
            level.line(self._first(child))

    def _visit(self, node: Tree[Token], level: _Level) -> None:
        before = self._first(node) - 1
        if node.data in _QUERIES and before in self._pairs and before not in self._taken:
            level = self._subquery(before, node)
        if node.data == "bracketed_join":
            level = self._brackets(self._first(node))
        match node.data:
            case "select":
                self._select(node, level)
            case "set_operation":
                level.line(self._first(node.children[1]))
                level.line(self._first(node.children[2]))
            case "bounded":
                level.line(self._first(node.children[1]))
            case "from_tables":
                self._from(node, level)
            case "join":
                self._join(node, level)
            case "and_" | "or_":
                self._operators(node)
            case operator if operator in _RANKS and id(node) not in self._chained:
                self._chain(node)
            case "case_":
                self._case(node)
            case "archive":
                group = self._group(self._first(node), self._last(node))
                group.breaks |= {self._first(part): STEP for part in node.children[1:]}
        self._children(node, level)

    def _brackets(self, opening: int) -> _Level:
        self._taken.add(opening)
        closing = self._pairs[opening]
        group = self._group(opening, closing)
        group.breaks |= {opening + 1: STEP, closing: 0}
        return _Level(group, STEP)

    def _subquery(self, opening: int, node: Tree[Token]) -> _Level:
        """A query in brackets; one that holds another is never written on one line."""
        level = self._brackets(opening)
        level.group.forced = sum(1 for _ in node.find_data("from_tables")) > 1
        return level

    def _select(self, node: Tree[Token], level: _Level) -> None:
        trees = [child for child in node.children if isinstance(child, Tree)]
        for clause in trees:
            if clause.data in _CLAUSES:
                level.line(self._first(clause))
            if clause.data == "group_by":
                self._items(clause, clause.children[2:])
        items = [child for child in trees if child.data == "item"]
        self._items(node, items)

    def _items(self, node: Tree[Token], items: Sequence[Tree[Token] | Token]) -> None:
        """A list without brackets: the word of its clause, then one item a line."""
        if len(items) > 1:
            group = self._group(self._first(node), self._last(items[-1]))
            group.breaks |= {self._first(item): STEP for item in items}

    def _from(self, node: Tree[Token], level: _Level) -> None:
        items = node.children[1:]
        rest = {self._first(item): _FROM for item in items[1:]}
        if any(isinstance(item, Tree) and item.data == "join" for item in items):
            level.group.breaks |= dict.fromkeys(rest, level.indent + _FROM)
        elif rest:
            self._group(self._first(node), self._last(node)).breaks |= rest

    def _join(self, node: Tree[Token], level: _Level) -> None:
        first = self._first(node.children[1])
        level.line(first)
        group = self._group(first, self._last(node))
        group.breaks[self._first(node.children[-1])] = STEP

    def _operators(self, node: Tree[Token]) -> None:
        words = [child for child in node.children if isinstance(child, Token)]
        self._before_each(node, [self._first(word) for word in words])

    def _chain(self, node: Tree[Token]) -> None:
        """Operators of one rank lean to the left: each tree is the first part of the next."""
        words: list[int] = []
        part: Tree[Token] | Token = node
        while isinstance(part, Tree) and _RANKS.get(part.data) == _RANKS[node.data]:
            self._chained.add(id(part))
            words.append(self._last(part.children[0]) + 1)
            part = part.children[0]
        self._before_each(node, words)

    def _before_each(self, node: Tree[Token], words: Sequence[int]) -> None:
        group = self._group(self._first(node), self._last(node))
        alone = self._pairs.get(group.first - 1) == group.last + 1  # brackets indent it already
        group.breaks |= dict.fromkeys(words, 0 if alone else STEP)

    def _case(self, node: Tree[Token]) -> None:
        group = self._group(self._first(node), self._last(node))
        for child in node.children:
            if isinstance(child, Tree) and child.data in ("when", "otherwise"):
                group.breaks[self._first(child)] = STEP
        group.breaks[group.last] = 0


def _is_row(node: Tree[Token] | Token) -> bool:
    return isinstance(node, Tree) and node.data == "row_of_values"


def _pairs(words: list[Word]) -> dict[int, int]:
    """Each opening round bracket with the closing one, in the order of the opening ones."""
    pairs: dict[int, int] = {}
    open_: list[int] = []
    for i, word in enumerate(words):
        if word.text == "(":
            open_.append(i)
        elif word.text == ")":
            pairs[open_.pop()] = i
    return dict(sorted(pairs.items()))
