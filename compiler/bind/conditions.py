"""ON and USING: how the items of FROM are joined, and what their columns are called then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from sqlglot import exp

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span
from reflow.grammar.value import value

from .catalog import Context
from .expressions import Resolver
from .from_items import Inner, Lookup, Merged, Outer
from .infer import Typer
from .names import fresh, meant, one_of
from .resolved import column, conjuncts
from .scope import Found, Nothing, Scope, Table, Visible


@value
class _Seen:
    """Some items: how they are joined, and their tables as those around them see them."""

    inner: Inner
    tables: tuple[Table, ...]


@value
class _Using:
    """A column of USING: the equality, and the two columns."""

    name: nodes.Name
    equality: exp.Expr
    left: Visible
    right: Visible


@value
class FromItems:
    """Reads the items of one FROM. `numbers`: those of the tables, by the item; `relations`: the
    NRRs among them.
    """

    tables: Sequence[Table]
    numbers: Mapping[int, int]
    relations: frozenset[int]
    context: Context
    _taken: set[str] = field(default_factory=set)

    def read(self, items: Sequence[nodes.FromItem]) -> tuple[Inner, tuple[Table, ...]]:
        """All items, and the tables in the order in which `*` shows them."""
        self._taken.update(c.internal.casefold() for t in self.tables for c in t.columns)
        seen = _Seen(Inner(), ())
        for item in items:
            found = self._seen(item, seen.tables)
            seen = _Seen(seen.inner + found.inner, seen.tables + found.tables)
        return seen.inner, seen.tables

    def _seen(self, item: nodes.FromItem, before: tuple[Table, ...]) -> _Seen:
        """As in Spark, ON and USING of an inner join also see the tables `before` the item: `FROM
        a, b JOIN c ON a.x = c.x`.
        """
        if not isinstance(item, nodes.Join):
            number = self.numbers[id(item)]
            return _Seen(Inner((number,)), (self.tables[number],))
        # What an outer join keeps is said of its own sides alone.
        before = before if item.kind == "inner" else ()
        left, right = self._seen(item.left, before), self._seen(item.right, ())
        if item.on is not None:
            condition = self._on(item, item.on, before + left.tables + right.tables)
            return _Seen(
                self._joined(item, left.inner, right.inner, conjuncts(condition), ()),
                left.tables + right.tables,
            )
        sides = Scope(before + left.tables), Scope(right.tables)
        using = [u for name in item.using if (u := self._using(name, *sides)) is not None]
        merged = [self._merged(u) for u in using] if item.kind == "full" else []
        equalities = tuple(u.equality for u in using)
        inner = self._joined(item, left.inner, right.inner, equalities, tuple(merged))
        return _Seen(inner, _shown(item, left.tables, right.tables, using, merged))

    def _on(self, item: nodes.Join, on: exp.Expr, tables: tuple[Table, ...]) -> exp.Expr:
        scope = Scope(tables)
        condition = Resolver(scope, self.context.findings, "ON", False, item.span)(on)
        Typer(scope.types, self.context.findings, item.span).condition(condition, "ON")
        return condition

    def _joined(
        self,
        item: nodes.Join,
        left: Inner,
        right: Inner,
        conditions: tuple[exp.Expr, ...],
        merged: tuple[Merged, ...],
    ) -> Inner:
        if item.kind == "inner" or self._refused(item, left, right):
            return left + right + Inner(conditions=conditions)
        kept, other = (left, right) if item.kind == "left" else (right, left)
        if item.kind != "full" and other.members in {(n,) for n in self.relations}:
            [number] = other.tables
            return left + right + Inner(lookups=(Lookup(number, conditions, kept.tables),))
        return Inner((Outer(item.kind, left, right, conditions, merged, self._word(item)),))

    def _refused(self, item: nodes.Join, left: Inner, right: Inner) -> bool:
        """Rows of an NRR are there for the rows of a stream only."""
        kept = {"left": (left,), "right": (right,)}.get(item.kind, (left, right))
        for side in kept:
            if side.tables <= self.relations:
                name = self.tables[min(side.tables)].alias
                place = self._word(item)
                self.context.findings.error(
                    "RF3213",
                    f"{item.kind.upper()} JOIN would keep the rows of `{name}`, which is an NRR",
                    place,
                    "a stream on the side whose rows are kept",
                    f"an NRR only answers the rows of a stream: stream LEFT JOIN {name}",
                )
                return True
        return False

    def _word(self, item: nodes.Join) -> Span:
        return self.context.word(item.kind, Span(item.left.span.end, item.right.span.start))

    # --- USING ---

    def _using(self, name: nodes.Name, left: Scope, right: Scope) -> _Using | None:
        sides = (left.find((name.text,)), right.find((name.text,)))
        for found in sides:
            if isinstance(found, Nothing) and found.reason != "open":
                ambiguous = found.reason != "unknown column"
                self.context.findings.error(
                    "RF2006" if ambiguous else "RF2005",
                    f"the column `{name.text}` of USING is "
                    + ("ambiguous on one side" if ambiguous else "missing on one side"),
                    name.span,
                    one_of(found.known),
                    "" if ambiguous else meant(name.text, found.known),
                )
                return None
        a, b = sides
        if not isinstance(a, Found) or not isinstance(b, Found):
            return None
        made = exp.EQ(this=column(a.column.internal), expression=column(b.column.internal))
        made.meta["span"] = name.span
        self._typer(a.column, b.column, name.span)(made)
        return _Using(name, made, a.column, b.column)

    def _typer(self, left: Visible, right: Visible, span: Span) -> Typer:
        types = {left.internal: left.type, right.internal: right.type}
        return Typer(types, self.context.findings, span)

    def _merged(self, using: _Using) -> Merged:
        """COALESCE of both sides: a row without a match has one of them only."""
        left, right = using.left, using.right
        either = exp.Coalesce(this=column(left.internal), expressions=[column(right.internal)])
        type_ = self._typer(left, right, using.name.span)(either)
        name = fresh((f"{left.name}_of_either",), self._taken)
        self._taken.add(name.casefold())
        return Merged(name, left.internal, right.internal, type_)


def _shown(
    item: nodes.Join,
    left: tuple[Table, ...],
    right: tuple[Table, ...],
    using: Sequence[_Using],
    merged: Sequence[Merged],
) -> tuple[Table, ...]:
    """The columns of USING once, in the place of the left side's: that of the side whose rows are
    kept, of a FULL JOIN the merged one.
    """
    hidden = frozenset(name.text.casefold() for name in item.using)
    right = tuple(t.hiding(hidden) for t in right)
    if item.kind == "right":
        new = {u.left.internal: u.right for u in using}
    else:
        new = {
            m.left: Visible(u.left.name, m.name, m.type)
            for u, m in zip(using, merged, strict=False)
        }
    return tuple(_standing_in(table, new) for table in left) + right


def _standing_in(table: Table, new: Mapping[str, Visible]) -> Table:
    """Columns of which others are shown instead; their full name still finds them."""
    columns: list[Visible] = []
    for visible in table.columns:
        other = new.get(visible.internal)
        if other is None or not visible.shown:
            columns.append(visible)
            continue
        name = visible.name
        columns += [replace(other, name=name, shown=True, own=False), replace(visible, shown=False)]
    return replace(table, columns=tuple(columns))
