"""EXCEPT ALL BY: whole rows of the left, counted by some of their columns (UPA's negation on
attributes).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import FOREVER, POS, TICK, VE, VS, T, W, big, listed, quote, same
from ..elements.context import Epoch
from ..elements.deltas import Points, extended, union
from .linear import select
from .once import shared
from .touched import with_keys
from .trace import add_trace, read_trace

_KNOWN: Final = "_known"
_AGE: Final = "_age"
"""1: by all that is known now; -1: by what was known before this epoch."""
_NEXT: Final = "_next"


def except_all_by(
    e: Epoch,
    name: str,
    left: Points,
    right: Points,
    by: Sequence[tuple[str, str]],
    ordered: bool = False,
) -> Points:
    """With l rows of a key on the left and r on the right, the youngest max(l - r, 0) of the left.

    `by`: pairs of columns (left, right) that make the key; NULLs are equal. A row is as old as the
    instant at which it came; of those that came together the first to arrive is the oldest
    (`ordered`: the left has `_pos`), or else the least. Equal rows leave in the order in which they
    came. State: the rows of the left that are there at `complete`, with their instants, and later
    changes; the counts of the right per key. STR (UPA 5.2, negation).
    """
    left = shared(e, left if ordered else left.unordered())
    right = select(right.unordered(), {mine: quote(theirs) for mine, theirs in by})
    right = shared(e, right)
    own = (*left.columns, POS) if ordered else left.columns
    return _Youngest(e, name, left.columns, own, [mine for mine, _ in by]).points(left, right)


class _Youngest:
    """`own`: the columns that tell the rows of the left apart."""

    def __init__(
        self,
        e: Epoch,
        name: str,
        columns: tuple[str, ...],
        own: tuple[str, ...],
        by: Sequence[str],
    ) -> None:
        self._e = e
        self._rows, self._counts = f"{name}.rows", f"{name}.counts"
        self._columns = columns
        self._by = by
        self._own = own

    def points(self, left: Points, right: Points) -> Points:
        """New minus old of the change of the answer at each instant."""
        e, known = self._e, self._e.state.read(self._rows)
        counts = read_trace(e, self._counts, right.columns)
        e.state.add(self._rows, left.frame, self._folded)
        add_trace(e, self._counts, right)
        touched = union(self._keys(left.frame), self._keys(right.frame))
        rows = union(self._touched(known, touched), extended(left.frame, f"FALSE AS {_KNOWN}"))
        if touched is None or rows is None:
            return Points(self._columns, None)
        counts = union(self._touched(counts, touched), extended(right.frame, f"FALSE AS {_KNOWN}"))
        changes = e.view(e.share(e.sql(self._net(e.view(e.spread(rows, self._by))))))
        instants = self._instants(changes, None if counts is None else e.view(counts))
        return Points(self._columns, e.sql(self._changed(self._youngest(changes, instants))))

    # --- what is read ---

    def _keys(self, frame: DataFrame | None) -> DataFrame | None:
        return None if frame is None else frame.selectExpr(*[quote(key) for key in self._by])

    def _touched(self, frame: DataFrame | None, touched: DataFrame | None) -> DataFrame | None:
        if frame is None or touched is None:
            return None
        return extended(with_keys(self._e, frame, self._by, touched), f"TRUE AS {_KNOWN}")

    def _net(self, rows: str) -> str:
        """(row…, _t, _age, _w): the changes by both states of knowledge."""
        at = listed(self._own, T)
        old = f"coalesce(SUM({W}) FILTER (WHERE {_KNOWN}), 0L)"
        both = f"SELECT {at}, SUM({W}) AS _n, {old} AS _o FROM {rows} GROUP BY {at}"
        sides = ", ".join(
            f"named_struct('{_AGE}', {age}L, '{W}', {count})"
            for age, count in ((1, "_n"), (-1, "_o"))
        )
        return f"SELECT * FROM (SELECT {at}, inline(array({sides})) FROM ({both})) WHERE {W} <> 0"

    # --- rows with their lives, keys with their instants ---

    def _pieces(self, changes: str) -> str:
        """(row…, _age, _vs, _ve): each copy of a row with its life; the k-th that comes is the k-th
        that leaves.
        """
        row = listed(self._own, _AGE)
        upto = f"SUM(abs({W})) OVER (PARTITION BY {row}, {W} > 0 ORDER BY {T})"
        numbered = f"SELECT {row}, {T}, {W}, {upto} AS _upto FROM {changes}"
        copies = f"explode(sequence(_upto - abs({W}) + 1, _upto)) AS _copy"
        each = f"SELECT {row}, {T}, {W} > 0 AS _comes, {copies} FROM ({numbered})"
        came = f"max(CASE WHEN _comes THEN {T} END) AS {VS}"
        left = f"coalesce(max(CASE WHEN NOT _comes THEN {T} END), {big(FOREVER)}) AS {VE}"
        lives = f"SELECT {row}, _copy, {came}, {left} FROM ({each}) GROUP BY {row}, _copy"
        return f"SELECT {row}, {VS}, {VE} FROM ({lives}) WHERE {VE} >= {big(self._e.start)}"

    def _instants(self, changes: str, counts: str | None) -> str:
        """(key…, _t, _r, _r_old, _next): when something changes, the count of the right from then
        on, and the next such instant; all before `start` is one instant.
        """
        key = listed(self._by)
        first = f"greatest({T}, {big(self._e.start - TICK)}) AS {T}"
        found = f"SELECT {key}, {first}, 0L AS _n, 0L AS _o FROM {changes}"
        if counts is not None:
            old = f"CASE WHEN {_KNOWN} THEN {W} ELSE 0L END"
            found += f" UNION ALL SELECT {key}, {first}, {W} AS _n, {old} AS _o FROM {counts}"
        net = f"SELECT {key}, {T}, SUM(_n) AS _n, SUM(_o) AS _o FROM ({found}) GROUP BY {key}, {T}"
        window = f"PARTITION BY {key} ORDER BY {T}"
        sums = f"SUM(_n) OVER ({window}) AS _r, SUM(_o) OVER ({window}) AS _r_old"
        return f"SELECT {key}, {T}, {sums}, lead({T}) OVER ({window}) AS {_NEXT} FROM ({net})"

    # --- the answer ---

    def _youngest(self, changes: str, instants: str) -> str:
        """(row…, _at, _next, _n): copies in the answer from an instant to the next, new minus
        old.
        """
        match = same((f"i.{quote(key)}", f"p.{quote(key)}") for key in self._by)
        alive = f"p.{VS} <= i.{T} AND i.{T} < p.{VE}"
        row = ", ".join(f"p.{quote(column)}" for column in self._own)
        joined = (
            f"SELECT {row}, p.{_AGE}, p.{VS}, i.{T} AS _at, i.{_NEXT}, i._r, i._r_old"
            f" FROM ({instants}) i JOIN ({self._pieces(changes)}) p ON {match} AND {alive}"
        )
        place = [POS] if POS in self._own else []
        order = ", ".join([VS, *place, listed(self._columns)])
        window = f"PARTITION BY {listed(self._by, '_at', _AGE)} ORDER BY {order}"
        ranked = f"SELECT *, row_number() OVER ({window}) AS _rank FROM ({joined})"
        stays = f"_rank > CASE WHEN {_AGE} > 0 THEN _r ELSE _r_old END"
        at = listed(self._columns, "_at", _NEXT)
        return f"SELECT {at}, SUM({_AGE}) AS _n FROM ({ranked}) WHERE {stays} GROUP BY {at}"

    def _changed(self, answer: str) -> str:
        """(row…, _t, _w): copies come at the one instant and go at the next."""
        comes = f"named_struct('{T}', _at, '{W}', _n)"
        goes = f"named_struct('{T}', {_NEXT}, '{W}', -_n)"
        columns, at = listed(self._columns), listed(self._columns, T)
        both = f"SELECT {columns}, inline(array({comes}, {goes})) FROM ({answer})"
        later = f"SELECT * FROM ({both}) WHERE {T} >= {big(self._e.start)}"
        return f"SELECT {at}, SUM({W}) AS {W} FROM ({later}) GROUP BY {at} HAVING SUM({W}) <> 0"

    # --- state ---

    def _folded(self, frame: DataFrame) -> DataFrame:
        """Of what came before `complete` only the rows that are still there, each with its instant:
        those that left were the first to come.
        """
        e, row, at = self._e, listed(self._own), listed(self._own, T)
        net = f"SELECT {at}, SUM({W}) AS {W} FROM {e.view(frame)} GROUP BY {at}"
        settled = f"{T} < {big(e.complete)}"
        came = f"SUM(greatest({W}, 0L)) OVER (PARTITION BY {row} ORDER BY {T})"
        gone = f"SUM(CASE WHEN {settled} THEN greatest(-{W}, 0L) END) OVER (PARTITION BY {row})"
        summed = f"SELECT *, {came} AS _came, coalesce({gone}, 0L) AS _gone FROM ({net})"
        left = f"CASE WHEN {W} > 0 THEN least({W}, greatest(_came - _gone, 0L)) ELSE 0L END"
        stays = f"CASE WHEN {settled} THEN {left} ELSE {W} END"
        text = f"SELECT {at}, {stays} AS {W} FROM ({summed})"
        return e.sql(f"SELECT * FROM ({text}) WHERE {W} <> 0")
