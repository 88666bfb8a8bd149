"""GROUP BY: one row per key while the group has rows (UPA 5.2 rule 4: WK, replaced by key).

Three ways, chosen by the compiler:
accumulators  running sums over the changes of the touched groups, where measures may be subtracted
              or nothing leaves
panes         below a window with SLIDE: one partial a group and pane, then either of the others
              over the partials
contents      the rows of the touched groups are read and aggregated anew at each instant that
              changes them
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ..elements.columns import quote
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Points
from .group_accumulators import Reach, running
from .group_contents import recomputed
from .group_sample import corrected_by_sample
from .grouping import Grouping
from .measures import Aggregate

Strategy = Literal["accumulators", "panes", "contents"]


def group(
    e: Epoch,
    name: str,
    delta: Intervals | Points,
    keys: Mapping[str, str],
    aggregates: Mapping[str, Aggregate],
    by: Strategy,
    streams: list[str] | None = None,
    estimated: bool = False,
) -> Points:
    """Grouped rows as points (keys…, aggregates…, _t, _w).

    keys: output name -> SQL. Without keys there is one row from the first element of `streams` (of
    any stream, if left out) on. State: sums per group as of `complete` and later changes; with
    contents, the rows. `estimated`: what was complete is corrected from a sample; the sums that it
    corrects are those of the answers as they were told, known as of `frozen`.
    """
    grouping = Grouping.of(e, keys, aggregates, e.stream_names if streams is None else streams)
    rows = grouping.rows(delta, keys)
    reach = Reach(e.since, e.complete, e.start)
    if estimated and isinstance(rows, Intervals):
        if e.is_replay:
            e.corrections(f"group {name}", rows)
            return Points(grouping.columns, None, grouping.keys)
        rows, reach = corrected_by_sample(e, name, grouping, aggregates, rows)
    if by == "panes" and isinstance(rows, Intervals):
        partials = grouping.partials(e, rows)
        if grouping.exact:
            return running(e, name, grouping, partials, partial=True, reach=reach)
        return recomputed(e, name, grouping, partials, partial=True)
    if by == "contents":
        return recomputed(e, name, grouping, rows, partial=False)
    return running(e, name, grouping, rows, partial=False, reach=reach)


def distinct_points(e: Epoch, name: str, points: Points) -> Points:
    """DISTINCT over an edge that can retract: each row once while its multiplicity is positive.

    State: counts per row (UPA 5.3.2, DISTINCT over STR).
    """
    grouping = Grouping.of(e, {column: quote(column) for column in points.columns}, {}, [])
    reach = Reach(e.since, e.complete, e.start)
    return running(e, name, grouping, points, partial=False, reach=reach)
