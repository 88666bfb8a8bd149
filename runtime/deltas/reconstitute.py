"""The events that the elements of a physical stream come to (LMERGE III): a temporal database.

`Physical.tell` serves any one stream of elements; `reconstitute` is the operator that reads one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from pyspark.sql import DataFrame

from ..elements.columns import DAWN, FOREVER, POS, VE, VS, W, big, quote, string
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Points, Slice, consolidate, union
from ..elements.physical import (
    ADJUST,
    ARRIVAL,
    INSERT,
    INSERTS_ONLY,
    KIND,
    STABLE,
    UNKNOWN_EVENT,
    after_stables,
    instant_of,
    kind_of,
    named,
    rejection_after,
    shown_of,
)
from .ended import remember, told
from .touched import is_large, with_keys

KNOWN: Final = -1
"""The kind of an event that earlier epochs have told."""
_OLD: Final = "_old"
_REASON: Final = "_reason"
_END: Final = "_end"
_LAST: Final = "_last"
_OP: Final = f"STRUCT<{KIND}: INT, {_OLD}: BIGINT, {VE}: BIGINT, _fine: BOOLEAN>"


def reconstitute(
    e: Epoch,
    name: str,
    arrived: Intervals,
    of: str,
    columns: Sequence[str],
    elements: Sequence[str],
    timestamps: bool = True,
    insert_only: bool = False,
    as_told: bool = False,
) -> Intervals | Points:
    """The rows (`columns`) of the stream of elements `of`, each valid as long as its events say, up
    to `now`.

    `elements`: its columns of the kind, `vs`, `ve` and the `ve` that was; `timestamps`: the type of
    the last three. An element that an earlier stable forbids, and an adjust of what is no event at
    that moment, are dead letters and change nothing. STR; insert_only: WK, the ends are announced,
    and an adjust is a dead letter. `as_told`: the changes of events themselves, whose ends are
    announced and may be changed. State: the events that end at or after the last stable.
    """
    made = Physical(of, tuple(columns), tuple(elements), timestamps, insert_only)
    delta = made.tell(e, arrived.frame, Own(e, name, made.columns, *e.stables(of)))
    if insert_only or as_told:
        return Intervals(made.columns, delta, ends=True)
    return Points(made.columns, told(e, name, made.columns, delta))


def unjudged(
    e: Epoch,
    arrived: Intervals,
    of: str,
    columns: Sequence[str],
    elements: Sequence[str],
    timestamps: bool = True,
) -> Unjudged:
    """The elements of `of` as they came, for a merge, which remembers what they are about. State:
    none. The arguments are those of `reconstitute`.
    """
    return Unjudged(Physical(of, tuple(columns), tuple(elements), timestamps), arrived.frame)


class Memory(Protocol):
    """What a stream of elements has told in earlier epochs."""

    @property
    def forgotten(self) -> int:
        """Of events that start before this instant some are not remembered."""

    def known(self, adjusts: DataFrame) -> DataFrame | None:
        """The events (row…, _vs, _ve, _w) that adjusts (row…, _vs) may be about."""

    def remember(self, delta: DataFrame) -> None:
        """Keep the changes of events."""


@dataclass(frozen=True)
class Own:
    """The memory of a stream alone, as state: the events that end at or after the last stable.
    `before`, `after`: that of earlier epochs, and now.
    """

    e: Epoch
    name: str
    columns: tuple[str, ...]
    before: int
    after: int

    @property
    def forgotten(self) -> int:
        return DAWN

    def known(self, adjusts: DataFrame) -> DataFrame | None:
        known = self.e.state.read(self.name, Slice(ve_after=self.before - 1))
        if known is not None and is_large(self.e, self.name):
            known = with_keys(self.e, known, (*self.columns, VS), adjusts)
        # Files of state say what came and what went: only together what is there.
        return None if known is None else consolidate(known, self.columns, VS, VE)

    def remember(self, delta: DataFrame) -> None:
        remember(self.e, self.name, self.columns, delta, self.after)


@dataclass(frozen=True)
class Physical:
    """One stream of elements; the fields are those of `reconstitute`."""

    of: str
    columns: tuple[str, ...]
    elements: tuple[str, ...]
    timestamps: bool
    insert_only: bool = False

    @property
    def _names(self) -> list[str]:
        return named(self.columns)

    @property
    def event(self) -> list[str]:
        """What tells an event from others, but for its end."""
        return [*self._names, VS]

    def tell(self, e: Epoch, frame: DataFrame | None, memory: Memory) -> DataFrame | None:
        """The change of the events `(row…, _vs, _ve, _w)` that this epoch's elements (declared
        columns, `_pos`) make, consolidated, and remembered. What may not be said is rejected.
        """
        before, _ = e.stables(self.of)
        if frame is None:
            return None
        judged = e.share(e.sql(self._judged(e, frame, before)))
        self._reject(e, judged.where(f"{_REASON} IS NOT NULL"), _REASON)
        fine = judged.where(f"{_REASON} IS NULL AND {KIND} <> {STABLE}")
        if self.insert_only:
            return fine.where(f"{VS} < {VE}").selectExpr(*self.event, VE, f"1L AS {W}")
        return self._changed(e, fine, memory)

    def _judged(self, e: Epoch, frame: DataFrame, before: int) -> str:
        """SQL: (row…, _vs, _ve, _old, _pos, _kind, _reason) of elements."""
        kind, start, *ends = self.elements
        told = [f"{kind_of(quote(kind))} AS {KIND}", ARRIVAL, self._instant(start, VS)]
        told += [
            f"coalesce({self._of(end)}, {big(FOREVER)}) AS {new}"
            for end, new in zip(ends, (VE, _OLD), strict=True)
        ]
        view = e.view(frame.selectExpr(*self._names, *told))
        columns = [*self.event, VE, _OLD, POS, KIND]
        guarded = after_stables(view, columns, VS, before, e.in_one_partition)
        reason = rejection_after(VS, VE, _OLD, "_stable")
        if self.insert_only:
            reason = f"CASE WHEN {KIND} = {ADJUST} THEN {string(INSERTS_ONLY)} ELSE {reason} END"
        return f"SELECT {', '.join(columns)}, {reason} AS {_REASON} FROM ({guarded})"

    def _of(self, column: str) -> str:
        return instant_of(quote(column), self.timestamps)

    def _instant(self, column: str, name: str) -> str:
        return f"{self._of(column)} AS {name}"

    # Adjusts and what they are about.

    def _changed(self, e: Epoch, fine: DataFrame, memory: Memory) -> DataFrame:
        known = memory.known(fine.where(f"{KIND} = {ADJUST}"))
        legs = e.view(e.spread(self._legs(e, known, fine), (*self.columns, VS)))
        flagged = e.share(e.sql(self._flagged(legs)))
        sound, doubtful = flagged.where("NOT _doubtful"), flagged.where("_doubtful")
        replayed = e.share(e.sql(self._replayed(e.view(doubtful))))
        unknown = f"NOT _fine AND {VS} >= {big(memory.forgotten)}"
        self._reject(e, replayed.where(unknown), string(UNKNOWN_EVENT))
        own = [*self.event, f"{_END} AS {VE}", f"_n AS {W}"]
        made = union(
            sound.where(f"{KIND} <> {KNOWN}").selectExpr(*own),
            replayed.where("_fine").selectExpr(*self.event, f"inline({_ends_of_op()})"),
        )
        assert made is not None
        # A cancelled event has no time.
        made = made.where(f"{VS} < {VE}")
        delta = e.share(consolidate(made, self.columns, VS, VE))
        memory.remember(delta)
        return delta

    def _legs(self, e: Epoch, known: DataFrame | None, fine: DataFrame) -> DataFrame:
        """Each event begun at an end (+1) or taken from one (-1), with the element that does so;
        `_last`: it is the last that its element does.
        """
        op = [*self.event, VE, _OLD, POS, KIND]
        new = f"struct({VE} AS {_END}, 1L AS _n, TRUE AS {_LAST})"
        old = f"struct({_OLD} AS {_END}, -1L AS _n, FALSE AS {_LAST})"
        legs = f"CASE WHEN {KIND} = {ADJUST} THEN array({old}, {new}) ELSE array({new}) END"
        told = fine.selectExpr(*op, f"inline({legs})")
        if known is None:
            return told
        none = f"CAST(NULL AS {_type_of(told, POS)}) AS {POS}"
        ends = [f"{VE} AS {_END}", f"{W} AS _n", f"TRUE AS {_LAST}"]
        there = [*self.event, VE, f"{VE} AS {_OLD}", none, f"{KNOWN} AS {KIND}", *ends]
        return known.selectExpr(*there).unionByName(told)

    def _flagged(self, legs: str) -> str:
        """SQL: the legs of events, `_doubtful` where some adjust of the same row and start finds
        no event with the end that it names.
        """
        event = ", ".join(self.event)
        so_far = (
            f"SUM(_n) OVER (PARTITION BY {event}, {_END} ORDER BY {POS}, {_LAST}"
            " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
        )
        summed = f"SELECT *, {so_far} AS _there FROM {legs}"
        return f"SELECT *, min(_there) OVER (PARTITION BY {event}) < 0 AS _doubtful FROM ({summed})"

    def _replayed(self, doubtful: str) -> str:
        """SQL: the elements of doubtful events, taken one by one: (row…, _vs, _kind, _old, _ve,
        _fine).

        An adjust that finds no event changes nothing, so that none that follows can build on it.
        """
        event = ", ".join(self.event)
        op = f"struct({KIND} <> {KNOWN} AS _later, {POS}, {KIND}, {_OLD}, {VE}, _n)"
        ops = f"array_sort(collect_list({op}))"
        none = f"named_struct('live', CAST(array() AS ARRAY<BIGINT>), 'ops', {_NO_OPS})"
        folded = f"aggregate({ops}, {none}, (a, x) -> {_STEP}).ops"
        grouped = f"SELECT {event}, {folded} AS _ops FROM {doubtful} WHERE {_LAST} GROUP BY {event}"
        return f"SELECT {event}, inline(_ops) FROM ({grouped})"

    def _reject(self, e: Epoch, frame: DataFrame, reason: str) -> None:
        """Elements that are none, as they came."""
        kind, *instants = self.elements
        words = " ".join(
            f"WHEN {number} THEN '{word}'"
            for word, number in (("insert", INSERT), ("adjust", ADJUST))
        )
        told = [f"CASE {KIND} {words} END AS {quote(kind)}"]
        for column, instant in zip(instants, (VS, VE, _OLD), strict=True):
            given = f"CASE WHEN {instant} < {big(FOREVER)} THEN {instant} END"
            given = f"CASE WHEN {KIND} = {ADJUST} THEN {given} END" if instant == _OLD else given
            told.append(f"{shown_of(given, self.timestamps)} AS {quote(column)}")
        row = (
            f"to_json(struct({', '.join([*self._names, *told])}), map('ignoreNullFields', 'false'))"
        )
        stream = f"{string(self.of)} AS stream"
        letters = frame.selectExpr(stream, f"{reason} AS reason", f"{VS} AS vs", f"{row} AS row")
        e.reject(letters, self.of)


@dataclass(frozen=True)
class Unjudged:
    """The elements of a stream (declared columns, `_pos`), of which somebody else knows what they
    are about.
    """

    physical: Physical
    frame: DataFrame | None

    @property
    def columns(self) -> tuple[str, ...]:
        return self.physical.columns


_NO_OPS: Final = f"CAST(array() AS ARRAY<{_OP}>)"
_AS_IT_IS: Final = ", ".join(f"'{part}', x.{part}" for part in (KIND, _OLD, VE))
_ADDED: Final = f"concat(a.ops, array(named_struct({_AS_IT_IS}, '_fine', {{}})))"
_AT: Final = f"CAST(array_position(a.live, x.{_OLD}) AS INT)"
_WITHOUT: Final = f"concat(slice(a.live, 1, {_AT} - 1), slice(a.live, {_AT} + 1, size(a.live)))"
_STEP: Final = (
    f"CASE WHEN x.{KIND} = {KNOWN} THEN named_struct("
    f"'live', concat(a.live, array_repeat(x.{VE}, CAST(x._n AS INT))), 'ops', a.ops)"
    f" WHEN x.{KIND} = {INSERT} THEN named_struct("
    f"'live', concat(a.live, array(x.{VE})), 'ops', {_ADDED.format('TRUE')})"
    f" WHEN array_contains(a.live, x.{_OLD}) THEN named_struct("
    f"'live', concat({_WITHOUT}, array(x.{VE})), 'ops', {_ADDED.format('TRUE')})"
    f" ELSE named_struct('live', a.live, 'ops', {_ADDED.format('FALSE')}) END"
)


def _ends_of_op() -> str:
    """SQL: what an element does to the ends of its event."""
    new, old = f"struct({VE}, 1L AS {W})", f"struct({_OLD} AS {VE}, -1L AS {W})"
    return f"CASE WHEN {KIND} = {ADJUST} THEN array({old}, {new}) ELSE array({new}) END"


def _type_of(frame: DataFrame, column: str) -> str:
    return frame.schema[column].dataType.simpleString()
