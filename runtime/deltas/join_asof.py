"""The join of intervals with the current row per key of a point edge: an as-of join."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import VE, VS, T, W, big, listed, quote
from ..elements.context import Epoch
from ..elements.deltas import (
    ASKER,
    FRESH,
    KEY,
    STANDS,
    Intervals,
    Lookup,
    Points,
    Slice,
    extended,
    union,
)
from .asked import CURRENT, NEW, OLD, answers
from .join import Equal, on, pairs_of, right_of, small_side
from .keep import kept
from .once import shared
from .points import both_ends, row_changes
from .trace import add_trace, read_trace

_BUCKET: Final = "_bucket"
"""Whole spans of time since the beginning of time counting, each as long as the rows live."""


def join_asof(
    e: Epoch,
    name: str,
    left: Intervals | Points,
    right: Intervals | Points,
    equal: Equal,
    condition: str | None = None,
    span: int | None = None,
    changes: DataFrame | None = None,
) -> Points:
    """Pairs of a valid row of the one side, in interval form, and the row that the other side, in
    point form, has for its key at the instant.

    `equal` compares the whole key of the point side, with equal types. `span`: how long a row of
    the interval side lives at most (microseconds or ticks); None if that is not known. `changes`:
    what `row_changes` makes of the interval side, where the caller has it already.

    The same pairs as of `join_points`, without pairing every change with every other of its key: a
    row that comes or leaves looks its partner up, and a partner that changes meets the rows that
    live then. State: the changes of the point side; of the interval side the archive, or its rows.
    Rows of one tick meet no change: where the point side has a `lookup`, that answers them, and
    its changes are neither made nor kept.
    """
    if isinstance(left, Intervals):
        assert isinstance(right, Points)
        join = _AsOf.of(left, right, equal, span, changes)
    else:
        assert isinstance(right, Intervals)
        join = _AsOf.of(right, left, [(b, a) for a, b in equal], span, changes)
    frame = join.changes(e, name)
    columns = left.columns + right.columns
    if frame is None:
        return Points(columns, None)
    frame = frame.selectExpr(*[quote(column) for column in columns], T, W)
    wanted = on(join.rest, condition)
    return Points(columns, frame if wanted == "TRUE" else frame.where(wanted))


@dataclass(frozen=True)
class _AsOf:
    """`keys` pairs columns of the rows with the key of the current rows; `rest` comes after."""

    rows: Intervals
    current: Points
    keys: Equal
    rest: Equal
    span: int | None
    ends: DataFrame | None
    lookup: Lookup | None

    @classmethod
    def of(
        cls,
        rows: Intervals,
        current: Points,
        equal: Equal,
        span: int | None,
        ends: DataFrame | None,
    ) -> _AsOf:
        lookup = current.lookup if span == 1 else None
        found = None if lookup is None else _looked_for(lookup, equal)
        if found is not None:
            rest = [pair for pair in equal if pair not in found]
            return cls(rows, current, found, rest, span, ends, lookup)
        keys: dict[str, tuple[str, str]] = {}
        rest = []
        for pair in equal:
            known = current.key is None or pair[1] in current.key
            if known and pair[1] not in keys:
                keys[pair[1]] = pair
            else:
                rest.append(pair)
        return cls(rows, current, list(keys.values()), rest, span, ends, None)

    def changes(self, e: Epoch, name: str) -> DataFrame | None:
        """The change of the pairs (columns of both sides, _t, _w)."""
        rows = kept(e, f"{name}.rows", self.rows)
        if self.lookup is not None:
            return self._answered(e, name, rows, self.lookup)
        current = shared(e, self.current.unordered())
        known = read_trace(e, f"{name}.current", current.columns)
        add_trace(e, f"{name}.current", current)
        return union(
            self._looked_up(e, name, rows, current.frame, known),
            self._met(e, rows, current.frame, known),
        )

    # Rows that come and leave look up the current row.

    def _answered(self, e: Epoch, name: str, rows: Intervals, lookup: Lookup) -> DataFrame | None:
        """The rows of one tick meet no change: to look up is enough, and nothing is kept for it."""
        points = self._row_changes(e, name, rows, self.current.frame)
        if points is None:
            return None
        asking = self._asking(rows, points, [mine for mine, _ in self.keys])
        found = lookup.ask(asking)
        if found is None:
            return None
        theirs = [quote(column) for column in self.current.columns]
        return found.selectExpr(*_fields(rows.columns, ASKER), *theirs, T, W)

    def _asking(self, rows: Intervals, points: DataFrame, keys: list[str]) -> DataFrame:
        """What the changes of the rows ask for; a NULL key meets nothing."""
        names = [quote(key) for key in keys]
        row = f"struct({listed(rows.columns)}) AS {ASKER}"
        by = [f"{name} AS {KEY}{n}" for n, name in enumerate(names)]
        return points.where(_not_null(names)).selectExpr(*by, row, STANDS, T, W, FRESH)

    def _looked_up(
        self,
        e: Epoch,
        name: str,
        rows: Intervals,
        changes: DataFrame | None,
        known: DataFrame | None,
    ) -> DataFrame | None:
        points = self._row_changes(e, name, rows, changes)
        earlier = extended(known, f"FALSE AS {FRESH}")
        steps = self._steps(e, union(earlier, extended(changes, f"TRUE AS {FRESH}")))
        if points is None or steps is None:
            return None
        asking = self._asking(rows, points, [mine for mine, _ in self.keys])
        names = [f"{KEY}{n}" for n in range(len(self.keys))]
        told = steps.selectExpr(
            *(*names, f"NULL AS {ASKER}", f"{T} AS {STANDS}", T),
            *(f"0L AS {W}", f"FALSE AS {FRESH}", NEW, OLD),
        )
        both = asking.unionByName(told, allowMissingColumns=True)
        found = self._as_of(e.view(e.spread(both, names)), names)
        theirs = _fields(self.current.columns, CURRENT)
        fields = ", ".join([*_fields(rows.columns, ASKER), *theirs, T, W])
        return e.sql(f"SELECT {fields} FROM ({found})")

    def _row_changes(
        self, e: Epoch, name: str, rows: Intervals, changes: DataFrame | None
    ) -> DataFrame | None:
        """The changes of the rows, and those put out earlier whose partner may have been another
        one.
        """
        ends = row_changes(e, name, rows) if self.ends is None else self.ends
        fresh = extended(ends, f"TRUE AS {FRESH}")
        if changes is None or e.start > e.before:
            return fresh
        assert rows.past is not None
        past = rows.past(Slice(ve_after=e.start - 1))
        if past is None:
            return fresh
        told = both_ends(past, [quote(column) for column in rows.columns])
        again = told.where(f"{T} >= {big(e.start)} AND {T} <= {big(e.before)}")
        return union(fresh, extended(again, f"FALSE AS {FRESH}"))

    def _steps(self, e: Epoch, changes: DataFrame | None) -> DataFrame | None:
        """(key…, _t, _new, _old): the row from an instant on, as is known now and as was known, in
        a struct of its own that holds NULL where there is none any more; NULL: no change.
        """
        if changes is None:
            return None
        columns = listed(self.current.columns)
        known = f"coalesce(SUM({W}) FILTER (WHERE NOT {FRESH}), 0L) AS {OLD}"
        net = (
            f"SELECT {columns}, {T}, SUM({W}) AS {NEW}, {known}"
            f" FROM {e.view(changes)} GROUP BY {columns}, {T}"
        )
        keys = [quote(theirs) for _, theirs in self.keys]
        row = f"struct({columns})"

        def side(count: str) -> str:
            stands = f"first(CASE WHEN {count} > 0 THEN {row} END, TRUE)"
            return f"CASE WHEN max({count} <> 0) THEN named_struct('r', {stands}) END AS {count}"

        by = [f"{key} AS {KEY}{n}" for n, key in enumerate(keys)]
        at = ", ".join([*keys, T])
        return e.sql(
            f"SELECT {', '.join([*by, T, side(NEW), side(OLD)])} FROM ({net})"
            f" WHERE {_not_null(keys)} GROUP BY {at}"
        )

    def _as_of(self, both: str, names: list[str]) -> str:
        """Each asking row with the current rows of an instant at which it stands, now and as was
        known: what it joined with when it left is what it leaves.
        """
        window = f"PARTITION BY {listed(names) or '0'} ORDER BY {STANDS} RANGE UNBOUNDED PRECEDING"
        sides = ", ".join(f"(last({s}, TRUE) OVER ({window})).r AS {s}" for s in (NEW, OLD))
        asked = f"SELECT {ASKER}, {T}, {W}, {FRESH}, {sides} FROM {both}"
        return answers(f"SELECT * FROM ({asked}) WHERE {ASKER} IS NOT NULL")

    # A current row that changes meets the rows that stood before and stand on.

    def _met(
        self, e: Epoch, rows: Intervals, changes: DataFrame | None, known: DataFrame | None
    ) -> DataFrame | None:
        if self.span == 1:
            return None
        assert rows.past is not None
        earlier = None if changes is None else rows.past(Slice(ve_after=e.start - 1))
        late = known is not None and e.start <= e.before
        told = known.where(f"{T} >= {big(e.start)}") if late and known is not None else None
        small = small_side(e, bool(self.keys))
        bucketed = self.span is not None and small is None
        alive = [self._alive(e, frame, bucketed) for frame in (rows.frame, earlier)]
        moved = [right_of(self._moved(frame, bucketed)) for frame in (changes, told)]
        same = [f"{_BUCKET} = {_BUCKET}_r"] if bucketed else []
        match = on(self.keys, None, *same, f"{VS} < {T}_r", f"{T}_r < {VE}")
        pairs = pairs_of(e, (alive[0], moved[0]), (alive[1], moved[1]), match, small)
        if pairs is None:
            return None
        columns = [quote(column) for column in (*rows.columns, *self.current.columns)]
        return pairs.selectExpr(*columns, f"{T}_r AS {T}", f"{W} * {W}_r AS {W}")

    def _alive(self, e: Epoch, frame: DataFrame | None, bucketed: bool) -> DataFrame | None:
        """The rows, once for each bucket in which a change could meet them."""
        if frame is None or not bucketed:
            return frame
        first, last = f"greatest({VS} + 1, {big(e.start)})", f"least({VE} - 1, {big(e.now)})"
        buckets = f"explode(sequence({self._bucket(first)}, {self._bucket(last)}))"
        return frame.where(f"{first} <= {last}").selectExpr("*", f"{buckets} AS {_BUCKET}")

    def _moved(self, frame: DataFrame | None, bucketed: bool) -> DataFrame | None:
        if frame is None or not bucketed:
            return frame
        return frame.selectExpr("*", f"{self._bucket(T)} AS {_BUCKET}_r")

    def _bucket(self, instant: str) -> str:
        assert self.span is not None
        span = big(self.span)
        return f"(({instant} - pmod({instant}, {span})) div {span})"


def _looked_for(lookup: Lookup, equal: Equal) -> list[tuple[str, str]] | None:
    """The comparison with each column of a lookup's key, in its order; None if one is missing."""
    pairs = [next((pair for pair in equal if pair[1] in names), None) for names in lookup.keys]
    found = [pair for pair in pairs if pair is not None]
    return found if len(found) == len(pairs) else None


def _fields(columns: tuple[str, ...], struct: str) -> list[str]:
    return [f"{struct}.{quote(column)} AS {quote(column)}" for column in columns]


def _not_null(names: list[str]) -> str:
    return " AND ".join(f"{name} IS NOT NULL" for name in names) or "TRUE"
