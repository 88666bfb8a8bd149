"""The sweep: what a timeline operator emits at an instant, from its rows before and after, old and new."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ..elements.columns import T, W
from ..elements.deltas import cols

_ROW = "_row"


def emit_changes(
    frame: DataFrame, keys: Sequence[str], values: Sequence[str], rows: dict[str, Column]
) -> DataFrame:
    """New minus old of the change at each instant, as points (keys…, values…, _t, _w).

    `rows` holds four struct columns, NULL where there is no row: `new` and `new_before` the row at the instant and just
    before it by all that is known now, `old` and `old_before` by what was known before this epoch. What cancels
    out is not emitted, so that there is one net change per row and instant.
    """
    names = ("new", "new_before", "old", "old_before")
    tagged = frame.withColumns({f"_{name}": rows[name] for name in names})
    new, new_before, old, old_before = (F.col(f"_{name}") for name in names)
    candidates = F.array(
        _candidate(new, [], 1, -_same(new, new_before) - _same(new, old) + _same(new, old_before)),
        _candidate(new_before, [new], -1, -_same(new_before, old) + _same(new_before, old_before)),
        _candidate(old, [new, new_before], -1, _same(old, old_before)),
        _candidate(old_before, [new, new_before, old], 1, F.lit(0)),
    )
    exploded = tagged.select(*cols(list(keys)), T, F.inline(candidates))
    fields = [F.col(_ROW)[name].alias(name) for name in values]
    return exploded.where(F.col(W) != 0).select(*cols(list(keys)), *fields, T, W)


def _same(one: Column, other: Column) -> Column:
    return F.when(one.eqNullSafe(other), 1).otherwise(0)


def _candidate(row: Column, earlier: list[Column], own: int, others: Column) -> Column:
    """A row with its net weight; none if it is missing, or stands among the earlier candidates already."""
    counted = row.isNotNull()
    for each in earlier:
        counted = counted & ~row.eqNullSafe(each)
    weight = F.when(counted, F.lit(own) + others).otherwise(0).cast("long")
    return F.struct(row.alias(_ROW), weight.alias(W))
