"""Whether the columns of UPSERT BY tell the rows of an answer apart.

A key is known of an answer where its plan says that no two rows of an instant share it; columns
determine it by equalities, constants and the keys of what was joined. Where no key is known, what
was written is the user's word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from reflow.grammar.value import value

from ..plan.expressions import bare_column, columns_of, conjuncts, equal_columns, is_deterministic
from ..plan.operators import (
    Distinct,
    Filter,
    Group,
    Join,
    NrrJoin,
    Operator,
    Project,
    Relation,
    RowsWindow,
    Scan,
    SemiJoin,
    SessionWindow,
    SetOperation,
    Window,
)
from ..plan.operators.base import Expr
from ..plan.schema import UNKNOWN, Schema, names
from ..plan.verbatim import tree
from .types import INTEGRAL

_MOST = 5000
"""Columns that are looked at: views of views of joins can have any number of them."""

_INTEGERS = frozenset(INTEGRAL)

Ids = frozenset[int]


def missing_of_key(answer: Operator, written: Collection[str]) -> tuple[str, ...]:
    """The columns of the answer's key that the written ones (names of its schema) do not
    determine, by the names that they have below where the answer leaves them out. None are missing
    where no key is known.
    """
    walk = _Walk()
    rows = walk.rows(answer)
    if rows.key is None or len(walk.names) > _MOST:
        return ()
    known = walk.determined(rows.columns[name] for name in written)
    shown = {id_: name for name, id_ in reversed(tuple(rows.columns.items()))}
    return tuple(shown.get(id_, walk.names[id_]) for id_ in sorted(rows.key - known))


@value
class _Rows:
    """An output: a number for each column, and the columns that no two rows share. A number stands
    for the same values wherever a column is handed on."""

    columns: Mapping[str, int]
    key: Ids | None

    def ids(self, found: Iterable[str]) -> Ids:
        return frozenset(self.columns[name] for name in found)

    @property
    def all(self) -> Ids:
        return frozenset(self.columns.values())


@dataclass
class _Walk:
    """What is known on the way up: the columns' names, and which determine which."""

    names: list[str] = field(default_factory=list)
    determines: list[tuple[Ids, Ids]] = field(default_factory=list)

    def determined(self, written: Iterable[int]) -> Ids:
        """All columns that have one value where the written ones have one."""
        found = frozenset(written)
        while True:
            reached = (right for left, right in self.determines if left <= found)
            more = found.union(*reached)
            if more == found:
                return found
            found = more

    def rows(self, operator: Operator) -> _Rows:
        """What is known of an output; nothing where an operator mixes rows."""
        if len(self.names) > _MOST:
            return self._unknown(operator.schema)
        match operator:
            case Scan():
                made = self._unknown(operator.schema)
                return self._keyed(made, made.ids(operator.stream.key) or None)
            case Relation():
                made = self._unknown(operator.schema)
                return self._keyed(made, made.ids(operator.key) or None)
            case Window() | SessionWindow():
                return self.rows(operator.input)
            case RowsWindow():
                return self._last_rows(operator)
            case Filter():
                return self._filtered(operator)
            case Project():
                below = self.rows(operator.input)
                return _Rows(self._computed(operator.columns, below), below.key)
            case SemiJoin():
                return self.rows(operator.left)
            case SetOperation():
                below = self.rows(operator.left)
                once = operator.kind in ("except", "intersect")
                return self._keyed(below, below.key if below.key or not once else below.all)
            case Distinct():
                below = self.rows(operator.input)
                return self._keyed(below, below.all if below.key is None else below.key)
            case Join():
                return self._pairs(operator)
            case NrrJoin():
                return self._versions(operator)
            case Group():
                return self._groups(operator)
        return self._unknown(operator.schema)

    def _new(self, name: str) -> int:
        self.names.append(name)
        return len(self.names) - 1

    def _unknown(self, schema: Schema) -> _Rows:
        return _Rows({name: self._new(name) for name in names(schema)}, None)

    def _keyed(self, rows: _Rows, key: Ids | None) -> _Rows:
        if key is not None:
            self.determines.append((key, rows.all))
        return _Rows(rows.columns, key)

    def _same(self, left: int, right: int) -> None:
        self.determines += [(frozenset({left}), frozenset({right}))]
        self.determines += [(frozenset({right}), frozenset({left}))]

    def _computed(self, columns: Iterable[tuple[str, Expr]], below: _Rows) -> dict[str, int]:
        """Columns handed on keep their number; an expression is determined by what it reads."""
        made: dict[str, int] = {}
        for name, expression in columns:
            column = bare_column(expression.sql)
            if column is not None:
                made[name] = below.columns[column]
                continue
            made[name] = self._new(name)
            if is_deterministic(expression.sql):
                read = below.ids(columns_of(expression.sql))
                self.determines.append((read, frozenset({made[name]})))
        return made

    def _last_rows(self, window: RowsWindow) -> _Rows:
        below = self.rows(window.input)
        by = [bare_column(each.sql) for each in window.by]
        named = [name for name in by if name is not None]
        one_each = window.rows == 1 and window.slide is None and len(named) == len(by)
        return self._keyed(below, below.ids(named)) if one_each else below

    def _filtered(self, node: Filter) -> _Rows:
        below = self.rows(node.input)
        types = {column.name: column.type for column in node.schema}
        for part in conjuncts(node.predicate.sql):
            pair = equal_columns(part)
            if pair is not None and _comparable(*(types[name] for name in pair)):
                self._same(*(below.columns[name] for name in pair))
            elif (constant := _constant(part)) is not None:
                self.determines.append((frozenset(), below.ids([constant])))
        return below

    def _pairs(self, join: Join) -> _Rows:
        left, right = self.rows(join.left), self.rows(join.right)
        types = {column.name: column.type for column in join.schema}
        for a, b in join.equal:
            if _comparable(types[a], types[b]):
                self._same(left.columns[a], right.columns[b])
        known = left.key is not None and right.key is not None
        key = (left.key or frozenset()) | (right.key or frozenset()) if known else None
        return _Rows({**left.columns, **right.columns}, key)

    def _versions(self, join: NrrJoin) -> _Rows:
        """One version at most meets a row where the relation's whole key is compared."""
        below = self.rows(join.input)
        compared = {right for _, right in join.equal}
        used = {of for name, of in join.columns if name in compared}
        once = bool(join.relation.key) and set(join.relation.key) <= used
        new = {name: self._new(name) for name, _ in join.columns}
        return self._keyed(_Rows({**below.columns, **new}, None), below.key if once else None)

    def _groups(self, group: Group) -> _Rows:
        keys = self._computed(group.keys, self.rows(group.input))
        made = {aggregate.name: self._new(aggregate.name) for aggregate in group.aggregates}
        return self._keyed(_Rows({**keys, **made}, None), frozenset(keys.values()))


def _comparable(left: str, right: str) -> bool:
    """Equal means the same value; other types are compared after a cast, which may lose digits."""
    return left == right != UNKNOWN or {left, right} <= _INTEGERS


def _constant(predicate: str) -> str | None:
    """The column of `column = literal`."""
    found = tree(predicate)
    if not isinstance(found, exp.EQ):
        return None
    for side, other in ((found.this, found.expression), (found.expression, found.this)):
        if isinstance(other, exp.Literal) and isinstance(side, exp.Column):
            return bare_column(side.sql(dialect="spark"))
    return None
