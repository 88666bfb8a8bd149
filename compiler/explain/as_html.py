"""EXPLAIN as one self-contained page: the plan as a picture, details, the program."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files

from reflow import __version__

from ..emit import emit
from ..physical import PhysicalPlan, Step
from ..physical.calls import Deliver
from ..plan.expressions import readable
from ..rewrite import Applied, Decision
from . import lineages
from .fragments import fragments
from .picture import HEIGHT, WIDTH, Place, places
from .promises import promises

_PATTERNS = {
    "MON": "rows never leave",
    "WKS": "rows leave in the order in which they came",
    "WK": "rows leave at a time known when they come",
    "STR": "rows leave when a negative tuple says so",
}


def as_html(
    plan: PhysicalPlan,
    rewrites: Sequence[Applied],
    warnings: Sequence[str],
    decisions: Sequence[Decision] = (),
) -> str:
    """The page. It needs nothing from elsewhere."""
    style, script = (_asset(name) for name in ("style.css", "script.js"))
    readers = _queries(plan.steps)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(plan.name)}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{escape(plan.name)}</h1>
{_tabs(plan)}
{_legend()}
</header>
<main>
<div id="plan">
{_tools()}
{_picture(plan.steps, readers)}
</div>
<aside>
{_warnings(warnings)}
{"".join(_details(step, plan) for step in plan.steps)}
{_choices(decisions)}
{_rewrites(rewrites)}
<h3>program</h3>
{_program(plan)}
</aside>
</main>
<script>
{script}</script>
</body>
</html>
"""


def _asset(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text("utf-8")


def _queries(steps: Sequence[Step]) -> dict[str, list[str]]:
    """The queries that read each step."""
    found: dict[str, list[str]] = {step.id: [] for step in steps}
    for step in reversed(steps):
        if isinstance(step.call, Deliver):
            found[step.id].append(step.call.query)
        for source in step.inputs:
            found[source] = list(dict.fromkeys([*found[source], *found[step.id]]))
    return found


def _tabs(plan: PhysicalPlan) -> str:
    names = [query.name for query in plan.queries]
    if len(names) < 2:
        return ""
    pairs = [("", "all queries"), *((name, name) for name in names)]
    made = (
        f'<button data-query="{escape(query)}" aria-pressed="false">{escape(shown)}</button>'
        for query, shown in pairs
    )
    return f'<nav aria-label="queries">{" ".join(made)}</nav>'


def _legend() -> str:
    made = (f'<span class="key {p}" title="{t}">{p}</span>' for p, t in _PATTERNS.items())
    return f"<div>{' '.join(made)}</div>"


def _tools() -> str:
    sizes = (
        ("0.8", "−", "smaller"),
        ("0", "fit", "as wide as the window"),
        ("1.25", "+", "larger"),
    )
    made = (f'<button data-zoom="{z}" title="{t}">{s}</button>' for z, s, t in sizes)
    return f'<div id="tools">{"".join(made)}</div>'


def _picture(steps: Sequence[Step], readers: Mapping[str, list[str]]) -> str:
    at, width, height = places(steps)
    edges = "\n".join(_edges(step, at, readers) for step in steps if step.inputs)
    nodes = "\n".join(_node(step, at[step.id], readers[step.id]) for step in steps)
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" role="group" aria-label="the plan">\n'
        f"{edges}\n{nodes}\n</svg>"
    )


def _edges(step: Step, at: Mapping[str, Place], readers: Mapping[str, list[str]]) -> str:
    made = []
    for source, taken in zip(step.inputs, step.taken, strict=True):
        x1, y1 = at[source].x + WIDTH / 2, at[source].y
        x2, y2 = at[step.id].x + WIDTH / 2, at[step.id].y + HEIGHT
        bend = (y1 + y2) / 2
        made.append(
            f'<g data-queries="{_listed(readers[step.id])}">'
            f'<path d="M{x1:g} {y1:g} C{x1:g} {bend:g} {x2:g} {bend:g} {x2:g} {y2:g}"/>'
            f'<text class="taken" x="{(x1 + x2) / 2 + 4:g}" y="{bend:g}">{escape(taken)}</text></g>'
        )
    return "\n".join(made)


def _node(step: Step, place: Place, queries: list[str]) -> str:
    name, title = escape(step.id), escape(f"{step.id} {step.op}")
    return (
        f'<a class="node {step.pattern}" href="#{name}" data-id="{name}"'
        f' data-queries="{_listed(queries)}" aria-label="{title}">'
        f'<rect x="{place.x:g}" y="{place.y:g}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
        f'<text class="kind" x="{place.x + 8:g}" y="{place.y + 17:g}">{title}</text>'
        f'<text x="{place.x + 8:g}" y="{place.y + 33:g}">{_short(step.detail)}</text>'
        f'<text class="pattern" x="{place.x + 8:g}" y="{place.y + 49:g}">'
        f"{step.pattern} {escape(step.ends)}</text></a>"
    )


def _listed(queries: Sequence[str]) -> str:
    return escape(json.dumps(list(queries), ensure_ascii=False))


def _short(text: str, most: int = 32) -> str:
    text = readable(text)
    return escape(text if len(text) <= most else text[: most - 1] + "…")


def _details(step: Step, plan: PhysicalPlan) -> str:
    inputs = ", ".join(
        f'<a href="#{escape(source)}">{escape(source)}</a> as {escape(taken)}'
        for source, taken in zip(step.inputs, step.taken, strict=True)
    )
    rows = [
        ("what", escape(readable(step.detail))),
        ("inputs", inputs),
        ("pattern", f"{step.pattern}: {_PATTERNS[step.pattern]}; ends {escape(step.ends)}"),
        ("form", step.form),
        ("clock", escape(step.section)),
        ("state", escape(step.state)),
        ("bound", escape(step.bound)),
        ("why", escape(step.reason)),
        ("gives", escape(promises(step, plan.timestamps))),
        ("varies", escape("; ".join(step.differs))),
        ("lineage", escape("; ".join(_lineage(step, plan)))),
        ("cost", _cost(step, plan)),
    ]
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows if value)
    title = escape(f"{step.id} {step.op}")
    head = f'<section class="step" id="{escape(step.id)}"><h2>{title}</h2>'
    return f"{head}<dl>{listed}</dl></section>\n"


def _lineage(step: Step, plan: PhysicalPlan) -> Iterator[str]:
    """Of a sink: how far the inputs of its query reach."""
    if isinstance(step.call, Deliver):
        yield from lineages.of_query(plan, step.call.query)


def _cost(step: Step, plan: PhysicalPlan) -> str:
    for estimate in plan.estimates:
        if estimate.step == step.id:
            work = estimate.work
            return escape(
                f"{work.total:.3g} rows touched: {work.formula}; {estimate.rows_in:.3g} in,"
                f" {estimate.rows_out:.3g} out, {estimate.live:.3g} live"
            )
    return ""


def _warnings(warnings: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(warning)}</li>" for warning in warnings)
    return f"<h3>warnings</h3><ul>{items}</ul>" if items else ""


def _choices(decisions: Sequence[Decision]) -> str:
    if not decisions:
        return ""
    parts = []
    for decision in decisions:
        rows = "".join(
            f"<tr><td>{'→' if c.chosen else ''}</td><td>{escape(c.what)}</td>"
            f"<td>{c.cost:.3g}</td></tr>"
            for c in decision.candidates
        )
        head = f"{escape(decision.rule)}: {escape(decision.operator)} ({escape(decision.paper)})"
        parts.append(f"<p>{head}</p><table>{rows}</table>")
    return "<h3>choices by cost</h3>" + "".join(parts)


def _rewrites(rewrites: Sequence[Applied]) -> str:
    if not rewrites:
        return ""
    return f"<h3>rewrites</h3>{''.join(map(_rewrite, rewrites))}"


def _rewrite(applied: Applied) -> str:
    """The part of the plan before and after, side by side where there is room."""
    sides = (
        f'<pre aria-label="{when}">{escape(chr(10).join(lines))}</pre>'
        for when, lines in zip(("before", "after"), fragments(applied), strict=True)
    )
    head = f"<p>{escape(applied.rule)} ({escape(applied.paper)})</p>"
    return f'{head}<div class="rewrite">{"<span>→</span>".join(sides)}</div>'


def _program(plan: PhysicalPlan) -> str:
    """The emitted program; the lines of an operator carry its id."""
    ids = {step.id for step in plan.steps}
    current, lines = "", []
    for line in emit(plan, __version__).splitlines():
        begun = re.match(r"    # (\w+) ", line)
        if begun and begun.group(1) in ids:
            current = begun.group(1)
        elif line and not line.startswith("    "):
            current = ""
        mark = f' data-id="{escape(current)}"' if current else ""
        lines.append(f"<span{mark}>{escape(line)}</span>")
    return '<pre id="program">' + "\n".join(lines) + "</pre>"
