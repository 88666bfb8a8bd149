"""Events whose ends are changed later, as rows that come and leave at instants."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from ..elements.columns import FOREVER, VE, VS, T, W, big, quote
from ..elements.context import Epoch
from ..elements.deltas import Points, Slice, consolidate, union


def changes_at_instants(
    e: Epoch, name: str, columns: Sequence[str], changes: DataFrame | None, settled: int
) -> Points:
    """When rows come and leave, up to `now`, by the changes `(row…, _vs, _ve, _w)` of events.

    State: the events that end at or after the instant before which nothing changes any more.
    """
    columns = tuple(columns)
    if changes is not None:
        changes = e.share(consolidate(changes, columns, VS, VE))
        remember(e, name, columns, changes, settled)
    return Points(columns, told(e, name, columns, changes))


def remember(
    e: Epoch, name: str, columns: tuple[str, ...], changes: DataFrame, settled: int
) -> None:
    """Keep changes of events as state."""
    live = f"{VE} >= {big(settled)}"
    e.state.add(
        name,
        changes,
        lambda frame: consolidate(frame.where(live), columns, VS, VE),
        lambda file: file.high.get(VE, settled) < settled,
    )


def told(
    e: Epoch, name: str, columns: Sequence[str], changes: DataFrame | None
) -> DataFrame | None:
    """When rows come and leave, up to `now`: of events told now, and of those of the state of that
    name whose time is up.
    """
    names = [quote(column) for column in columns]
    parts = []
    if changes is not None:
        start, end = f"struct({VS} AS {T}, {W})", f"struct({VE} AS {T}, -{W} AS {W})"
        parts.append(changes.selectExpr(*names, f"inline(array({start}, {end}))"))
    if e.now > e.before:
        ended = e.state.read(name, Slice(ve_after=e.before, ve_upto=e.now))
        if ended is not None:
            parts.append(ended.selectExpr(*names, f"{VE} AS {T}", f"-{W} AS {W}"))
    both = union(*parts)
    if both is None:
        return None
    reached = both.where(f"{T} <= {big(min(e.now, FOREVER - 1))}")
    return consolidate(reached, tuple(columns), T)
