"""The current row of a group at given instants: sums of what came before, without a row for every
change.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import T, W, listed, quote
from ..elements.context import Epoch
from ..elements.deltas import ASKER, FRESH, KEY, STANDS, Lookup, extended, union
from .asked import CURRENT, NEW, OLD, answers
from .grouping import ROWS, Grouping
from .touched import of_touched

KNOWN: Final = "_known"
"""Whether a change was known before this epoch."""


def told(base: DataFrame | None, changes: DataFrame | None) -> DataFrame | None:
    """Measures of earlier epochs and of this one, with `_known`."""
    return union(extended(base, f"TRUE AS {KNOWN}"), extended(changes, f"FALSE AS {KNOWN}"))


def lookup(
    e: Epoch, name: str, grouping: Grouping, base: DataFrame | None, changes: DataFrame | None
) -> Lookup | None:
    """Finds rows of groups from their measures at instants (keys…, _t, measures…): those of earlier
    epochs, and this epoch's.

    None where there are no keys, or a key is a floating-point number, of which a group shows
    another zero than the row that asks.
    """
    known = base if changes is None else changes
    if known is None or not grouping.keys:
        return None
    kinds = dict(known.dtypes)
    if any(kinds[key] in ("float", "double") for key in grouping.keys):
        return None

    def ask(asking: DataFrame) -> DataFrame:
        pairs = zip(_names(grouping), grouping.keys, strict=True)
        among = asking.selectExpr(*[f"{name} AS {quote(key)}" for name, key in pairs])
        known = None if base is None else of_touched(e, name, base, grouping.keys, among)
        measures = told(known, changes)
        assert measures is not None
        return e.sql(_found(grouping, e.view(_together(e, grouping, measures, asking))))

    return Lookup(tuple((key,) for key in grouping.keys), ask)


def _names(grouping: Grouping) -> list[str]:
    return [f"{KEY}{n}" for n in range(len(grouping.keys))]


def _together(e: Epoch, grouping: Grouping, measured: DataFrame, asking: DataFrame) -> DataFrame:
    names = _names(grouping)
    keys = [f"{quote(key)} AS {name}" for key, name in zip(grouping.keys, names, strict=True)]
    measures = [quote(measure.name) for measure in grouping.measures]
    measured = measured.selectExpr(*keys, f"{T} AS {STANDS}", KNOWN, *measures)
    return e.spread(asking.unionByName(measured, allowMissingColumns=True), names)


def _found(grouping: Grouping, both: str) -> str:
    names = _names(grouping)
    window = f"PARTITION BY {listed(names)} ORDER BY {STANDS} RANGE UNBOUNDED PRECEDING"
    totals = []
    for measure in grouping.measures:
        column = quote(measure.name)
        for side, value in (("n", column), ("o", f"CASE WHEN {KNOWN} THEN {column} END")):
            total = measure.running(value, window)
            total = f"coalesce({total}, 0)" if measure.merge == "sum" else total
            totals.append(f"{total} AS {quote(side + measure.name)}")
    rows = ", ".join(
        f"{grouping.row(side, f'{quote(side + ROWS)} > 0')} AS {name}"
        for side, name in (("n", NEW), ("o", OLD))
    )
    summed = f"SELECT {listed(names, ASKER, T, W, FRESH)}, {', '.join(totals)} FROM {both}"
    asked = (
        f"SELECT {listed(names, ASKER, T, W, FRESH)}, {rows} FROM ({summed})"
        f" WHERE {ASKER} IS NOT NULL"
    )
    keys = [f"{name} AS {quote(key)}" for name, key in zip(names, grouping.keys, strict=True)]
    fields = [f"{CURRENT}.{quote(name)} AS {quote(name)}" for name in grouping.answers]
    columns = ", ".join([*keys, *fields, ASKER, T, W])
    return f"SELECT {columns} FROM ({answers(asked, *names)})"
