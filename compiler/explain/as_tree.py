"""EXPLAIN as a tree for a terminal: answers at the top, streams at the bottom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..physical import FOR_EVER, PhysicalPlan, Step, StreamSource
from ..physical.calls import Deliver
from ..physical.lengths import length_shown
from ..physical.reasons import of_technique
from ..plan.expressions import readable
from ..rewrite import Applied, Decision
from . import costs, estimates, lineages
from .fragments import changed
from .promises import promises

_WIDTH = 100


def as_tree(
    plan: PhysicalPlan,
    rewrites: Sequence[Applied],
    warnings: Sequence[str],
    decisions: Sequence[Decision] = (),
) -> str:
    lines = list(_Trees(plan).lines())
    lines += ["", "streams", *(f"  {_stream(plan, stream)}" for stream in plan.streams)]
    if any(query.lineage for query in plan.queries):
        lines += ["", "lineage", *_lineages(plan)]
    if estimates.lines(plan):
        lines += [
            "",
            "estimates",
            *(w for e in estimates.lines(plan) for w in _wrapped("  ", e, "    ")),
        ]
    lines += ["", "rewrites", *(_rewrites(rewrites) or ["  none"])]
    lines += ["", *costs.lines(plan)]
    if decisions:
        lines += ["", "choices by cost", *costs.choices(decisions)]
    if warnings:
        lines += ["", "warnings", *(f"  {warning}" for warning in warnings)]
    if plan.execution != "upa":
        lines += ["", f"execution {of_technique(plan.execution)}"]
    how = "plain Structured Streaming" if plan.plain else "delta program"
    if any(merge.promised for merge in plan.merges):
        then = "the merge goes on without it" if plan.degrades else "the run stops"
        lines += ["", f"a broken promise of a merge's input: {then}"]
    lines += ["", f"program: {how} ({plan.plain_reason}); fingerprint {plan.fingerprint}"]
    return "\n".join(lines) + "\n"


class _Trees:
    def __init__(self, plan: PhysicalPlan) -> None:
        self._steps = {step.id: step for step in plan.steps}
        self._shown: set[str] = set()
        self._timestamps = plan.timestamps
        self._of_sections = _of_sections(plan.steps)

    def lines(self) -> Iterator[str]:
        """One tree per query, a blank line between them."""
        first = True
        for step in self._steps.values():
            if isinstance(step.call, Deliver):
                if not first:
                    yield ""
                first = False
                yield from self._tree(step, "", "", step.pattern)

    def _tree(self, step: Step, head: str, margin: str, taken: str) -> Iterator[str]:
        title = f"{step.id} {step.op} {readable(step.detail)}".rstrip()
        if step.id in self._shown:
            yield f"{head}{step.id} {step.op} (shown above)"
            return
        self._shown.add(step.id)
        yield _aligned(head + title, _label(step, taken))
        below = margin + ("│  " if step.inputs else "   ")
        if step.id in self._of_sections:
            yield from _wrapped(f"{below}  clock: ", f"its own, {step.section}", below)
        if step.state != "none":
            yield from _wrapped(f"{below}  state: ", step.state, below)
        if step.bound:
            yield from _wrapped(f"{below}  bound: ", step.bound, below)
        yield from _wrapped(f"{below}  why:   ", step.reason, below)
        promised = self._promised(step)
        if promised and {promised} != {self._promised(self._steps[id_]) for id_ in step.inputs}:
            yield from _wrapped(f"{below}  gives: ", promised, below)
        if step.differs:
            yield from _wrapped(f"{below}  varies: ", "; ".join(step.differs), below)
        for i, (id_, kind) in enumerate(zip(step.inputs, step.taken, strict=True)):
            last = i == len(step.inputs) - 1
            branch, rest = ("└─ ", "   ") if last else ("├─ ", "│  ")
            yield from self._tree(self._steps[id_], margin + branch, margin + rest, kind)

    def _promised(self, step: Step) -> str:
        """What a step's output promises; between operators, what the one below promises."""
        if step.properties is None and step.inputs:
            return self._promised(self._steps[step.inputs[0]])
        return promises(step, self._timestamps)


def _of_sections(steps: Sequence[Step]) -> frozenset[str]:
    """The steps whose output enters another clock: the inputs of merges."""
    section = {step.id: step.section for step in steps}
    return frozenset(
        source for step in steps for source in step.inputs if section[source] != step.section
    )


def _label(step: Step, taken: str) -> str:
    label = step.pattern if step.ends == "never" else f"{step.pattern} {step.ends}"
    return label if taken == step.pattern else f"{label}, taken as {taken}"


def _aligned(left: str, label: str) -> str:
    blanks = max(2, _WIDTH - len(left) - len(label) - 2)
    return f"{left}{' ' * blanks}[{label}]"


def _wrapped(head: str, text: str, margin: str) -> Iterator[str]:
    """The text in lines of the page's width, further lines below the first word."""
    line = head
    for word in text.split():
        if len(line) + len(word) > _WIDTH and line != head:
            yield line.rstrip()
            line = margin + " " * (len(head) - len(margin))
        line += word + " "
    yield line.rstrip()


def _stream(plan: PhysicalPlan, stream: StreamSource) -> str:
    read = f"{stream.name}: reads {', '.join(stream.columns)}{_corrected(plan, stream)}"
    if stream.keep is None:
        return f"{read}; {stream.keep_reason}"
    if stream.keep == FOR_EVER:
        return f"{read}; archive kept for ever: {stream.keep_reason}{_layout(stream)}"
    keep = length_shown(stream.keep, stream.timestamps)
    if any(each.kept_rows is not None for each in plan.streams):
        keep += " before the oldest rows that are corrected"
    return f"{read}; archive keeps {keep}: {stream.keep_reason}{_layout(stream)}"


def _layout(stream: StreamSource) -> str:
    """What is not as the engine likes."""
    if not stream.in_place:
        return ""
    return "; layout SOURCE: its own Parquet files are immutable, so they are named and not copied"


def _corrected(plan: PhysicalPlan, stream: StreamSource) -> str:
    """How far back late rows and corrections reach, and how rows are found."""
    by = f" by key ({', '.join(stream.key)})" if stream.key else " by late rows"
    if stream.kept is None:
        return f"; corrected{by} while they are not complete" if stream.key else ""
    reach = f"up to {length_shown(stream.kept, stream.timestamps)} behind complete"
    if stream.kept_rows is not None:
        reach = f"as far back as its youngest {stream.kept_rows:,} rows"
    return f"; corrected{by} {reach}, {_technique(plan, stream.name)}"


def _technique(plan: PhysicalPlan, stream: str) -> str:
    """From what the answers about a stream's rows are corrected."""
    replay = plan.replay
    if replay is None:
        return "from state (DIRECT)"
    if stream not in dict(replay.reach):
        return "as they come: no window holds them"
    if replay.percent is not None:
        met = any(stream in others for _, others in replay.drawn)
        others = f" and {replay.percent}% of those that they meet" if met else ""
        return f"estimated from the corrected rows{others} ({replay.technique})"
    what = "the whole archive" if replay.slices == "all" else "slices of the archive"
    return f"from {what} ({replay.technique})"


def _lineages(plan: PhysicalPlan) -> Iterator[str]:
    for line in lineages.lines(plan):
        yield from _wrapped("  ", line, "    ")


def _rewrites(rewrites: Sequence[Applied]) -> list[str]:
    lines: list[str] = []
    for applied in rewrites:
        lines.append(f"  {applied.rule} ({applied.paper})")
        lines += [f"    {_cut(line)}" for line in changed(applied)]
    return lines


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH - 8 else text[: _WIDTH - 9] + "…"
