"""Rows of windows whose ends later rows decide: count windows and sessions keep them until no later
row can change anything about them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import POS, VS, T, W, big, quote
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Points, extended, union
from .touched import is_large, with_keys

KNOWN: Final = "_known"
LIVE: Final = "_live"
"""Whether a row stands by what was known before this epoch, and by all that is known now."""
START, END, OLD_START, OLD_END = "_start", "_end", "_old_start", "_old_end"
"""What `Sweep` makes: when rows come and leave, NULL where they do not."""

Sweep = Callable[[DataFrame, str], str]
"""SQL over rows, given as a frame and as a view of it, (row…, keys…, `_vs`, more…, `_known`,
`_live`): the same rows with `_start`, `_end`, `_old_start`, `_old_end`, and with `more` as later
epochs need it.
"""


@dataclass(frozen=True)
class Held:
    """How the rows of a window are kept, each copy a row.

    `by` (SQL) divides them; `more`: engine columns kept besides `_vs` and `_w`. `net`: elements may
    be withdrawn, so copies are counted per row and instant. `life`: rows may also leave when
    nothing comes, at the earliest so long after they came.
    """

    columns: tuple[str, ...]
    by: Sequence[str]
    more: tuple[str, ...]
    net: bool
    life: int | None

    @property
    def keys(self) -> list[str]:
        return [f"_key{number}" for number in range(len(self.by))]

    @property
    def partition(self) -> str:
        """What windows over one key's rows partition by; a constant where there is one key."""
        return ", ".join(self.keys) or "0"

    @property
    def kept(self) -> list[str]:
        """The columns of the state but for the weight."""
        return [*[quote(column) for column in self.columns], VS, *self.more]

    def points(self, e: Epoch, name: str, new: Intervals, sweep: Sweep, ordered: bool) -> Points:
        """New minus old of when rows come and leave, up to `now` and up to the parent's `now`.

        State: the rows that leave at or after `complete`, or not yet.
        """
        new = self.shared(e, new)
        rows = self.rows(e, name, new)
        if rows is None:
            return Points(self.columns, None, ordered=ordered)
        swept = e.sql(sweep(rows, e.view(rows)))
        if e.state.is_small(name):
            swept = e.share(swept)
            e.state.replace(name, self.remembered(e, swept))
        else:
            e.state.add(name, self.added(new), lambda state: self.folded(e, state, sweep))
        return self.told(e, swept, ordered)

    def shared(self, e: Epoch, new: Intervals) -> Intervals:
        """New elements as they are read: more than once, where they may withdraw others."""
        if not self.net or new.frame is None:
            return new
        return replace(new, frame=e.share(new.frame))

    def told(self, e: Epoch, swept: DataFrame, ordered: bool, settled: int | None = None) -> Points:
        """What the swept rows change; `settled`: see `changed`."""
        names = [*[quote(column) for column in self.columns], *([POS] if ordered else [])]
        points = changed(names, e.view(swept), e, settled)
        return Points(self.columns, e.sql(points), ordered=ordered)

    def rows(self, e: Epoch, name: str, new: Intervals) -> DataFrame | None:
        """What the sweep reads; None where nothing comes and nothing leaves."""
        if new.frame is None and (self.life is None or e.now <= e.before):
            return None
        known = e.state.read(name)
        if known is not None:
            known = self._touched(e, name, self.keyed(known), new)
        coming = self.added(new)
        return self.copies(e, known, None if coming is None else self.keyed(coming))

    def added(self, new: Intervals) -> DataFrame | None:
        """New rows as the state has them: of the engine's columns only their place is known."""
        if new.frame is None:
            return None
        more = [each if each == POS else f"CAST(NULL AS BIGINT) AS {each}" for each in self.more]
        names = [quote(column) for column in self.columns]
        return new.frame.selectExpr(*names, VS, *more, W)

    def keyed(self, frame: DataFrame) -> DataFrame:
        pairs = zip(self.by, self.keys, strict=True)
        return frame.selectExpr(*[f"{sql} AS {key}" for sql, key in pairs], "*")

    def copies(
        self, e: Epoch, known: DataFrame | None, coming: DataFrame | None
    ) -> DataFrame | None:
        """Each copy as a row, rows of one key together."""
        if not self.net:
            both = union(
                extended(known, f"TRUE AS {KNOWN}", f"TRUE AS {LIVE}"),
                extended(coming, f"FALSE AS {KNOWN}", f"TRUE AS {LIVE}"),
            )
            return None if both is None else e.spread(both.drop(W), self.keys)
        both = union(
            extended(known, f"{W} AS {KNOWN}", f"{W} AS {LIVE}"),
            extended(coming, f"0L AS {KNOWN}", f"{W} AS {LIVE}"),
        )
        if both is None:
            return None
        firsts = [each for each in self.more if each != POS]
        at = ", ".join([*self.keys, *[each for each in self.kept if each not in firsts]])
        sums = [f"SUM({side}) AS {side}" for side in (KNOWN, LIVE)]
        # Of all rows of a key, and so also if its first one goes.
        over = f"OVER (PARTITION BY {self.partition})"
        made = ", ".join([at, *[f"min(min({each})) {over} AS {each}" for each in firsts], *sums])
        view = e.view(e.spread(both, self.keys))
        net = f"SELECT {made} FROM {view} GROUP BY {at}"
        flags = f"_copy <= {KNOWN} AS {KNOWN}, _copy <= {LIVE} AS {LIVE}"
        copies = f"SELECT *, explode(sequence(1L, greatest({KNOWN}, {LIVE}))) AS _copy FROM ({net})"
        rest = ", ".join([*self.keys, *self.kept, flags])
        return e.sql(f"SELECT {rest} FROM ({copies} WHERE {KNOWN} > 0 OR {LIVE} > 0)")

    def _touched(self, e: Epoch, name: str, known: DataFrame, new: Intervals) -> DataFrame:
        """The rows of keys to which something happens; all of them where they are few."""
        if not self.by or not is_large(e, name):
            return known
        come = None if new.frame is None else self.keyed(new.frame).select(*self.keys)
        leave = None
        if self.life is not None:
            leaves = f"{VS} + {big(self.life)} BETWEEN {big(e.before + 1)} AND {big(e.now)}"
            leave = known.where(leaves).select(*self.keys)
        touched = union(come, leave)
        assert touched is not None
        return with_keys(e, known, self.keys, touched)

    def folded(self, e: Epoch, state: DataFrame, sweep: Sweep) -> DataFrame:
        rows = self.copies(e, None, self.keyed(state))
        assert rows is not None
        swept = e.sql(sweep(rows, e.view(rows)))
        return self.remembered(e, swept)

    def remembered(self, e: Epoch, swept: DataFrame) -> DataFrame:
        """The rows that a later row can still make leave at another instant.

        Rows of `complete` itself may still come, and before it none.
        """
        matters = f"{LIVE} AND ({END} IS NULL OR {END} >= {big(e.complete)})"
        return swept.where(matters).selectExpr(*self.kept, f"1L AS {W}")


def changed(names: Sequence[str], swept: str, e: Epoch, settled: int | None = None) -> str:
    """SQL for points: what rows (`swept`: see `Sweep`) do up to `now`, less what they did up to the
    parent's `now`. What lies before `settled` is told by a replay: rows come then at the earliest.
    """
    since = None if settled is None else big(settled)

    def seen(start: str, end: str, flag: str, upto: int) -> tuple[str, str]:
        """A row's first and last instant as far as they are reached; a row without duration has
        none.
        """
        start = start if since is None else f"greatest({start}, {since})"
        comes = f"{flag} AND {start} <= {big(upto)} AND ({end} IS NULL OR {start} < {end})"
        leaves = f"{comes} AND {end} <= {big(upto)}"
        return f"CASE WHEN {comes} THEN {start} END", f"CASE WHEN {leaves} THEN {end} END"

    new, old = seen(START, END, LIVE, e.now), seen(OLD_START, OLD_END, KNOWN, e.before)
    ends = ", ".join([f"{new[0]} AS _a, {new[1]} AS _b, {old[0]} AS _c, {old[1]} AS _d"])
    parts = []
    for now, before, sign in (("_a", "_c", 1), ("_b", "_d", -1)):
        for instant, weight in ((now, sign), (before, -sign)):
            moved = f"CASE WHEN NOT {now} <=> {before} THEN {instant} END"
            parts.append(f"named_struct('{T}', {moved}, '{W}', {weight}L)")
    exploded = f"{', '.join(names)}, inline(array({', '.join(parts)}))"
    return (
        f"SELECT * FROM (SELECT {exploded} FROM (SELECT *, {ends} FROM {swept}))"
        f" WHERE {T} IS NOT NULL"
    )
