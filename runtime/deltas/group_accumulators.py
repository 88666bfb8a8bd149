"""GROUP BY by running sums: the measures of the changes, summed in order of time per group."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from ..elements.columns import T, big, quote
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Points, union
from .group_lookup import KNOWN, lookup, told
from .grouping import ROWS, Grouping, instants
from .once import shared
from .points import to_points
from .sweep import NEW, NEW_BEFORE, OLD, OLD_BEFORE, emitted
from .touched import of_touched
from .trace import settled


@dataclass(frozen=True)
class Reach:
    """As of when measures are known: what lies before `since` at one instant, and in later epochs
    what lies before `complete`. Answers change from `start` on.
    """

    since: int
    complete: int
    start: int


def running(
    e: Epoch,
    name: str,
    grouping: Grouping,
    rows: Intervals | Points,
    partial: bool,
    reach: Reach,
) -> Points:
    """The change of the grouped rows. `partial`: the rows hold measures, not arguments.

    State: measures per group and instant, everything before `reach.complete` at one instant; they
    add up.
    """
    if isinstance(rows, Intervals):
        points = to_points(e, f"{name}.ends", rows)
    else:
        points = shared(e, rows.unordered())
    changes = _changes(e, grouping, points.frame, partial)
    base = e.state.read(name)
    if base is not None:
        base = base.selectExpr(*_columns(grouping, settled(reach.since)))
    found = lookup(e, name, grouping, base, changes)
    if changes is None:
        return Points(grouping.columns, None, grouping.keys, lookup=found)
    _remember(e, name, grouping, changes, reach.complete)
    if base is not None:
        base = of_touched(e, name, base, grouping.keys, changes)
    both = told(base, changes)
    assert both is not None
    source = _rows(grouping, _swept(grouping, e.view(e.spread(both, grouping.keys))), reach.start)
    frame = e.sql(emitted(source, grouping.keys, list(grouping.answers)))
    return Points(grouping.columns, frame, grouping.keys, lookup=found)


def _columns(grouping: Grouping, instant: str) -> list[str]:
    measures = [quote(measure.name) for measure in grouping.measures]
    return [*[quote(key) for key in grouping.keys], f"{instant} AS {T}", *measures]


def _changes(
    e: Epoch, grouping: Grouping, frame: DataFrame | None, partial: bool
) -> DataFrame | None:
    """(keys…, _t, measures…) of this epoch, row by row: they merge where they are summed."""
    changes = None
    if frame is not None:
        keys = [quote(key) for key in grouping.keys]
        changes = frame.selectExpr(*keys, T, *grouping.row_measures(partial))
    if not grouping.firsts():
        return changes
    return union(changes, _nothing_at(e, grouping, changes))


def _nothing_at(e: Epoch, grouping: Grouping, like: DataFrame | None) -> DataFrame:
    """Changes without rows, at the instants at which a global group begins to exist."""
    types = {} if like is None else dict(like.dtypes)
    empty = [
        f"{m.nothing(types.get(m.name) or m.type or 'BIGINT')} AS {quote(m.name)}"
        for m in grouping.measures
    ]
    return instants(e, grouping.firsts()).selectExpr(T, *empty)


def _remember(e: Epoch, name: str, grouping: Grouping, changes: DataFrame, complete: int) -> None:
    def fold(frame: DataFrame) -> DataFrame:
        merged = ", ".join(
            f"{m.merged(quote(m.name))} AS {quote(m.name)}" for m in grouping.measures
        )
        by = grouping.by(settled(complete))
        return e.sql(
            f"SELECT {grouping.by(settled(complete) + ' AS ' + T)}, {merged}"
            f" FROM {e.view(frame)} GROUP BY {by} HAVING {_says_something(grouping)}"
        )

    e.state.add(name, changes, fold, raw=True)


def _says_something(grouping: Grouping) -> str:
    """A group whose rows have all gone again need not be remembered."""
    said = [
        f"{m.merged(quote(m.name))} <> 0"
        if m.merge == "sum"
        else f"{m.merged(quote(m.name))} IS NOT NULL"
        for m in grouping.measures
    ]
    return " OR ".join(said)


def _swept(grouping: Grouping, both: str) -> str:
    """Measures at each instant (`n`, `o`), up to it (`cn`, `co`) and before it (`bn`, `bo`), new
    and old.
    """
    at, totals, before = [], [], []
    window = f"PARTITION BY {grouping.partition} ORDER BY {T}"
    upto = f"{window} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    for measure in grouping.measures:
        column = quote(measure.name)
        known = f"CASE WHEN {KNOWN} THEN {column} END"
        for side, value in (("n", column), ("o", known)):
            own, total = quote(side + measure.name), quote(f"c{side}{measure.name}")
            at.append(f"{measure.merged(value)} AS {own}")
            totals.append(f"{measure.running(own, upto)} AS {total}")
            # What is exact is subtracted; the rest stands in the row before.
            less = f"{total} - {own}" if measure.exact else f"lag({total}) OVER ({window})"
            before.append(f"{less} AS {quote(f'b{side}{measure.name}')}")
    keys = grouping.by(T)
    merged = f"SELECT {keys}, {', '.join(at)} FROM {both} GROUP BY {keys}"
    summed = f"SELECT *, {', '.join(totals)} FROM ({merged})"
    return f"SELECT *, {', '.join(before)} FROM ({summed})"


def _rows(grouping: Grouping, swept: str, start: int) -> str:
    old_first, new_first = grouping.first

    def row(prefix: str, first: int | None, at: str, name: str) -> str:
        exists = grouping.exists(f"coalesce({quote(prefix + ROWS)}, 0)", first, at)
        return f"{grouping.row(prefix, exists)} AS {name}"

    rows = [
        row("cn", new_first, T, NEW),
        row("bn", new_first, f"({T} - 1)", NEW_BEFORE),
        row("co", old_first, T, OLD),
        row("bo", old_first, f"({T} - 1)", OLD_BEFORE),
    ]
    return f"SELECT {grouping.by(T)}, {', '.join(rows)} FROM ({swept}) WHERE {T} >= {big(start)}"
