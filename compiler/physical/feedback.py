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
from ..plan.feedback import can_skip, needs, outside
from ..plan.graph import Plan
from ..plan.operators import Merge
from .calls import Merged
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


def path(name: str, section: str) -> str:
    """The name of a merge among all of a program."""
    return f"{section}.{name}" if section else name


def explained(step: Step, plan: Plan, found: Skips) -> Step:
    """A step, which tells what its inputs skip if it is a merge with FEEDBACK."""
    call = step.call
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
    parts = []
    for stream, given in found.items():
        for merge, need in given:
            if merge == of:
                before = f"{length_shown(need, timestamps)} before " if need else ""
                parts.append(f"of {readable_name(stream)} before {before}the merged frontier")
    if not parts:
        return "skips nothing, since every stream is read elsewhere or may be corrected"
    parts = [part.replace("before the", "that lie before the", 1) for part in parts]
    return f"skips rows {', '.join(parts)}"
