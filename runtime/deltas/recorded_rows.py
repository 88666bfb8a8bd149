"""The recorded lineage of windows by count (REPLAY 4.2, Table 2; DESIGN sections 4, 5).

How long a row of such a window stays only the rows after it tell. When they have told it, the row
is recorded with its first instant and its end: an archive of what the window puts out, kept as long
as corrections reach. With what the state has, it gives the contents of the window at any instant of
that time: a replay begins with them, and so does a correction of the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from ..elements.columns import FOREVER, VE, VS, W, big, quote
from ..elements.context import RECORD, Epoch, State
from ..elements.deltas import Intervals, Points, Slice, consolidate, union
from .held_rows import END, KNOWN, LIVE, OLD_END, Held, Sweep
from .keep import ended
from .touched import is_large, with_keys


@dataclass(frozen=True)
class Recorded:
    """A window of a name, whose rows are held and swept so. State: that of `Held`; and the record:
    the rows whose end is known, with `_ve`, as weights: what corrects an end adds two.
    """

    held: Held
    name: str
    sweep: Sweep

    def points(self, e: Epoch, new: Intervals, ordered: bool) -> Points:
        """As `Held.points`; of what a replay tells, only what lies from there on."""
        held = self.held
        if e.is_replay:
            came = replace(new, frame=union(new.frame, self._contents(e)))
            return held.points(e, self.name, came, self.sweep, ordered)
        new = held.shared(e, new)
        corrects = new.frame is not None and new.settled is not None
        rows = self._reached(e, new) if corrects else held.rows(e, self.name, new)
        told = None if rows is None else e.share(e.sql(self.sweep(rows, e.view(rows))))
        self._record(e, told)
        if told is None:
            return Points(held.columns, None, ordered=ordered)
        self._remember(e, told, new, corrects)
        return held.told(e, told, ordered, new.settled if corrects else None)

    @property
    def _record_name(self) -> str:
        return f"{self.name}{RECORD}"

    @property
    def _columns(self) -> str:
        """SQL: the columns of an element but for its end."""
        return ", ".join(self.held.kept)

    def _record(self, e: Epoch, swept: DataFrame | None) -> None:
        """Keep which ends have become known or others; let go what no replay asks for."""
        oldest = e.recorded_from
        changes = None
        if swept is not None:
            new = f"CASE WHEN {LIVE} THEN {END} END"
            old = f"CASE WHEN {KNOWN} THEN {OLD_END} END"
            pair = (
                f"named_struct('{VE}', {new}, '{W}', 1L), named_struct('{VE}', {old}, '{W}', -1L)"
            )
            both = f"SELECT {self._columns}, inline(array({pair})) FROM {e.view(swept)}"
            changes = e.sql(
                f"SELECT * FROM ({both} WHERE NOT {new} <=> {old}) WHERE {VE} IS NOT NULL"
            )

        def fold(frame: DataFrame) -> DataFrame:
            return self._net(frame).where(f"{VE} >= {big(oldest)}").sortWithinPartitions(VE)

        e.state.add(self._record_name, changes, fold, ended(oldest - 1))

    def _net(self, frame: DataFrame) -> DataFrame:
        return consolidate(frame, self.held.columns, VS, *self.held.more, VE)

    def _remember(self, e: Epoch, swept: DataFrame, new: Intervals, corrects: bool) -> None:
        """The rows of the state: a deletion brings rows back into it."""
        held, state = self.held, e.state
        if corrects or state.is_small(self.name):
            kept = held.remembered(e, swept)
            others = self._untouched(e, new) if corrects else None
            state.replace(self.name, kept if others is None else kept.unionByName(others))
        else:
            state.add(self.name, held.added(new), lambda old: held.folded(e, old, self.sweep))

    def _reached(self, e: Epoch, new: Intervals) -> DataFrame | None:
        """The rows that are swept where rows are corrected: those of the window just before the
        oldest correction, and all later ones.
        """
        assert new.frame is not None and new.oldest is not None
        touched = self._touched(e, new)
        ended = self._recorded(e, Slice(ve_after=new.oldest - 1))
        known = union(ended, self._open(e, touched))
        if known is not None:
            known = self.held.keyed(known.drop(VE))
            known = known if touched is None else with_keys(e, known, self.held.keys, touched)
        coming = self.held.added(new)
        assert coming is not None
        return self.held.copies(e, known, self.held.keyed(coming))

    def _touched(self, e: Epoch, new: Intervals) -> DataFrame | None:
        """The keys of new rows, where it pays to leave out the others."""
        if new.frame is None or not self.held.by or not is_large(e, self.name):
            return None
        return self.held.keyed(new.frame).select(*self.held.keys)

    def _untouched(self, e: Epoch, new: Intervals) -> DataFrame | None:
        """The state of the keys that are left out."""
        touched, known = self._touched(e, new), e.state.read(self.name)
        if touched is None or known is None:
            return None
        same = " AND ".join(f"k.{key} <=> a.{key}" for key in self.held.keys)
        left = f"{e.view(self.held.keyed(known))} k LEFT ANTI JOIN {e.view(touched)} a ON {same}"
        return e.sql(f"SELECT {self._columns}, {W} FROM {left}")

    def _contents(self, e: Epoch) -> DataFrame | None:
        """In a replay: the rows before each stretch that are in the window just before it, as new
        elements are.
        """
        stretches = e.stretches
        lows = [low for low, _ in stretches]
        if not lows:
            return None
        wanted = Slice(vs_upto=max(lows) - 1, ve_after=min(lows) - 1)
        known = union(self._recorded(e, wanted), self._open(e, None))
        if known is None:
            return None
        names = [quote(column) for column in self.held.columns]
        more = [VS, f"{big(FOREVER)} AS {VE}", W, *self.held.more]
        return known.where(_just_before(stretches)).selectExpr(*names, *more)

    def _recorded(self, e: Epoch, wanted: Slice) -> DataFrame | None:
        """What is recorded, each copy a row."""
        found = e.earlier.read(self._record_name, wanted)
        if found is None:
            return None
        copy = f"explode(array_repeat(1L, CAST({W} AS INT))) AS {W}"
        return self._net(found).selectExpr(*self.held.kept, VE, copy)

    def _open(self, e: Epoch, touched: DataFrame | None) -> DataFrame | None:
        """The rows of the state of which no end is known."""
        state: State = e.earlier
        known = state.read(self.name)
        if known is None:
            return None
        known = self.held.keyed(known)
        if touched is not None:
            known = with_keys(e, known, self.held.keys, touched)
        rows = self.held.copies(e, None, known)
        assert rows is not None
        swept = self.sweep(rows, e.view(rows))
        return e.sql(
            f"SELECT {self._columns}, {big(FOREVER)} AS {VE}, 1L AS {W} FROM ({swept})"
            f" WHERE {LIVE} AND {END} IS NULL"
        )


def _just_before(stretches: Sequence[tuple[int, int]]) -> str:
    """SQL: an element lies in no stretch, and lasts until one begins."""
    within = [f"{VS} >= {big(low)} AND {VS} < {big(high)}" for low, high in stretches]
    lasts = [f"({VS} < {big(low)} AND {VE} >= {big(low)})" for low, _ in stretches]
    outside = " AND ".join(f"NOT ({each})" for each in within)
    return f"{outside} AND ({' OR '.join(lasts)})"
