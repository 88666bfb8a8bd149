"""CLEANSE: order by buffering, so that a cheaper algorithm can merge (LMERGE IV-G)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import DataFrame

from ...elements.columns import DAWN, FOREVER, VE, VS, W, big, listed
from ...elements.context import Epoch
from ...elements.deltas import consolidate, union
from .inputs import Input


def cleanse(
    e: Epoch, state: str, columns: Sequence[str], given: Input, adjusts: bool = True
) -> Input:
    """The same input with inserts only, in order of start over the epochs: what R1 may merge (in
    an epoch, those that start together stand by row and end), and R2 with duplicates.

    `columns`: those of the row. `adjusts`: the input may have some. Then an event is given when it
    is fully frozen and all that start before it have been given; the stable is held back by what is
    not, and read off the rows (a job). Without, an event is given when its start lies before the
    stable. State: the events that are held, (row…, _vs, _ve, _w).
    """
    names = tuple(columns)
    known, new = e.state.read(state), _changes(given.elements, names)
    both = union(known, new)
    if both is None:
        return replace(given, elements=None)
    every = e.share(consolidate(both, names, VS, VE))
    stable = _held_back(every, given.stable) if adjusts else given.stable
    due = every.where(f"{VS} < {big(stable)}") if stable > DAWN else None
    if e.state.is_small(state):
        held = every if due is None else every.where(f"{VS} >= {big(stable)}")
        e.state.replace(state, held)
    else:
        event = [listed([name]) for name in (*names, VS, VE)]
        gone = None if due is None else due.selectExpr(*event, f"-{W} AS {W}")
        e.state.add(state, union(new, gone), lambda frame: consolidate(frame, names, VS, VE))
    return replace(given, elements=_inserts(due, names), stable=stable)


def _changes(elements: DataFrame | None, columns: tuple[str, ...]) -> DataFrame | None:
    """What elements do to events: (row…, _vs, _ve, _w)."""
    if elements is None:
        return None
    comes, goes = f"struct({VE}, 1L AS {W})", f"struct(_old AS {VE}, -1L AS {W})"
    changes = f"CASE WHEN _kind = 'adjust' THEN array({comes}, {goes}) ELSE array({comes}) END"
    event = [listed([name]) for name in (*columns, VS)]
    # A cancelled event has no time.
    return elements.selectExpr(*event, f"inline({changes})").where(f"{VS} < {VE}")


def _held_back(events: DataFrame, t: int) -> int:
    """Before it nothing is missing in the output: the first start of what is not fully frozen."""
    if t in (DAWN, FOREVER):
        return t
    waits = events.where(f"{VE} >= {big(t)}").selectExpr(f"min({VS}) AS held")
    held: int | None = waits.collect()[0].held
    return t if held is None else min(t, held)


def _inserts(events: DataFrame | None, columns: tuple[str, ...]) -> DataFrame | None:
    if events is None:
        return None
    event = [listed([name]) for name in (*columns, VS, VE)]
    copies = events.selectExpr(*event, f"explode(sequence(1L, {W})) AS _copy")
    return copies.selectExpr(*event, "CAST(NULL AS BIGINT) AS _old", "'insert' AS _kind")
