"""The last operator of a query: its answer as rows of a sink."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ..connect.sinks import console, files, log, memory
from ..elements.columns import FOREVER, T, VE, VS, W, quote
from ..elements.deltas import Intervals, Points, cols, consolidate
from ..epoch.context import Epoch, Output
from .changelog import events

Mode = Literal["changelog", "upsert", "append"]


@dataclass(frozen=True)
class Target:
    """Where a query's output goes. `names` are the output columns as written, in the order of the delta's."""

    query: str
    format: str
    path: str | None
    mode: Mode
    names: Sequence[str]
    key: Sequence[str]
    timestamps: bool
    options: Mapping[str, str]


def sink(
    e: Epoch,
    query: str,
    delta: Intervals | Points,
    format: str,
    path: str | None,
    mode: Mode,
    names: Sequence[str],
    key: Sequence[str] = (),
    emit: str = "changes",
    timestamps: bool = True,
    options: Mapping[str, str] | None = None,
) -> None:
    """Register this epoch's output of a query.

    changelog: names…, vs, ve (NULL: open), w; append: names…; upsert: names…, deleted. LOG takes lines. The epoch is
    the partition column `epoch` of file sinks. `emit` has been seen to by `hold`.
    """
    target = Target(query, format, path, mode, names, key, timestamps, options or {})
    if format == "log":
        _log(e, target, delta)
        return
    rows = _rows(e, target, delta)
    writer = _writer(e, target, rows)
    if writer is not None:
        e.outputs.append(Output(query, writer))


def _rows(e: Epoch, target: Target, delta: Intervals | Points) -> DataFrame | None:
    match target.mode:
        case "changelog":
            return _changelog(e, target, delta)
        case "append":
            return _appended(target, delta)
        case "upsert":
            return _upserts(target, delta)


def _changelog(e: Epoch, target: Target, delta: Intervals | Points) -> DataFrame | None:
    if isinstance(delta, Points):
        frame = events(e, f"{target.query}.events", delta)
    else:
        frame = delta.frame
    if frame is None:
        return None
    end = F.when(F.col(VE) < FOREVER, F.col(VE))
    return frame.select(
        *_named(delta.columns, target.names),
        _instant(F.col(VS), target.timestamps).alias("vs"),
        _instant(end, target.timestamps).alias("ve"),
        F.col(W).alias("w"),
    )


def _instant(instant: Column, timestamps: bool) -> Column:
    return F.timestamp_micros(instant) if timestamps else instant


def _named(columns: Sequence[str], names: Sequence[str]) -> list[Column]:
    return [F.col(quote(c)).alias(n) for c, n in zip(columns, names, strict=True)]


def _appended(target: Target, delta: Intervals | Points) -> DataFrame | None:
    frame = delta.frame
    if frame is None:
        return None
    if isinstance(delta, Points):
        frame = consolidate(frame, delta.columns, T)
    copies = F.explode(F.sequence(F.lit(1).cast("long"), F.col(W)))
    entering = frame.where(F.col(W) > 0).select(*cols(delta.columns), copies.alias("_copy"))
    return entering.select(*_named(delta.columns, target.names))


def _upserts(target: Target, delta: Intervals | Points) -> DataFrame | None:
    """Per key the row that holds now, or its key with `deleted`."""
    if delta.frame is None:
        return None
    net = consolidate(delta.frame, delta.columns)
    named = net.select(*_named(delta.columns, target.names), W)
    keys = cols(list(target.key))
    rest = [name for name in target.names if name not in target.key]
    row = F.struct(*cols(rest)) if rest else F.struct(F.lit(True).alias("_row"))
    newest = named.groupBy(*keys).agg(F.max(F.when(F.col(W) > 0, row)).alias("_new"))
    chosen = newest.withColumn("_deleted", F.col("_new").isNull())
    values = [F.col("_new")[name].alias(name) for name in rest]
    by_name = {name: value for name, value in zip(rest, values, strict=True)}
    ordered = [by_name.get(name, F.col(quote(name))) for name in target.names]
    return chosen.select(*ordered, F.col("_deleted").alias("deleted"))


def _writer(
    e: Epoch, target: Target, rows: DataFrame | None
) -> Callable[[], dict[str, Any]] | None:
    fresh = e.parent.epoch == 0 and not e.repeated
    match target.format:
        case "console":
            limit = int(target.options.get("numRows", console.ROWS))
            return _if_any(rows, lambda frame: console.show(frame, target.query, e.number, limit))
        case "memory":
            return _if_any(rows, lambda frame: _to_memory(e, target, frame))
        case _:
            assert target.path is not None
            storage = files.prepare(target.path, e.number, fresh)
            options = dict(target.options)
            return _if_any(
                rows, lambda frame: files.write(frame, storage, e.number, target.format, options)
            )


def _if_any(
    rows: DataFrame | None, write: Callable[[DataFrame], dict[str, Any]]
) -> Callable[[], dict[str, Any]] | None:
    return None if rows is None else lambda: write(rows)


def _to_memory(e: Epoch, target: Target, frame: DataFrame) -> dict[str, Any]:
    position = memory.write(frame, e.storage, target.query, e.number)
    memory.publish(e.spark, e.storage, target.query, target.mode, list(target.key))
    return position


def _log(e: Epoch, target: Target, delta: Intervals | Points) -> None:
    assert target.path is not None
    path, committed = target.path, int(e.sink_position(target.query).get("bytes", 0))
    frame = delta.frame
    if frame is not None and isinstance(delta, Intervals):
        # Nothing ever leaves: an element enters at its start.
        frame = frame.withColumnRenamed(VS, T)
    if frame is not None:
        net = consolidate(frame, delta.columns, T)
        frame = log.lines(net, list(delta.columns), target.timestamps)
    lines = frame
    e.outputs.append(
        Output(
            target.query,
            lambda: log.append(lines, path, committed, e.storage, e.number, target.query),
        )
    )
