"""An answer as a physical stream: inserts, adjusts and stables (LMERGE III), as ELEMENTS reads it
back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from ..elements.columns import DAWN, FOREVER, VE, VS, W, big, listed, quote
from ..elements.context import Epoch
from ..elements.deltas import consolidate
from ..elements.physical import shown_of

COLUMNS: Final = ("kind", "vs", "ve", "old_ve")
_OLD: Final = "_old"
_LAST: Final = "_last"


def elements(e: Epoch, changes: DataFrame, columns: Sequence[str]) -> DataFrame:
    """(row…, _kind, _vs, _ve, _old) of changes of events (row…, _vs, _ve, _w).

    What is withdrawn of a row and start, and what is put in its place, are one adjust; `_old` is
    NULL in inserts. Elements of an epoch are about different events: they come in any order.

    Nothing that was settled changes, so an event that began before that keeps its start, and both
    its ends lie behind it.
    """
    names = tuple(columns)
    event = listed(names, VS)
    net = e.view(consolidate(changes, names, VS, VE))
    units = f"explode(sequence(1L, abs({W}))) AS _unit, {W} > 0 AS _comes"
    split = f"SELECT {event}, {VE}, {units} FROM {net}"
    rank = f"row_number() OVER (PARTITION BY {event}, _comes ORDER BY {VE}) AS _rank"
    ranked = f"SELECT {event}, {VE}, _comes, {rank} FROM ({split})"
    ends = f"max({VE}) FILTER (WHERE _comes) AS {VE}, max({VE}) FILTER (WHERE NOT _comes) AS {_OLD}"
    paired = f"SELECT {event}, {ends} FROM ({ranked}) GROUP BY {event}, _rank"
    kind = f"CASE WHEN {_OLD} IS NULL THEN 'insert' ELSE 'adjust' END AS _kind"
    return e.sql(f"SELECT {event}, coalesce({VE}, {VS}) AS {VE}, {_OLD}, {kind} FROM ({paired})")


def shown(frame: DataFrame, named: Sequence[str], timestamps: bool) -> DataFrame:
    """Elements as the sink has them: columns `named` (SQL), kind, vs, ve and old_ve; an end that is
    not known is NULL.
    """
    instants = [
        f"{shown_of(_known(instant), timestamps)} AS {name}"
        for instant, name in zip((VS, VE, _OLD), COLUMNS[1:], strict=True)
    ]
    return frame.selectExpr(*named, "_kind AS kind", *instants)


def _known(instant: str) -> str:
    return instant if instant == VS else f"CASE WHEN {instant} < {big(FOREVER)} THEN {instant} END"


def with_stable(
    e: Epoch, query: str, rows: DataFrame | None, timestamps: bool
) -> tuple[DataFrame | None, dict[str, Any]]:
    """The elements of an epoch in one partition, the stable behind all others, and what the sink's
    position remembers of them.

    `frozen` is what is stable: behind it nothing is corrected. It is told whenever it has moved,
    once it is known from a first epoch with rows of what types they are.
    """
    known = e.sink_position(query)
    told, frozen = known.get("stable", DAWN), e.frontiers[1].frozen
    schema = known.get("schema") if rows is None else rows.schema.json()
    position = {"schema": schema, "stable": told}
    if schema is None or frozen <= told:
        return (None if rows is None else rows.repartition(1)), position
    stable = _stable(e, schema, frozen, timestamps)
    position["stable"] = frozen
    if rows is None:
        return stable, position
    both = rows.withColumn(_LAST, F.lit(False)).unionByName(stable.withColumn(_LAST, F.lit(True)))
    return both.repartition(1).sortWithinPartitions(_LAST).drop(_LAST), position


def _stable(e: Epoch, schema: str, frozen: int, timestamps: bool) -> DataFrame:
    own = {"kind": "'stable'", "vs": shown_of(big(frozen), timestamps)}
    fields = StructType.fromJson(json.loads(schema)).fields
    typed = [(field.name, field.dataType.simpleString()) for field in fields]
    columns = [f"CAST({own.get(n, 'NULL')} AS {kind}) AS {quote(n)}" for n, kind in typed]
    return e.sql(f"SELECT {', '.join(columns)}")


def remembering(
    write: Callable[[], dict[str, Any]], position: dict[str, Any]
) -> Callable[[], dict[str, Any]]:
    """The write, whose new position has more."""
    return lambda: {**position, **write()}
