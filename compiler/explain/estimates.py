"""What corrections by a sample estimate, and what they tell exactly (REVISE BY APPROXIMATE)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..physical import PhysicalPlan, Step
from ..physical.calls import Deliver, GroupRows, JoinPairs
from ..plan.expressions import readable_name


def lines(plan: PhysicalPlan) -> list[str]:
    """A line for each query that is corrected so."""
    return [_said(each) for each in fields(plan)]


def fields(plan: PhysicalPlan) -> list[dict[str, Any]]:
    """The same as names and values: `query`, `aggregates`, `percent`, `exact`."""
    if plan.replay is None or plan.replay.percent is None:
        return []
    return list(_fields(plan, plan.replay.percent, plan.replay.queries))


def _said(found: dict[str, Any]) -> str:
    made = ", ".join(readable_name(name) for name in found["aggregates"])
    if found["percent"] == 100:
        return f"{found['query']}: {made} are exact: all rows are drawn"
    if found["exact"]:
        return f"{found['query']}: {made} are exact: no other rows than the corrected ones matter"
    return (
        f"{found['query']}: what is corrected before `complete` of {made} is estimated: each of the"
        f" {found['percent']}% of the rows that are drawn stands for {100 // found['percent']};"
        " what is answered from `complete` on is exact"
    )


def _fields(plan: PhysicalPlan, percent: int, queries: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    steps = {step.id: step for step in plan.steps}
    for sink in plan.steps:
        if not isinstance(sink.call, Deliver) or sink.call.query not in queries:
            continue
        for group in _below(sink, steps):
            if isinstance(group.call, GroupRows) and group.call.estimated:
                joins = any(isinstance(e.call, JoinPairs) for e in _below(group, steps))
                names = [each.name for each in group.call.aggregates]
                yield {
                    "query": sink.call.query,
                    "aggregates": names,
                    "percent": percent,
                    "exact": percent == 100 or not joins,
                }


def _below(step: Step, steps: dict[str, Step]) -> Iterator[Step]:
    """A step and all below it."""
    yield step
    for id_ in step.inputs:
        yield from _below(steps[id_], steps)
