"""Pairs of columns that must be equal, as classes: which pairs a join has to compare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .schema import UNKNOWN


class Equalities:
    """The equalities of a chain of joins, handed out as the joins are put together."""

    def __init__(self, equal: Iterable[tuple[str, str]], types: Mapping[str, str]) -> None:
        pairs = list(dict.fromkeys(equal))
        # Columns of different types are compared after a cast: that is no equivalence.
        self._alone = [(a, b) for a, b in pairs if types[a] != types[b] or types[a] == UNKNOWN]
        self._classes = _classes(pair for pair in pairs if pair not in self._alone)
        self._joined = _Groups()

    def between(self, left: Sequence[str], right: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """The pairs (left, right) for the join of these columns; each equality is told once."""
        found: list[tuple[str, str]] = []
        for members in self._classes:
            ours = [column for column in left if column in members]
            theirs = [column for column in right if column in members]
            for a in ours:
                found += [(a, b) for b in theirs if self._joined.unite(a, b)]
        for a, b in self._alone:
            if a in left and b in right:
                found.append((a, b))
            elif b in left and a in right:
                found.append((b, a))
        return tuple(found)


class _Groups:
    """Groups of columns known to be equal by now."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def root(self, column: str) -> str:
        while column in self._parent:
            column = self._parent[column]
        return column

    def unite(self, a: str, b: str) -> bool:
        """Whether the two were not known to be equal."""
        first, second = self.root(a), self.root(b)
        if first == second:
            return False
        self._parent[second] = first
        return True


def _classes(pairs: Iterable[tuple[str, str]]) -> list[frozenset[str]]:
    groups = _Groups()
    columns: dict[str, None] = {}
    for a, b in pairs:
        groups.unite(a, b)
        columns |= {a: None, b: None}
    members: dict[str, list[str]] = {}
    for column in columns:
        members.setdefault(groups.root(column), []).append(column)
    return [frozenset(found) for found in members.values()]
