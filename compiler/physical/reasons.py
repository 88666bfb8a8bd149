"""Why a step is as it is, in a few words, for comments in programs and for EXPLAIN."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from ..analyse.merge_variant import MergeVariant
from ..plan.expressions import readable_name
from ..plan.operators import Merge
from ..plan.settings import Execution
from .calls import (
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
    Until,
    Where,
    WindowNow,
    WindowRange,
    WindowRows,
    WindowSession,
    WindowUnbounded,
)
from .lengths import length_shown

_EXECUTIONS: dict[Execution, str] = {
    "upa": "by update patterns",
    "nt": "negative tuples from the windows on, all state by key",
    "direct": "rows carry their ends, nothing is known about their order",
}

_HOLDS: dict[Until, str] = {
    "now": "rows that start later than `now` wait for their instant",
    "complete": "EMIT FINAL: only what is complete in order",
    "frozen": "EMIT FROZEN: only what no revision can change",
}


def of_execution(execution: Execution) -> str:
    """What a setting asks for, for people."""
    return f"SET execution = '{execution}'"


def of_technique(execution: Execution) -> str:
    """The technique of an execution and what it means."""
    return f"{execution}: {_EXECUTIONS[execution]}"


def of_call(call: Call) -> str:
    """The reason for a step where the planner had no choice."""
    match call:
        case Elements(as_arrived=True):
            return "each row valid from its order value on; late rows and corrections are left out"
        case Elements():
            return "each row valid from its order value on"
        case Contents(grows=True):
            return "rows are only inserted"
        case Contents(key=()):
            return "the log withdraws rows whenever it likes"
        case Contents():
            return "a row stays until the log has another of its key, or withdraws it"
        case Reconstitute(insert_only=True):
            return "every event brings its end"
        case Reconstitute(as_told=True):
            return "events as they are told: adjusts change their ends"
        case Reconstitute():
            return "adjusts end events whenever they like, from the last stable on"
        case Merged():
            return f"merged by {call.variant}"
        case Where() | Select():
            return "stateless: rows keep their order and their ends"
        case UnionAll():
            return "stateless: as complex as its inputs together"
        case WindowRange(slide=None):
            return "every row lives equally long: the window is the tail of the stream"
        case WindowRange():
            return "both ends rounded up to the slide"
        case WindowNow():
            return "valid for one tick"
        case WindowUnbounded():
            return "nothing ends"
        case WindowRows(slide=None):
            return "a row ends when later rows have come: known only then"
        case WindowRows():
            return "moves with every so-many-th row: known only when it comes"
        case WindowSession():
            return "each row of a session puts off the end of all"
        case JoinPairs(points=True):
            return "an input can be taken back: pairs are, too"
        case JoinPairs(equal=()):
            return "pairs end with the row that ends first; no equal columns: all pairs compared"
        case JoinPairs():
            return "pairs end with the row that ends first: no negative tuples"
        case JoinAsOf():
            return "a row of the window looks up the current row of its key"
        case JoinHalf(anti=True):
            return "a row leaves when a match comes, and is back when the last match leaves"
        case JoinHalf():
            return "a row is there while a match is"
        case ExceptBy():
            return "the oldest row of a value leaves, the youngest that left comes back"
        case CompareSets():
            return "copies of each row are counted on both sides"
        case JoinRelation(corrected=True):
            return (
                "the version is the row's for good: a row that is withdrawn takes its pairs along"
            )
        case JoinRelation(at=None):
            return "the version pinned when the row arrived: no state"
        case JoinRelation():
            return "the newest version at the row's instant: no state"
        case DistinctRows(points=True):
            return "rows can be taken back: copies are counted"
        case DistinctRows():
            return "ends are announced: δ* keeps covered intervals, never the input"
        case DistinctStored():
            return (
                f"{of_execution('direct')}: the rows that stand for a value are found in the input"
            )
        case KeepRows():
            return "few rows pass the filter: they are kept, the archive has all"
        case ToPoints():
            return "the next step needs rows that come and leave at instants"
        case AsStream():
            return "reported rows are elements again"
        case ReportRows(kind="istream"):
            return "rows that enter the answer"
        case ReportRows(kind="dstream"):
            return "rows that leave the answer"
        case ReportRows():
            return "the answer at each instant it changes"
        case Hold():
            return _HOLDS[call.until]
        case GroupRows():
            return call.by
        case Deliver():
            return _of_sink(call)
        case _:
            assert_never(call)


def of_merge(merge: Merge, variant: MergeVariant, promised: Mapping[str, str]) -> str:
    """The algorithm and what keeps it from the next cheaper one, the policy, and how far the merged
    stream is.
    """
    parts = [f"merged by {variant.name}"]
    if variant.cheaper:
        name, lacks = variant.cheaper[-1]
        parts[0] += f" (not {name}: {', '.join(lacks)})"
    share = "" if merge.share is None else f" {merge.share:.15g}"
    parts.append(f"policy {merge.policy.upper()}{share}")
    behind = f" minus {length_shown(merge.lag, merge.timestamps)}" if merge.lag else ""
    listed = ", ".join(map(readable_name, merge.names))
    parts.append(f"merged frontier: the furthest of {listed}{behind}")
    checked = [f"{readable_name(name)}: {text}" for name, text in promised.items()]
    return "; ".join([*parts, *(["checked: " + ", ".join(checked)] if checked else [])])


def _of_sink(call: Deliver) -> str:
    match call.mode:
        case "append":
            return "nothing is taken back: rows are appended"
        case "elements":
            return "a physical stream: inserts, adjusts, and what is frozen as stables"
        case "upsert":
            return "the current row of each key"
        case _:
            return "every change, with its weight"
