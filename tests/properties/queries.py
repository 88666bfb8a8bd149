"""Drawn queries, in CQL and for the oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..oracle.query import NrrUse, Query, Report, Windowed
from .draw import Draw
from .expressions import aggregate, constant, join_condition, predicate, scalar
from .scene import Nrr, Scene
from .texts import Column, Texts, oracle_text, told

BY_ROWS = 0.25
"""How often a window is one in which later rows decide."""

OUTERS = 0.6
"""How often a join is an outer one, where such are drawn."""

OUTER = ("LEFT", "LEFT", "RIGHT", "FULL")

COMPARING = ("UNION", "EXCEPT ALL", "EXCEPT", "INTERSECT ALL", "INTERSECT")
"""Set operators that compare rows."""


class Queries:
    """Draws queries over one scene, nested up to a given depth.

    `turn`: which query of a case is drawn, from 1, for what is drawn in rotation.
    `SETS`: how often a query is a set operator of two. `QUESTIONS`: how often WHERE asks another
    query. `FLAT`: how often which FROM stands in a flat query.
    """

    SETS = 0.15
    QUESTIONS = 0.12
    FLAT: Sequence[tuple[int, str]] = ((6, "one"), (2, "two"), (1, "nrr"))

    def __init__(
        self,
        draw: Draw,
        scene: Scene,
        flat: bool = False,
        negation: bool = False,
        outer: bool = False,
    ) -> None:
        """`flat`: mostly one window under one operator. `negation`: set operators, EXISTS, IN.
        `outer`: outer joins.
        """
        self.turn = 0
        self.outer = outer
        self.negation = negation
        self.draw = draw
        self.scene = scene
        self.flat = flat

    def query(self, depth: int) -> tuple[Texts, Query]:
        """A whole query: the CQL text with its columns, and the oracle's form."""
        reports: list[tuple[int, Report | None]] = [(7, None), (2, "istream")]
        reports += [(1, "dstream"), (1, "rstream")]
        report = self.draw.weighted(reports)
        texts = self.select(depth)
        query = Query(texts.sql, texts.inputs, texts.nrrs, report)
        if report is None:
            return texts, query
        return replace(texts, cql=f"{report.upper()} ({texts.cql})", points=True), query

    def select(self, depth: int) -> Texts:
        """A SELECT, or a set operator of two."""
        if self.negation and (depth or self.flat) and self.draw.chance(self.SETS):
            return self._sets(max(depth - 1, 0))
        if depth and not self.negation and self.draw.chance(self.SETS):
            return self._union(depth - 1)
        below = self._from(depth)
        shapes = [(3, self._project), (3, self._distinct), (5, self._group), (2, self._global)]
        return self.draw.weighted(shapes)(below)

    # FROM

    def _from(self, depth: int) -> Texts:
        """What stands after FROM, with aliases; its columns are qualified."""
        shapes = [(5, "one"), (4, "two"), (1, "three"), (3, "nrr")]
        shape = self.draw.weighted(self.FLAT if self.flat else shapes)
        if shape == "nrr":
            return self._nrr_join(depth)
        first = self._aliased(self._relation(depth, short=shape == "three"))
        if shape == "one":
            return first
        joined = self._join(first, self._aliased(self._relation(depth, short=shape == "three")))
        if shape == "three":
            joined = self._join(joined, self._aliased(self._windowed(short=True)))
        return joined

    def _join(self, left: Texts, right: Texts) -> Texts:
        between, condition = self._joining(left, right)
        joined = Texts(
            f"{left.cql}{between}{right.cql}{condition}",
            f"{left.sql}{between}{right.sql}{condition}",
            left.columns + right.columns,
        )
        return joined.over(left, right, points=between not in (", ", " JOIN "))

    def _joining(self, left: Texts, right: Texts) -> tuple[str, str]:
        """What stands between two tables, and behind them."""
        condition = join_condition(self.draw, left.columns, right.columns)
        if condition is None and not self.outer:
            return ", ", ""
        # ON of an outer join does not reach behind a comma.
        condition = condition or "TRUE"
        kind = self._kind(OUTER)
        if kind != "JOIN" and self.draw.chance(0.3):
            # A part of ON that reads one side alone decides what a match is.
            side = self.draw.one([left, right])
            condition += f" AND {predicate(self.draw, side.columns)}"
        return f" {kind} ", f" ON {condition}"

    def _kind(self, kinds: Sequence[str]) -> str:
        if self.outer and self.draw.chance(OUTERS):
            return f"{self.draw.one(kinds)} JOIN"
        return "JOIN"

    def _nrr_join(self, depth: int) -> Texts:
        """A base stream's rows with the versions they meet, perhaps joined with a window."""
        stream = self._base(short=False)
        (table,) = stream.inputs
        alias, other = self.draw.name("a"), self.draw.name("r")
        nrr = self.draw.one(self.scene.nrrs)
        left = self._aliased(stream, alias)
        columns = tuple(column.of(other) for column in nrr.named())
        condition = f"{alias}.k = {other}.k{self._more(left.columns, columns, nrr)}"
        kind = self._kind(("LEFT",))
        met = f"{other}._row = {alias}._row"
        joined = Texts(
            f"{left.cql} {kind} {nrr.name} AS {other} ON {condition}",
            f"{left.sql} {kind} {other}_t AS {other} ON {met} AND {condition}",
            left.columns + columns,
            nrrs={f"{other}_t": NrrUse(nrr.name, table)},
        ).over(left)
        if depth and self.draw.chance(0.3):
            # An NRR meets no row that may be taken back: no window by rows.
            return self._join(joined, self._aliased(self._windowed(short=True, rows=0)))
        return joined

    def _more(self, left: Sequence[Column], right: Sequence[Column], nrr: Nrr) -> str:
        if nrr.versioned or self.draw.chance(0.7):
            return ""
        return f" AND {predicate(self.draw, [*left, *right])}"

    def _aliased(self, relation: Texts, alias: str | None = None) -> Texts:
        alias = alias or self.draw.name("a")
        return replace(
            relation,
            cql=f"{relation.cql} AS {alias}",
            sql=f"{relation.sql} AS {alias}",
            columns=tuple(column.of(alias) for column in relation.columns),
        )

    def _relation(self, depth: int, short: bool) -> Texts:
        """A windowed stream, a derived table, or a window over a reported query."""
        shape = self.draw.weighted([(5, "windowed"), (4 * min(depth, 1), "derived"),
                                    (min(depth, 1), "reported")])  # fmt: skip
        if shape == "derived":
            inner = self.select(depth - 1)
            return replace(inner, cql=f"({inner.cql})", sql=f"({inner.sql})", base=False)
        return self._reported(depth - 1) if shape == "reported" else self._windowed(short)

    def _windowed(self, short: bool, rows: float = BY_ROWS) -> Texts:
        """`rows`: how often by rows."""
        by_rows = self.draw.chance(rows)
        if self.scene.views and self.draw.chance(0.25):
            view = self.draw.one(self.scene.views)
            table = self.draw.name("w")
            if by_rows:
                written, window = self.scene.row_window(self.draw, view.named())
                inputs = {table: Windowed(view.oracle(), window)}
                return Texts(f"{view.name} {written}", table, view.named(), inputs, points=True)
            written, window = self.scene.window(self.draw, short)
            inputs = {table: Windowed(view.stream.name, window)}
            return Texts(f"{view.name} {written}", view.sql(table), view.named(), inputs)
        return self._by_rows() if by_rows else self._base(short)

    def _by_rows(self) -> Texts:
        stream = self.draw.one(self.scene.streams)
        written, window = self.scene.row_window(self.draw, stream.named())
        table = self.draw.name("w")
        inputs = {table: Windowed(stream.name, window)}
        return Texts(f"{stream.name} {written}", table, stream.named(), inputs, points=True)

    def _base(self, short: bool) -> Texts:
        stream = self.draw.one(self.scene.streams)
        written, window = self.scene.window(self.draw, short)
        table = self.draw.name("w")
        inputs = {table: Windowed(stream.name, window)}
        return Texts(f"{stream.name} {written}", table, stream.named(), inputs, base=True)

    def _reported(self, depth: int) -> Texts:
        inner = self.select(depth)
        reports: list[tuple[int, Report]] = [(3, "istream"), (2, "dstream"), (1, "rstream")]
        report = self.draw.weighted(reports)
        written, window = self.scene.window(self.draw)
        keys = [column for column in inner.columns if column.kind != "approx"]
        if keys and self.draw.chance(BY_ROWS):
            written, window = self.scene.row_window(self.draw, keys)
        table = self.draw.name("w")
        query = Query(inner.sql, inner.inputs, inner.nrrs, report)
        cql = f"{report.upper()} ({inner.cql}) {written}"
        return Texts(cql, table, inner.columns, {table: Windowed(query, window)}, points=True)

    # SELECT

    def _project(self, below: Texts) -> Texts:
        listed = [scalar(self.draw, below.columns) for _ in range(self.draw.number(1, 3))]
        return self._written("SELECT", listed, below, self._where(below))

    def _distinct(self, below: Texts) -> Texts:
        listed = [scalar(self.draw, below.columns) for _ in range(self.draw.number(1, 2))]
        return self._written("SELECT DISTINCT", listed, below, self._where(below))

    def _group(self, below: Texts) -> Texts:
        usable = [column for column in below.columns if column.kind not in ("approx", "time")]
        if not usable:
            return self._global(below)
        keys = self.draw.some(usable, 2)
        computed = [self.aggregate(below) for _ in range(self.draw.number(1, 3))]
        shown = keys if self.draw.chance(0.75) else keys[1:]
        rest = self._where(below)
        more = f" GROUP BY {', '.join(key.name for key in keys)}"
        if self.draw.chance(0.3):
            more += f" HAVING {predicate(self.draw, [*computed, Column('COUNT(*)', 'int')])}"
        grouped = _followed(rest, more, computed)
        return self._written("SELECT", [*shown, *computed], below, grouped, points=True)

    def _global(self, below: Texts) -> Texts:
        computed = [self.aggregate(below) for _ in range(self.draw.number(1, 3))]
        rest = self._where(below)
        if self.draw.chance(0.15):
            rest = _followed(rest, f" HAVING {predicate(self.draw, computed)}", computed)
        return self._written("SELECT", computed, below, rest, points=True)

    def aggregate(self, below: Texts) -> Column:
        """An aggregate of what stands in FROM."""
        return aggregate(self.draw, below.columns)

    def _union(self, depth: int) -> Texts:
        first = self.select(depth)
        second = self._matching(first.columns, self._from(depth))
        return Texts(
            f"{first.cql} UNION ALL {second.cql}",
            f"{first.sql} UNION ALL {second.sql}",
            first.columns,
        ).over(first, second)

    def _sets(self, depth: int) -> Texts:
        """A SELECT and one of the same kinds of columns. Sums that are not exact equal nothing."""
        below = self._from(depth)
        first = self.draw.weighted([(3, self._project), (1, self._distinct), (1, self._group)])(
            below
        )
        exact = all(column.kind != "approx" for column in first.columns)
        word = self.draw.weighted([(2, "UNION ALL"), *((2 * exact, word) for word in COMPARING)])
        return self._combined(first, word, self._matching(first.columns, self._from(depth)))

    def _combined(self, first: Texts, word: str, second: Texts) -> Texts:
        """Two queries under a set operator."""
        return Texts(
            f"({first.cql}) {word} ({second.cql})",
            f"({first.sql}) {word} ({second.sql})",
            first.columns,
        ).over(first, second, points=not word.startswith("UNION"))

    def _matching(self, wanted: Sequence[Column], below: Texts) -> Texts:
        """A projection to columns of the wanted kinds."""
        listed = []
        for column in wanted:
            fitting = [c for c in below.columns if c.kind == column.kind]
            text = self.draw.one(fitting).name if fitting else constant(self.draw, column.kind)
            listed.append(Column(text, column.kind))
        return self._written("SELECT", listed, below, self._where(below))

    def _where(self, below: Texts) -> Texts:
        """A condition of the rows, and a question to another query; often neither."""
        parts = []
        if self.draw.chance(0.3):
            text = predicate(self.draw, below.columns)
            parts.append(Texts(text, oracle_text(text), ()))
        usable = [c for c in below.columns if c.kind in ("int", "text")]
        if usable and self.negation and self.asks():
            parts.append(self._question(below, usable))
        if not parts:
            return Texts("", "", ())
        cql, sql = (
            " AND ".join(texts) for texts in zip(*((p.cql, p.sql) for p in parts), strict=True)
        )
        return Texts(f" WHERE {cql}", f" WHERE {sql}", ()).over(*parts)

    def asks(self) -> bool:
        """Whether this WHERE asks another query."""
        return self.draw.chance(self.QUESTIONS)

    def _question(self, below: Texts, usable: Sequence[Column]) -> Texts:
        """[NOT] IN or [NOT] EXISTS with a windowed stream, correlated or not."""
        alias, column = self.draw.name("i"), self.draw.one(usable)
        inner = self._aliased(self._windowed(short=True), alias)
        fitting = [c.name for c in inner.columns if c.kind == column.kind]
        theirs = self.draw.one(fitting) if fitting else constant(self.draw, column.kind)
        conditions = []
        if self.draw.chance(0.4):
            conditions.append(predicate(self.draw, inner.columns))
        numbers = [[c.name for c in side.columns if c.kind == "int"] for side in (below, inner)]
        if all(numbers) and self.draw.chance(0.3):
            order = self.draw.one(["<", ">=", "="])
            conditions.append(f"{self.draw.one(numbers[0])} {order} {self.draw.one(numbers[1])}")
        word = self.draw.one(["", "NOT "])
        if self.draw.chance(0.5):
            head, listed = f"{column.name} {word}IN", theirs
        else:
            head, listed = f"{word}EXISTS", "1"
            conditions.append(f"{column.name} = {theirs}")
        rest = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return Texts(
            f"{head} (SELECT {listed} FROM {inner.cql}{rest})",
            f"{head} (SELECT {listed} FROM {inner.sql}{oracle_text(rest)})",
            (),
        ).over(inner, points=True)

    def _written(
        self, head: str, listed: Sequence[Column], below: Texts, rest: Texts, points: bool = False
    ) -> Texts:
        names = [f"c{i}" for i in range(1, len(listed) + 1)]
        columns = ", ".join(
            f"{column.name} AS {name}" for column, name in zip(listed, names, strict=True)
        )
        return Texts(
            f"{head} {columns} FROM {below.cql}{rest.cql}",
            f"{told(f'{head} {columns}', listed)} FROM {below.sql}{rest.sql}",
            tuple(Column(n, column.kind) for n, column in zip(names, listed, strict=True)),
        ).over(below, rest, points=points)


def _followed(rest: Texts, more: str, computed: Sequence[Column]) -> Texts:
    """What stands behind FROM, and more behind it, which may name what is computed."""
    return replace(rest, cql=rest.cql + more, sql=rest.sql + told(more, computed))
