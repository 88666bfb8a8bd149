"""EXPLAIN as a Graphviz graph; the data flows upwards."""

from __future__ import annotations

from collections.abc import Sequence

from ..physical import PhysicalPlan
from ..plan.expressions import readable
from ..rewrite import Applied, Decision


def as_dot(
    plan: PhysicalPlan,
    rewrites: Sequence[Applied],
    warnings: Sequence[str],
    decisions: Sequence[Decision] = (),
) -> str:
    lines = [f"digraph {_quoted(plan.name)} {{", "  rankdir=BT;", "  node [shape=box];"]
    for step in plan.steps:
        title = f"{step.id} {step.op} {readable(step.detail)}".rstrip()
        state = [] if step.state == "none" else [f"state: {step.state}"]
        label = "\n".join([title, f"{step.pattern} {step.ends}", *state])
        lines.append(f"  {step.id} [label={_quoted(label)}];")
    for step in plan.steps:
        for source, taken in zip(step.inputs, step.taken, strict=True):
            lines.append(f"  {source} -> {step.id} [label={_quoted(taken)}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
