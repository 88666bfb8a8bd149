"""The comment above a statement: what it is, its update pattern, and why it is as it is."""

from __future__ import annotations

from ..physical.program import Step
from ..plan.expressions import readable
from .literals import comment

_COLUMN = 44


def comment_lines(step: Step, width: int) -> list[str]:
    """One line where it fits, else two; never wider than `width`."""
    what = "# " + comment(f"{step.id} {step.op} {readable(step.detail)}")
    why = f"{step.pattern:<3}  {comment(step.reason)}"
    if len(what) + 2 + len(why) <= width:
        return [f"{what:<{min(_COLUMN, width - len(why) - 2)}}  {why}"]
    margin = "#" + " " * (len(step.id) + 2)
    return [_cut(what, width), _cut(margin + why, width)]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"
