"""What a name may mean in one SELECT: the tables of FROM and their columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from reflow.grammar.value import value

from .names import lookup
from .types import Type


@value
class Visible:
    """A column as a query sees it. `shown` is False for the right side of USING: only `b.x` finds
    it. `own` is False for what USING of an outer join shows in its place: only `x` finds it.
    """

    name: str
    internal: str
    type: Type
    shown: bool = True
    own: bool = True


@value
class Table:
    """One item of FROM. `open` when it could not be bound: then any column may be there."""

    alias: str
    columns: tuple[Visible, ...]
    open: bool = False

    def hiding(self, names: frozenset[str]) -> Table:
        """The table with these columns (casefolded names) found only by their full name."""
        columns = tuple(
            replace(c, shown=c.shown and c.name.casefold() not in names) for c in self.columns
        )
        return replace(self, columns=columns)


@value
class Found:
    """What a dotted name means: a column and the struct fields that follow it."""

    column: Visible
    fields: tuple[str, ...] = ()


@value
class Nothing:
    """Why a dotted name means nothing. `open`: nothing can be said, part of FROM is unknown."""

    reason: str  # unknown column | ambiguous case | ambiguous | unknown alias | open
    name: str
    known: tuple[str, ...] = ()


@value
class Scope:
    tables: tuple[Table, ...] = ()

    @property
    def types(self) -> Mapping[str, Type]:
        return {c.internal: c.type for table in self.tables for c in table.columns}

    @property
    def open(self) -> bool:
        return any(table.open for table in self.tables)

    def table(self, alias: str) -> Table | None:
        return lookup(alias, self.tables, lambda t: t.alias).only

    def find(self, parts: tuple[str, ...]) -> Found | Nothing:
        """As Spark does it: first `alias.column…`, then `column.field…`."""
        if len(parts) > 1:
            match = lookup(parts[0], self.tables, lambda t: t.alias)
            if match.only is not None:
                return self._in_table(match.only, parts)
            if match.found:
                # Two tables of one name: that is an error of its own.
                return Nothing("open", parts[0])
        found = self._anywhere(parts[0])
        if isinstance(found, Visible):
            return Found(found, parts[1:])
        if len(parts) > 1 and found.reason == "unknown column":
            return Nothing("unknown alias", parts[0], tuple(t.alias for t in self.tables))
        return found

    def _in_table(self, table: Table, parts: tuple[str, ...]) -> Found | Nothing:
        own = tuple(c for c in table.columns if c.own)
        match = lookup(parts[1], own, lambda c: c.name)
        if match.only is not None:
            return Found(match.only, parts[2:])
        if table.open:
            return Nothing("open", parts[1])
        if match.found:
            return _ambiguous(parts[1], tuple((table, c) for c in match.found))
        whole = self._anywhere(parts[0])
        if isinstance(whole, Visible):
            return Found(whole, parts[1:])
        return Nothing("unknown column", parts[1], tuple(c.name for c in own))

    def _anywhere(self, name: str) -> Visible | Nothing:
        pairs = [(t, c) for t in self.tables for c in t.columns if c.shown]
        match = lookup(name, pairs, lambda pair: pair[1].name)
        if match.only is not None:
            return match.only[1]
        if len(match.found) > 1:
            return _ambiguous(name, match.found)
        if self.open:
            return Nothing("open", name)
        return Nothing("unknown column", name, tuple(dict.fromkeys(c.name for _, c in pairs)))


@value
class Correlated(Scope):
    """The names of an inner query, and behind them those of the query around it, whose internal
    names get a mark.
    """

    outer: Scope = field(default_factory=Scope)
    mark: str = ""

    @property
    def types(self) -> Mapping[str, Type]:
        return {**{self.mark + n: t for n, t in self.outer.types.items()}, **super().types}

    def find(self, parts: tuple[str, ...]) -> Found | Nothing:
        own = super().find(parts)
        if isinstance(own, Found) or own.reason not in ("unknown column", "unknown alias"):
            return own
        theirs = self.outer.find(parts)
        if not isinstance(theirs, Found):
            return theirs if own.reason == "unknown alias" else own
        marked = replace(theirs.column, internal=self.mark + theirs.column.internal)
        return replace(theirs, column=marked)


def _ambiguous(name: str, found: tuple[tuple[Table, Visible], ...]) -> Nothing:
    one_table = len({table.alias for table, _ in found}) == 1
    if one_table and len({column.name for _, column in found}) > 1:
        return Nothing("ambiguous case", name, tuple(column.name for _, column in found))
    if one_table:
        return Nothing("ambiguous", name)
    return Nothing("ambiguous", name, tuple(f"{t.alias}.{c.name}" for t, c in found))
