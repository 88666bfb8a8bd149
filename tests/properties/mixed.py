"""Drawn queries of one operator or two with what the other forms do not draw: negation and set
operators, outer joins, and aggregates that keep their values.

A third of the queries are set operators and a third begin with one of those aggregates, each in
rotation, so that a few cases show all of them; the rest is left to chance.

What the oracle has no words for is left out: EXCEPT ALL BY (`test_except_by` writes it out by its
definition), and FIRST and LAST over anything but the rows of one stream, whose order in a join no
snapshot shows.
"""

from __future__ import annotations

from collections.abc import Sequence

from .draw import Draw
from .expressions import aggregate, of_kind, predicate, scalar
from .queries import COMPARING, OUTER, Queries
from .scene import Scene
from .texts import Column, Texts, oracle_text

MOST = 2
"""Operators of a query beside windows and stateless ones, an outer join counted twice: each reads
what it reads several times, and Spark, which analyses plans as trees, all below it as often.
"""

SETS = ("UNION ALL", *COMPARING)

OF_NUMBERS = ("STDDEV", "VARIANCE", "VAR_POP", "MEDIAN", "PERCENTILE", "PERCENTILE_APPROX")

BY_ORDER = ("FIRST", "LAST")

NEWER = (
    *("FILTER", "COUNT_IF", "COUNT DISTINCT", "APPROX_COUNT_DISTINCT", "SUM DISTINCT"),
    *("MIN_BY", "MAX_BY", *BY_ORDER, *OF_NUMBERS),
)
"""The aggregates that `expressions` does not draw."""

OFTEN = 0.6
"""How often an aggregate is one of them, where chance decides."""

SHARES = ("0.25", "0.5", "0.75")
"""Of percentiles: exact in binary, so that both sides take the same row."""


class Mixed(Queries):
    """Flat queries over one scene. `first`: where the rotations begin. Of a case of eight queries
    two show a set operator and three an aggregate of theirs; the next seed goes on behind these.
    """

    SETS = 0
    QUESTIONS = 0.25
    FLAT = ((4, "one"), (5, "two"), (1, "nrr"))

    def __init__(self, draw: Draw, scene: Scene, first: int) -> None:
        super().__init__(draw, scene, flat=True, negation=True, outer=True)
        self._first = first
        self._leading: str | None = None
        self._ordered = False
        self._left = MOST

    def select(self, depth: int) -> Texts:
        self._left = MOST
        number, what = divmod(self.turn, 3)
        if what == 0:
            return self._set(SETS[(2 * self._first + number) % len(SETS)])
        if what == 1:
            return self._led_by(NEWER[(3 * self._first + number) % len(NEWER)])
        return super().select(depth)

    def asks(self) -> bool:
        """Not beside FIRST and LAST: rows that an answer decides about have no order (RF3222)."""
        asked, ordered = super().asks(), self._ordered
        self._ordered = False
        return asked and not ordered and self._another()

    def _another(self) -> bool:
        """Whether the query may have one more operator, which is then counted."""
        self._left -= 1
        return self._left >= 0

    def _join(self, left: Texts, right: Texts) -> Texts:
        return super()._join(left, right) if self._another() else left

    def _kind(self, kinds: Sequence[str]) -> str:
        """Outer joins of windows in rotation as well, where the query may have one."""
        kind = super()._kind(kinds)
        if kind == "JOIN" or kinds != OUTER:
            return kind
        outer = OUTER[(self._first + self.turn // 3) % len(OUTER)]
        return f"{outer} JOIN" if self._another() else "JOIN"

    def _distinct(self, below: Texts) -> Texts:
        return super()._distinct(below) if self._another() else self._project(below)

    def _group(self, below: Texts) -> Texts:
        return super()._group(below) if self._another() else self._project(below)

    def _global(self, below: Texts) -> Texts:
        may = self._leading is not None or self._another()
        return super()._global(below) if may else self._project(below)

    def _set(self, word: str) -> Texts:
        self._left -= 1
        below = self._from(0)
        shapes = [(3, self._project), (1, self._distinct), (1, self._group)]
        first = self.draw.weighted(shapes)(below)
        if word in COMPARING and any(column.kind == "approx" for column in first.columns):
            first = self._project(below)
        return self._combined(first, word, self._matching(first.columns, self._from(0)))

    def _led_by(self, name: str) -> Texts:
        """Grouped or not, with this aggregate before all others."""
        self._left -= 1
        below = self._from(0)
        if not _suits(name, below):
            below = self._aliased(self._base(short=False))
        self._leading = name
        return self.draw.weighted([(5, super()._group), (2, super()._global)])(below)

    def aggregate(self, below: Texts) -> Column:
        name, self._leading = self._leading, None
        if name is None:
            if not self.draw.chance(OFTEN):
                return super().aggregate(below)
            name = self.draw.one([name for name in NEWER if _suits(name, below)])
        if name in ("FILTER", "COUNT_IF"):
            return self._filtered(name, below)
        if name in BY_ORDER:
            return self._by_order(name, below)
        if name in ("MIN_BY", "MAX_BY"):
            return self._by_another(name, below)
        return (
            self._of_numbers(name, below) if name in OF_NUMBERS else self._of_different(name, below)
        )

    def _filtered(self, name: str, below: Texts) -> Column:
        condition = predicate(self.draw, below.columns)
        where = f"FILTER (WHERE {condition})"
        if name == "COUNT_IF":
            meant = oracle_text(f"COUNT(*) {where}")
            return Column(f"COUNT_IF({condition})", "int", meant)
        of = aggregate(self.draw, below.columns)
        return Column(f"{of.name} {where}", of.kind)

    def _of_different(self, name: str, below: Texts) -> Column:
        """Of different values. The approximate count is an exact one here."""
        if name == "SUM DISTINCT":
            number = scalar(self.draw, of_kind(below.columns, "int", "real"))
            return Column(f"SUM(DISTINCT {number.name})", number.kind)
        argument = scalar(self.draw, below.columns)
        counted = f"COUNT(DISTINCT {argument.name})"
        if name == "COUNT DISTINCT":
            return Column(counted, "int")
        return Column(f"{name}({argument.name})", "int", oracle_text(counted))

    def _of_numbers(self, name: str, below: Texts) -> Column:
        """Deviations and percentiles."""
        argument = self.draw.one(of_kind(below.columns, "int", "real"))
        value = argument.name
        if name == "MEDIAN":
            return Column(f"MEDIAN({value})", "approx", f"quantile_cont({value}, 0.5)")
        if not name.startswith("PERCENTILE"):
            return Column(f"{name}({value})", "approx")
        inner = f"{value}, {self.draw.one(SHARES)}"
        if name == "PERCENTILE":
            return Column(f"PERCENTILE({inner})", "approx", f"quantile_cont({inner})")
        return Column(f"PERCENTILE_APPROX({inner})", argument.kind, f"quantile_disc({inner})")

    def _by_order(self, word: str, below: Texts) -> Column:
        """FIRST or LAST in the order of a stream, told to pass over NULL or not."""
        self._ordered = True
        argument = scalar(self.draw, below.columns)
        alias = below.columns[0].name.partition(".")[0]
        value = oracle_text(argument.name)
        meant = f"{word}({value} ORDER BY {alias}.ts, {alias}._row)"
        if self.draw.chance(0.5):
            return Column(f"{word}({argument.name})", argument.kind, meant)
        meant += f" FILTER (WHERE {value} IS NOT NULL)"
        return Column(f"{word}({argument.name}, TRUE)", argument.kind, meant)

    def _by_another(self, word: str, below: Texts) -> Column:
        """MIN_BY or MAX_BY; of several values there the extreme one, NULL the least."""
        value, by = (self.draw.one(below.columns) for _ in range(2))
        order = "ASC NULLS FIRST" if word == "MIN_BY" else "DESC NULLS LAST"
        listed = f"list({value.name} ORDER BY {by.name} {order}, {value.name} {order})"
        meant = f"({listed} FILTER (WHERE {by.name} IS NOT NULL))[1]"
        return Column(f"{word}({value.name}, {by.name})", value.kind, meant)


def _suits(name: str, below: Texts) -> bool:
    """Whether these rows have what the aggregate asks for."""
    if name in BY_ORDER:
        return below.base
    numbers = name in OF_NUMBERS or name == "SUM DISTINCT"
    return not numbers or bool(of_kind(below.columns, "int", "real"))
