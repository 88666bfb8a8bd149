"""The expression of each step of an epoch."""

from __future__ import annotations

from typing import assert_never

from ..physical.calls import (
    AsStream,
    Call,
    CompareSets,
    Contents,
    Deliver,
    DistinctRows,
    DistinctStored,
    Elements,
    ExceptBy,
    GroupRows,
    Hold,
    JoinAsOf,
    JoinHalf,
    JoinPairs,
    JoinRelation,
    KeepRows,
    Merged,
    Reconstitute,
    ReportRows,
    Select,
    ToPoints,
    UnionAll,
    Where,
    WindowNow,
    WindowRange,
    WindowRows,
    WindowSession,
    WindowUnbounded,
)
from ..physical.program import Step
from . import joins, merges, rows, sinks, timelines, windows
from .layout import Node


def expression(step: Step) -> Node:
    """What stands right of the step's name (for a sink: the whole statement)."""
    match step.call:
        case Elements():
            return rows.elements(step.call)
        case Contents():
            return rows.relation(step.call, step)
        case Reconstitute():
            return rows.reconstitute(step.call, step)
        case Merged():
            return merges.merge(step.call, step)
        case Where():
            return rows.where(step.call, step)
        case Select():
            return rows.select(step.call, step)
        case UnionAll():
            return rows.union_all(step)
        case WindowRange():
            return windows.window_range(step.call, step)
        case WindowNow():
            return windows.window_now(step)
        case WindowUnbounded():
            return windows.window_unbounded(step)
        case WindowRows():
            return windows.rows_window(step.call, step)
        case WindowSession():
            return windows.session_window(step.call, step)
        case KeepRows():
            return windows.keep_rows(step)
        case ToPoints():
            return timelines.to_points(step)
        case AsStream():
            return timelines.as_stream(step.call, step)
        case JoinPairs():
            return joins.join(step.call, step)
        case JoinAsOf():
            return joins.join_asof(step.call, step)
        case JoinHalf():
            return joins.semi_join(step.call, step)
        case ExceptBy():
            return joins.except_by(step.call, step)
        case CompareSets():
            return joins.set_operation(step.call, step)
        case JoinRelation():
            return joins.nrr_join(step.call, step)
        case DistinctRows():
            return timelines.distinct(step.call, step)
        case DistinctStored():
            return timelines.distinct_stored(step)
        case GroupRows():
            return timelines.group(step.call, step)
        case ReportRows():
            return timelines.report(step.call, step)
        case Hold():
            return sinks.hold(step.call, step)
        case Deliver():
            return sinks.sink(step.call, step)
        case _:
            assert_never(step.call)


def functions(call: Call) -> frozenset[str]:
    """The names that the expression of a call needs from the runtime."""
    match call:
        case Elements():
            return frozenset()
        case Contents():
            return frozenset({"relation"})
        case Reconstitute():
            return frozenset({"reconstitute" if call.judged else "unjudged"})
        case Merged():
            return frozenset({"merged"})
        case Where():
            return frozenset({"where"})
        case Select():
            return frozenset({"select"})
        case UnionAll():
            return frozenset({"union_all"})
        case WindowRange():
            return frozenset({"window_range"})
        case WindowNow():
            return frozenset({"window_now"})
        case WindowUnbounded():
            return frozenset({"window_unbounded"})
        case WindowRows():
            return frozenset({"rows_window"})
        case WindowSession():
            return frozenset({"session_window"})
        case KeepRows():
            return frozenset({"keep_rows"})
        case ToPoints():
            return frozenset({"to_points"})
        case AsStream():
            return frozenset({"as_stream"})
        case JoinPairs():
            return frozenset({"join_points" if call.points else "join"})
        case JoinAsOf():
            return frozenset({"join_asof"})
        case JoinHalf():
            return frozenset({"anti_join" if call.anti else "semi_join"})
        case ExceptBy():
            return frozenset({"except_all_by"})
        case CompareSets():
            return frozenset({joins.set_function(call)})
        case JoinRelation():
            return frozenset({"nrr_join"})
        case DistinctRows():
            return frozenset({"distinct_points" if call.points else "distinct"})
        case DistinctStored():
            return frozenset({"distinct_stored"})
        case GroupRows():
            return frozenset({"group", "aggregate"} if call.aggregates else {"group"})
        case ReportRows():
            return frozenset({call.kind})
        case Hold():
            return frozenset({"hold"})
        case Deliver():
            return frozenset({"sink"})
        case _:
            assert_never(call)
