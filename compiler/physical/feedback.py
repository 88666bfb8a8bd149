"""Which rows the inputs of merges with FEEDBACK skip, and how EXPLAIN says so.

In: a plan and its merges as the program declares them. Out: for each base stream the merges before
whose frontiers its rows are skipped, and how far before; steps that tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from ..plan.expressions import readable_name
from ..plan.feedback import before_sinks, can_skip, needs, outside
from ..plan.graph import Plan
from ..plan.operators import Merge
from .calls import Deliver, Merged
from .lengths import length_shown
from .program import MergeSource, Step

Skips: TypeAlias = Mapping[str, tuple[tuple[str, int], ...]]
"""Stream -> (path of a merge, need): rows that lie before its frontier less `need` are skipped."""


def skips(plan: Plan, merges: Sequence[MergeSource]) -> Skips:
    """What no reader of a stream needs. Nothing is skipped of a stream that something else than the
    one input reads, or that may be corrected, nor for a merge that is made under several clocks.
    """
    if dict(plan.settings).get("feedback") == "off":
        return {}
    made = Counter(merge.name for merge in merges)
    paths = {merge.name: path(merge.name, merge.section) for merge in merges}
    found: dict[str, tuple[tuple[str, int], ...]] = {}
    for merge in plan.operators():
        if not isinstance(merge, Merge) or not merge.feedback or made[merge.name] != 1:
            continue
        for place, branch in enumerate(merge.branches):
            others = outside(plan, merge, place)
            for stream, need in needs(branch).items():
                if need is not None and stream not in others and can_skip(stream):
                    known = found.get(stream.name, ())
                    found[stream.name] = (*known, (paths[merge.name], need))
    return found


def heeds(plan: Plan) -> Skips:
    """Stream -> (query, need): rows that lie before what the readers of the query's elements have
    merged, less `need`, are skipped.
    """
    if dict(plan.settings).get("feedback") == "off":
        return {}
    return {stream.name: tuple(need.items()) for stream, need in before_sinks(plan).items()}


def path(name: str, section: str) -> str:
    """The name of a merge among all of a program."""
    return f"{section}.{name}" if section else name


def explained(step: Step, plan: Plan, found: Skips, heeded: Skips) -> Step:
    """A step, which tells what its inputs skip if it is a merge with FEEDBACK, and what is skipped
    for readers of the elements that it writes.
    """
    call = step.call
    if isinstance(call, Deliver):
        sink = next(each for each in plan.sinks if each.query == call.query)
        parts = _skipped(call.query, heeded, sink.timestamps, "what all readers have merged")
        if not parts:
            return step
        reason = f"{step.reason}; feedback: skips rows {', '.join(parts)}"
        return replace(step, reason=reason)
    if not isinstance(call, Merged):
        return step
    merge = next((m for m in plan.operators() if isinstance(m, Merge) and m.name == call.of), None)
    if merge is None or not merge.feedback:
        return step
    text = "off"
    if dict(plan.settings).get("feedback") != "off":
        text = _shown(path(call.of, step.section), found, merge.timestamps)
    return replace(step, reason=f"{step.reason}; feedback: {text}")


def _shown(of: str, found: Skips, timestamps: bool) -> str:
    parts = _skipped(of, found, timestamps, "the merged frontier")
    if not parts:
        return "skips nothing, since every stream is read elsewhere or may be corrected"
    return f"skips rows {', '.join(parts)}"


def _skipped(of: str, found: Skips, timestamps: bool, what: str) -> list[str]:
    parts = []
    for stream, given in found.items():
        for name, need in given:
            if name == of:
                far = f"more than {length_shown(need, timestamps)} " if need else ""
                parts.append(f"of {readable_name(stream)} that lie {far}before {what}")
    return parts
