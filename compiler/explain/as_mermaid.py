"""EXPLAIN as a Mermaid flowchart; the data flows upwards."""

from __future__ import annotations

from collections.abc import Sequence

from ..physical import PhysicalPlan
from ..plan.expressions import readable
from ..rewrite import Applied, Decision

_ENTITIES = {'"': "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "`": "#96;", "&": "#amp;"}


def as_mermaid(
    plan: PhysicalPlan,
    rewrites: Sequence[Applied],
    warnings: Sequence[str],
    decisions: Sequence[Decision] = (),
) -> str:
    lines = ["flowchart BT"]
    for step in plan.steps:
        title = f"{step.id} {step.op} {readable(step.detail)}".rstrip()
        state = [] if step.state == "none" else [f"state: {step.state}"]
        label = "<br/>".join(map(_escaped, [title, f"{step.pattern} {step.ends}", *state]))
        lines.append(f'  {step.id}["{label}"]')
    for step in plan.steps:
        for source, taken in zip(step.inputs, step.taken, strict=True):
            lines.append(f"  {source} -->|{taken}| {step.id}")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return "".join(_ENTITIES.get(char, char) for char in text)
