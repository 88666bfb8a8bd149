"""The contents of a retroactive relation, made of the log of its changes (UPA 4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ..elements.columns import DAWN, POS, VS, T, W, big, listed, quote, string
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Points, Slice, extended, union
from ..elements.validate import KINDS, UNKNOWN_OPERATION
from .held_rows import END, KNOWN, LIVE, OLD_END, OLD_START, START, changed
from .touched import is_large, with_keys

KIND: Final = "_kind"
"""What a change does: 1 inserts, 0 replaces, -1 deletes."""
FINE: Final = "_fine"
OLD_FINE: Final = "_old_fine"
"""Whether a change can be done: what it replaces or deletes is there. By all that is known now, and
by what was known before this epoch.
"""


def relation(
    e: Epoch,
    name: str,
    log: Intervals,
    of: str,
    columns: Sequence[str],
    key: Sequence[str] = (),
    operation: str | None = None,
    marks: Mapping[str, str] | None = None,
    grows: bool = False,
) -> Points:
    """The rows (`columns`) of the relation `of` that its log puts there, up to `now`.

    key: a row stays until the log has another of its key or deletes it; without it whole rows are
    inserted and deleted. `operation` is the log's column that says what is done, `marks` what its
    values mean: insert, replace or delete; without it each row is inserted. grows: none is deleted.
    Changes count in the order of their instants, then of their arrival; those later than `now` wait
    for it. An unknown operation, and a change of what is not there, are dead letters.
    STR. State: what is there at `complete`, and all later changes.
    """
    made = _Relation(of, tuple(columns), tuple(key), operation, marks or {})
    made.refuse_unknown(e, log.frame)
    new = None if log.frame is None else made.changes(log)
    return made.grown(e, name, new) if grows else made.swept(e, name, new)


@dataclass(frozen=True)
class _Relation:
    of: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    operation: str | None
    marks: Mapping[str, str]

    @property
    def _names(self) -> list[str]:
        return [quote(column) for column in self.columns]

    @property
    def _by(self) -> list[str]:
        """What tells apart the rows that a change may be about."""
        return [quote(column) for column in self.key or self.columns]

    @property
    def _kept(self) -> list[str]:
        return [*self._names, VS, POS, KIND, W]

    def _kind(self) -> str:
        if self.operation is None:
            return "1"
        cases = [f"WHEN {string(value)} THEN {KINDS[kind]}" for value, kind in self.marks.items()]
        return f"CASE CAST({quote(self.operation)} AS STRING) {' '.join(cases)} END"

    def changes(self, log: Intervals) -> DataFrame:
        """(row…, _vs, _pos where it is known, _kind, _w) of what this epoch brings."""
        assert log.frame is not None
        place = [POS] if log.ordered else []
        known = log.frame.selectExpr(*self._names, VS, *place, f"{self._kind()} AS {KIND}", W)
        return known if self.operation is None else known.where(f"{KIND} IS NOT NULL")

    def refuse_unknown(self, e: Epoch, frame: DataFrame | None) -> None:
        """Rows that say nothing that can be done."""
        if frame is None or self.operation is None:
            return
        read = [quote(c) for c in (*self.columns, self.operation)]
        unknown = frame.where(f"{self._kind()} IS NULL")
        self._refuse(e, unknown, string(UNKNOWN_OPERATION), read)

    def _refuse(self, e: Epoch, frame: DataFrame, reason: str, read: Sequence[str]) -> None:
        row = f"to_json(struct({', '.join(read)}), map('ignoreNullFields', 'false')) AS row"
        named = [f"{string(self.of)} AS stream", f"{reason} AS reason", f"{VS} AS vs", row]
        e.reject(frame.selectExpr(*named), self.of)

    # Rows that nothing deletes.

    def grown(self, e: Epoch, name: str, new: DataFrame | None) -> Points:
        """Each row from its instant on. State: the rows that are later than `now`."""
        after = e.before - 1 if e.before == DAWN else e.before
        known = e.state.read(name, Slice(vs_after=after))
        later = f"{VS} > {big(e.now)}" if e.now != DAWN else "TRUE"
        waiting = None if new is None else new.where(later)
        e.state.add(
            name,
            waiting,
            lambda frame: frame.where(later),
            lambda file: e.now != DAWN and file.high.get(VS, e.now + 1) <= e.now,
        )
        both = union(_begun(e, known), new)
        if both is None or e.now == DAWN:
            return Points(self.columns, None)
        reached = both.where(f"NOT ({later})").selectExpr(*self._names, f"{VS} AS {T}", W)
        return Points(self.columns, reached)

    # Rows that later changes end.

    def swept(self, e: Epoch, name: str, new: DataFrame | None) -> Points:
        """New minus old of when rows come and leave, up to `now` and up to the parent's `now`."""
        points = Points(self.columns, None, self.key or None)
        if new is None and not self._open(e, name):
            return points
        if e.now == DAWN:
            # There is no instant yet at which anything could change.
            e.state.add(name, new, lambda frame: frame)
            return points
        rows = self._rows(e, name, new)
        if rows is None:
            return points
        judged = e.share(e.sql(self._sweep(e, rows)))
        if self.operation is not None:
            self._refuse(e, judged.where(self._hopeless(e)), self._reason(), self._names)
        if e.state.is_small(name):
            e.state.replace(name, self._remembered(e, judged))
        else:
            e.state.add(name, new, lambda state: self._folded(e, state))
        changes = changed(self._names, e.view(judged), e) if self.key else self._moved(e, judged)
        return replace(points, frame=e.sql(changes))

    def _open(self, e: Epoch, name: str) -> bool:
        """Whether a change waits for its instant, or to be judged, and time goes on."""
        earlier, later = e.frontiers
        if e.now <= e.before and later.closed <= earlier.closed:
            return False
        waits = Slice(vs_after=min(e.before, earlier.closed - 1))
        return e.before == DAWN or e.state.read(name, waits) is not None

    def _rows(self, e: Epoch, name: str, new: DataFrame | None) -> DataFrame | None:
        known = _begun(e, e.state.read(name))
        if known is not None and is_large(e, name):
            known = self._touched(e, known, new)
        both = union(extended(known, f"TRUE AS {KNOWN}"), extended(new, f"FALSE AS {KNOWN}"))
        return None if both is None else e.spread(both, self.key or self.columns)

    def _touched(self, e: Epoch, known: DataFrame, new: DataFrame | None) -> DataFrame:
        """What is known of that to which something happens, or about which not all is settled."""
        open_ = known.where(f"{VS} >= {big(e.since)}").selectExpr(*self._by)
        touched = union(open_, None if new is None else new.selectExpr(*self._by))
        assert touched is not None
        return with_keys(e, known, self.key or self.columns, touched)

    def _sweep(self, e: Epoch, rows: DataFrame) -> str:
        """SQL: the changes with what comes of them, now and as was known."""
        judged = (_by_key if self.key else _by_count)(e.view(rows), ", ".join(self._by))
        if not self.key:
            return judged
        sides = []
        known = f"{', '.join(self._by)}, {KNOWN}"
        for fine, start, end, by in (
            (FINE, START, END, ", ".join(self._by)),
            (OLD_FINE, OLD_START, OLD_END, known),
        ):
            next_ = f"lead({VS}) OVER (PARTITION BY {by}, {fine} ORDER BY {VS}, {POS})"
            stands = f"{fine} AND {KIND} >= 0"
            sides += [f"CASE WHEN {stands} THEN {VS} END AS {start}"]
            sides += [f"CASE WHEN {stands} THEN {next_} END AS {end}"]
        return f"SELECT *, TRUE AS {LIVE}, {', '.join(sides)} FROM ({judged})"

    def _moved(self, e: Epoch, judged: DataFrame) -> str:
        """SQL for points: copies that changes insert or delete, as far as they are reached."""
        new = f"CAST({FINE} AND {VS} <= {big(e.now)} AS BIGINT)"
        old = f"CAST({KNOWN} AND {OLD_FINE} AND {VS} <= {big(e.before)} AS BIGINT)"
        weight = f"{KIND} * {W} * ({new} - {old}) AS {W}"
        columns = listed(self.columns, f"{VS} AS {T}", weight)
        return f"SELECT * FROM (SELECT {columns} FROM {e.view(judged)}) WHERE {W} <> 0"

    def _hopeless(self, e: Epoch) -> str:
        """Changes of what is not there, once nothing can come before them any more."""
        earlier, later = e.frontiers
        fresh = f"(NOT {KNOWN} OR {VS} >= {big(earlier.closed)})"
        return f"NOT {FINE} AND {VS} < {big(later.closed)} AND {fresh}"

    def _reason(self) -> str:
        what = "key" if self.key else "row"
        texts = {0: f"replace of an unknown {what}", -1: f"delete of an unknown {what}"}
        cases = [f"WHEN {kind} THEN '{text}'" for kind, text in texts.items()]
        return f"CASE {KIND} {' '.join(cases)} END"

    def _remembered(self, e: Epoch, judged: DataFrame) -> DataFrame:
        """What is there at `complete`, as inserted, and the later changes."""
        complete = big(e.complete)
        changes = judged.where(f"{VS} >= {complete}").selectExpr(*self._kept)
        settled = f"{FINE} AND {VS} < {complete}"
        if self.key:
            # A change at `complete` itself still needs what it replaces.
            stands = f"{settled} AND {KIND} >= 0 AND ({END} IS NULL OR {END} >= {complete})"
            there = judged.where(stands).selectExpr(*self._names, VS, POS, f"1 AS {KIND}", W)
        else:
            made = f"max({VS}) AS {VS}, max({POS}) AS {POS}, 1 AS {KIND}, SUM({KIND} * {W}) AS {W}"
            names = ", ".join(self._names)
            view = e.view(judged.where(settled))
            net = f"SELECT {names}, {made} FROM {view} GROUP BY {names}"
            there = e.sql(f"SELECT * FROM ({net}) WHERE {W} > 0")
        found = union(there, changes)
        assert found is not None
        return found

    def _folded(self, e: Epoch, state: DataFrame) -> DataFrame:
        rows = e.spread(state.selectExpr("*", f"FALSE AS {KNOWN}"), self.key or self.columns)
        return self._remembered(e, e.sql(self._sweep(e, rows)))


def _by_key(view: str, by: str) -> str:
    """SQL: a row can be replaced or deleted while the last insertion or deletion of its key before
    is an insertion.
    """
    sides = []
    for fine, partition in ((FINE, by), (OLD_FINE, f"{by}, {KNOWN}")):
        over = f"OVER (PARTITION BY {partition} ORDER BY {VS}, {POS} {_BEFORE})"
        last = f"last_value(CASE WHEN {KIND} <> 0 THEN {KIND} END, TRUE) {over}"
        sides.append(f"{KIND} = 1 OR coalesce({last}, -1) = 1 AS {fine}")
    return f"SELECT *, {', '.join(sides)} FROM {view}"


def _by_count(view: str, by: str) -> str:
    """SQL: a row can be deleted while a copy of it is there.

    Insertions less deletions fall below their least value so far, or below nothing, with exactly
    those deletions that find no copy.
    """
    sums, leasts, fine = [], [], []
    for side, flag, partition in (("_new", FINE, by), ("_old", OLD_FINE, f"{by}, {KNOWN}")):
        over = f"OVER (PARTITION BY {partition} ORDER BY {VS}, {POS} {_SO_FAR})"
        before = f"OVER (PARTITION BY {partition} ORDER BY {VS}, {POS})"
        sums.append(f"SUM({KIND} * {W}) {over} AS {side}_sum")
        leasts.append(f"least(0L, min({side}_sum) {over}) AS {side}_least")
        fell = f"{side}_least < coalesce(lag({side}_least) {before}, 0L)"
        fine.append(f"{KIND} = 1 OR NOT ({fell}) AS {flag}")
    summed = f"SELECT *, {', '.join(sums)} FROM {view}"
    least = f"SELECT *, {', '.join(leasts)} FROM ({summed})"
    return f"SELECT *, {', '.join(fine)} FROM ({least})"


_SO_FAR: Final = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
_BEFORE: Final = "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"


def _begun(e: Epoch, known: DataFrame | None) -> DataFrame | None:
    """What came before the clock began is there from its first instant on."""
    if known is None or e.before != DAWN or e.now == DAWN:
        return known
    _, first = e.first(e.stream_names)
    at = big(e.now if first is None else first)
    return known.withColumn(VS, F.expr(f"CASE WHEN {VS} = {big(DAWN)} THEN {at} ELSE {VS} END"))
