"""The last operator of a query: its answer as rows of a sink."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pyspark.sql import DataFrame

from ..connect.sinks import console, files, log, memory
from ..elements.columns import FOREVER, VE, VS, T, W, big, listed, quote
from ..elements.context import Epoch
from ..elements.deltas import AnyDelta, Intervals, Points, consolidate, union
from . import physical_sink
from .changelog import events, pieces, settled_apart
from .reports import as_stream

FEW_ROWS: Final = 20_000
"""An epoch of at most so many rows writes one file a sink."""

Mode = Literal["changelog", "upsert", "append", "elements"]


@dataclass(frozen=True)
class Target:
    """Where a query's output goes. `names` are the output columns as written, in the order of the
    delta's.
    """

    query: str
    format: str
    path: str | None
    mode: Mode
    names: Sequence[str]
    key: Sequence[str]
    timestamps: bool
    options: Mapping[str, str]

    def named(self, columns: Sequence[str]) -> list[str]:
        """The delta's columns under their output names."""
        pairs = zip(columns, self.names, strict=True)
        return [f"{quote(column)} AS {quote(name)}" for column, name in pairs]


def sink(
    e: Epoch,
    query: str,
    delta: AnyDelta,
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

    changelog: names…, vs, ve (NULL: open), w; append: names…; upsert: names…, deleted; elements:
    names…, kind, vs, ve, old_ve, and a `stable` whenever `frozen` has moved. LOG takes lines. The
    epoch is the partition column `epoch` of file sinks. `emit` has been seen to by `hold`.
    """
    target = Target(query, format, path, mode, names, key, timestamps, options or {})
    # What is held back has been corrected there.
    correction = e.corrections(f"query {query}", delta) if emit == "changes" else None
    if e.is_replay:
        return
    if format == "log":
        _log(e, target, _corrected(e, delta, correction))
        return
    if mode == "elements":
        _as_elements(e, target, delta)
        return
    rows = _rows(e, target, delta, correction, emit)
    if rows is not None and e.rows <= FEW_ROWS:
        rows = rows.coalesce(1)
    writer = _writer(e, target, rows)
    if writer is not None:
        e.output(query, writer)


def _as_elements(e: Epoch, target: Target, delta: AnyDelta) -> None:
    changes, rows = _events(e, target, delta), None
    if changes is not None:
        made = physical_sink.elements(e, e.counted(changes, VS), delta.columns)
        rows = physical_sink.shown(made, target.named(delta.columns), target.timestamps)
    rows, position = physical_sink.with_stable(e, target.query, rows, target.timestamps)
    writer = _writer(e, target, rows)
    if writer is not None:
        e.output(target.query, physical_sink.remembering(writer, position))


def _corrected(e: Epoch, delta: AnyDelta, correction: AnyDelta | None) -> AnyDelta:
    """The delta with what a replay corrects."""
    if correction is None:
        return delta
    frame = union(delta.unordered().frame, e.closed(correction).frame)
    return replace(delta, frame=frame, ordered=False)


def _rows(
    e: Epoch, target: Target, delta: AnyDelta, correction: AnyDelta | None, emit: str
) -> DataFrame | None:
    match target.mode:
        case "changelog":
            if e.estimates and e.corrects and emit != "frozen" and isinstance(delta, Points):
                delta, correction = settled_apart(e, delta)
            return _changelog(e, target, delta, correction)
        case "append":
            return _appended(target, _corrected(e, delta, correction))
        case "upsert":
            # What a replay corrects has ended by now, and adds up to nothing.
            return _upserts(e, target, delta)
        case "elements":
            raise ValueError("elements are written by themselves")


def _changelog(
    e: Epoch, target: Target, delta: AnyDelta, correction: AnyDelta | None
) -> DataFrame | None:
    corrected = None if correction is None else _pieces(e, correction)
    frame = union(corrected, _events(e, target, delta))
    if frame is None:
        return None
    if target.format != "console":
        # That one shows the first rows, and computes no others.
        frame = e.counted(frame, VS)
    end = f"CASE WHEN {VE} < {big(FOREVER)} THEN {VE} END"
    instants = [VS, end]
    if target.timestamps:
        instants = [f"timestamp_micros({instant})" for instant in instants]
    ends = [f"{instants[0]} AS vs", f"{instants[1]} AS ve"]
    return frame.selectExpr(*target.named(delta.columns), *ends, f"{W} AS w")


def _pieces(e: Epoch, correction: AnyDelta) -> DataFrame | None:
    return pieces(e, correction) if isinstance(correction, Points) else correction.frame


def _events(e: Epoch, target: Target, delta: AnyDelta) -> DataFrame | None:
    if isinstance(delta, Points):
        if not delta.reported:
            return events(e, f"{target.query}.events", delta)
        # What was reported never falls: every rise is an event that stays open.
        delta = as_stream(delta)
    return delta.unordered().frame


def _appended(target: Target, delta: AnyDelta) -> DataFrame | None:
    frame = delta.frame
    if frame is None:
        return None
    if isinstance(delta, Points):
        frame = consolidate(frame, delta.columns, T)
    entering = frame.where(f"{W} > 0")
    copies = f"explode(sequence(1L, {W})) AS _copy"
    copied = entering.selectExpr(*[quote(column) for column in delta.columns], copies)
    return copied.selectExpr(*target.named(delta.columns))


def _upserts(e: Epoch, target: Target, delta: AnyDelta) -> DataFrame | None:
    """Per key the row that holds now, or its key with `deleted`."""
    if delta.frame is None:
        return None
    net = consolidate(delta.frame, delta.columns)
    named = e.view(net.selectExpr(*target.named(delta.columns), W))
    rest = [name for name in target.names if name not in target.key]
    fields = ", ".join(["TRUE AS _row", *[quote(name) for name in rest]])
    newest = f"max(CASE WHEN {W} > 0 THEN struct({fields}) END) AS _new"
    keys = listed(target.key)
    by_key = f"SELECT {keys}, {newest} FROM {named} GROUP BY {keys}"
    values = [
        quote(name) if name in target.key else f"_new.{quote(name)} AS {quote(name)}"
        for name in target.names
    ]
    return e.sql(f"SELECT {', '.join(values)}, _new IS NULL AS deleted FROM ({by_key})")


def _writer(
    e: Epoch, target: Target, rows: DataFrame | None
) -> Callable[[], dict[str, Any]] | None:
    number, query = e.number, target.query
    if target.format == "console":
        limit = int(target.options.get("numRows", console.ROWS))
        return _if_any(rows, lambda frame: console.show(frame, query, number, limit))
    if target.format == "memory":
        folder = e.folder(memory.directory(query))
        return _if_any(
            rows, lambda frame: memory.write(frame, folder, number, target.mode, target.key)
        )
    assert target.path is not None
    storage = files.prepare(target.path, number)
    options = dict(target.options)
    if target.mode == "elements" and target.format in ("json", "csv"):
        # Else milliseconds: an adjust would not find its event.
        options = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", **options}
    return _if_any(rows, lambda frame: files.write(frame, storage, number, target.format, options))


def _if_any(
    rows: DataFrame | None, write: Callable[[DataFrame], dict[str, Any]]
) -> Callable[[], dict[str, Any]] | None:
    return None if rows is None else lambda: write(rows)


def _log(e: Epoch, target: Target, delta: AnyDelta) -> None:
    assert target.path is not None
    path, committed = target.path, int(e.sink_position(target.query).get("bytes", 0))
    frame = delta.frame
    if frame is not None and isinstance(delta, Intervals):
        # Nothing ever leaves: an element enters at its start.
        frame = frame.withColumnRenamed(VS, T)
    if frame is not None:
        net = e.counted(consolidate(frame, delta.columns, T), T)
        frame = log.lines(net, delta.columns, target.timestamps, e.in_one_partition)
    lines, folder, number = frame, e.folder(""), e.number
    e.output(
        target.query,
        lambda: log.append(lines, path, committed, folder, number, target.query),
    )
