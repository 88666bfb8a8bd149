"""The cost model's part of the tree: what each step is expected to do, the figures behind it, and
the candidates that were compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import wrap

from ..cost import Work
from ..physical import Estimate, Known, PhysicalPlan
from ..rewrite import Decision

_WIDTH = 100


def lines(plan: PhysicalPlan) -> Iterator[str]:
    """The section `costs` and the section `statistics`."""
    unit = "second" if plan.timestamps else "tick"
    total = number(sum(estimate.work.total for estimate in plan.estimates))
    yield f"costs: {total} rows touched a {unit} (UPA 5.4.1)"
    widths = max((len(_title(estimate)) for estimate in plan.estimates), default=0)
    for estimate in plan.estimates:
        head = f"  {_title(estimate):{widths}}  "
        yield from _wrapped(head, f"{_flow(estimate)}; {_work(estimate.work)}")
    yield ""
    yield "statistics"
    for source, known in groupby(plan.figures, key=lambda known: known.source):
        yield from _wrapped(f"  {source}: ", ", ".join(map(_figure, known)))


def choices(decisions: Sequence[Decision]) -> Iterator[str]:
    """Each choice with its candidates."""
    for decision in decisions:
        yield f"  {decision.rule} ({decision.paper})"
        yield f"    {_cut(decision.operator)}"
        for candidate in decision.candidates:
            mark = "->" if candidate.chosen else "  "
            yield f"    {mark} {_cut(candidate.what)}: {number(candidate.cost)}"


def number(value: float) -> str:
    """Three digits, and all of those before the point."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _title(estimate: Estimate) -> str:
    return f"{estimate.step} {estimate.op}"


def _flow(estimate: Estimate) -> str:
    parts = [f"in {number(estimate.rows_in)}"] if estimate.rows_in else []
    parts += [f"out {number(estimate.rows_out)}", f"live {number(estimate.live)}"]
    if estimate.early:
        parts.append(f"early {number(estimate.early)}")
    return ", ".join(parts)


def _work(work: Work) -> str:
    named = (
        ("passed", work.passed),
        ("inserted", work.insertions),
        ("probed", work.probes),
        ("deleted", work.deletions),
        ("expired", work.expirations),
    )
    parts = [f"{number(value)} {name}" for name, value in named if value]
    return f"cost {number(work.total)}" + (f": {', '.join(parts)}" if parts else "")


def _figure(known: Known) -> str:
    return f"{known.name} {number(known.figure.value)} ({known.figure.origin})"


def _wrapped(head: str, text: str) -> list[str]:
    """Lines of the page's width, further ones below the first word."""
    margin = " " * len(head)
    return wrap(text, _WIDTH, initial_indent=head, subsequent_indent=margin)


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH - 8 else text[: _WIDTH - 9] + "…"
