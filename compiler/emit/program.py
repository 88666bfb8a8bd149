"""A whole program as text: head, declarations, one statement a step, and the call of `main`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from keyword import iskeyword

from ..physical.calls import Deliver, GroupRows, Hold
from ..physical.program import PhysicalPlan, Step
from ..plan.settings import Expiration
from . import merges, plain, sources
from .calls import expression, functions
from .comments import comment_lines
from .layout import WIDTH, Node, Raw, Text, array, call, mapping, scalar, statement, texts
from .literals import docstring

_MODULE = "reflow.runtime.program"


def emit(plan: PhysicalPlan, version: str) -> str:
    """The program of a physical plan. The same plan gives the same text."""
    parts = [_head(plan, version), _imports(plan), _declaration(plan), ""]
    parts += _plain_queries(plan) if plan.plain else _epoch(plan)
    parts += ["", "", 'if __name__ == "__main__":', "    program.main()", ""]
    return "\n".join(parts)


def _head(plan: PhysicalPlan, version: str) -> str:
    name = docstring(plan.name)
    return "\n".join(
        [
            f'"""{name}.cql, compiled by Reflow {version}.',
            "",
            "Run it:",
            f"    spark-submit {name}.py --checkpoint DIR [--drain | --until T]",
            f"    python {name}.py --checkpoint DIR [--drain | --until T]",
            '"""',
            "",
        ]
    )


def _imports(plan: PhysicalPlan) -> str:
    names = {"Stream", "Query", "PlainProgram" if plan.plain else "Program"}
    if plan.relations:
        names.add("Nrr")
    if not plan.plain:
        if plan.expiration != Expiration():
            names.add("Expiration")
        if plan.replay is not None:
            names.add("Replay")
        if plan.merges:
            names.add("Merge")
        for step in plan.steps:
            names |= functions(step.call)
            names |= {"shared"} if step.shared else {"computed"} if step.computed else set()
    flat = f"from {_MODULE} import {', '.join(sorted(names))}"
    if len(flat) <= WIDTH:
        return flat + "\n"
    lines = "".join(f"    {name},\n" for name in sorted(names))
    return f"from {_MODULE} import (\n{lines})\n"


def _declaration(plan: PhysicalPlan) -> str:
    settings: dict[str, Node] = {name: Text(str(value)) for name, value in plan.settings}
    sinks = {step.call.query: step.call for step in plan.steps if isinstance(step.call, Deliver)}
    named: dict[str, Node] = {
        "name": Text(plan.name),
        "fingerprint": Text(plan.fingerprint),
        "timezone": Text(plan.timezone),
        "settings": mapping(settings),
        "streams": array([sources.stream(source) for source in plan.streams]),
        "nrrs": array([sources.relation(source) for source in plan.relations]),
        "queries": array([sources.query(output, sinks[output.name]) for output in plan.queries]),
    }
    if plan.expiration != Expiration() and not plan.plain:
        named["expiration"] = _expiration(plan.expiration)
    if plan.fail_on_anomaly and not plan.plain:
        named["fail_on_anomaly"] = scalar(True)
    if plan.degrades and plan.merges:
        named["degrades"] = scalar(True)
    if plan.defers and not plan.plain:
        named["defers"] = scalar(True)
    if plan.replay is not None and not plan.plain:
        named["replay"] = _replay(plan)
    if plan.merges:
        named["merges"] = array([merges.declared(source) for source in plan.merges])
    if plan.plain:
        named = {name: node for name, node in named.items() if name != "nrrs"}
    return statement("program = ", call("PlainProgram" if plan.plain else "Program", **named))


def _expiration(expiration: Expiration) -> Node:
    """Only what was set: the rest is the engine's business."""
    given = {
        field.name: scalar(value)
        for field in fields(expiration)
        if (value := getattr(expiration, field.name)) is not None
    }
    return call("Expiration", **given)


def _replay(plan: PhysicalPlan) -> Node:
    replay = plan.replay
    assert replay is not None
    places = _places(plan, replay.queries) if replay.percent is None else _groups(plan)
    reach: dict[str, Node] = {name: scalar(length) for name, length in replay.reach}
    named: dict[str, Node] = {
        "slices": Text(replay.slices),
        "places": texts(list(places)),
        "reach": mapping(reach),
        "need": scalar(replay.need),
    }
    if replay.by:
        named["by"] = mapping({stream: Text(column) for stream, column in replay.by})
    if replay.step is not None:
        named["step"] = scalar(replay.step)
    if replay.recorded:
        named["recorded"] = scalar(True)
    if replay.percent is not None:
        named["percent"] = scalar(replay.percent)
        named["drawn"] = mapping({stream: texts(others) for stream, others in replay.drawn})
    return call("Replay", **named)


def _places(plan: PhysicalPlan, queries: Sequence[str]) -> Iterator[str]:
    """Where corrections of each query join its deltas: what EMIT FINAL and FROZEN hold back is
    corrected before it is let go.
    """
    steps = {step.id: step for step in plan.steps}
    for step in plan.steps:
        if isinstance(step.call, Deliver) and step.call.query in queries:
            source = steps[step.inputs[0]]
            held = isinstance(source.call, Hold) and source.call.until != "now"
            yield f"hold {source.id}" if held else f"query {step.call.query}"


def _groups(plan: PhysicalPlan) -> Iterator[str]:
    """Where estimates join the deltas: in front of the groups that are corrected by them."""
    for step in plan.steps:
        if isinstance(step.call, GroupRows) and step.call.estimated:
            yield f"group {step.id}"


def _epoch(plan: PhysicalPlan) -> list[str]:
    lines = ["", "@program.epoch", "def epoch(e):"]
    contexts = merges.contexts(plan.steps)
    for section, name in contexts.items():
        if section:
            lines.append(statement(f"{name} = ", call("e.part", Text(section)), "    "))
    for step in plan.steps:
        lines += [f"    {line}" for line in comment_lines(step, WIDTH - 4)]
        prefix = "" if isinstance(step.call, Deliver) else f"{step.id} = "
        made = merges.under(_made(step), contexts[step.section])
        lines.append(statement(prefix, made, "    "))
    return lines


def _made(step: Step) -> Node:
    """The expression of a step, kept for the epoch where it is to be."""
    made = expression(step)
    if step.shared:
        at_once: dict[str, Node] = {"at_once": scalar(True)} if step.computed else {}
        return call("shared", Raw("e"), made, **at_once)
    return call("computed", Raw("e"), made) if step.computed else made


def _plain_queries(plan: PhysicalPlan) -> list[str]:
    lines: list[str] = []
    for step in plan.steps:
        if isinstance(step.call, Deliver):
            lines += [*([""] if lines else []), *_plain_query(plan, step, step.call)]
    return lines


def _plain_query(plan: PhysicalPlan, sink: Step, deliver: Deliver) -> Iterator[str]:
    steps = {step.id: step for step in plan.steps}
    yield from ["", f"@program.query({statement('', Text(deliver.query))})"]
    yield f"def {_function(plan, deliver.query)}(p):"
    for step in _needed(sink, steps):
        yield from (f"    {line}" for line in comment_lines(step, WIDTH - 4))
        yield statement(f"{step.id} = ", plain.frame(step), "    ")
    yield from (f"    {line}" for line in comment_lines(sink, WIDTH - 4))
    renamed = plain.rename(sink, steps)
    if renamed is not None:
        yield renamed
    yield from plain.writer(sink, sink.inputs[0] if renamed is None else sink.id)


def _needed(sink: Step, steps: dict[str, Step]) -> list[Step]:
    """The steps below a sink, in the order of the program."""
    found: set[str] = set()
    waiting = list(sink.inputs)
    while waiting:
        id_ = waiting.pop()
        if id_ not in found:
            found.add(id_)
            waiting.extend(steps[id_].inputs)
    return [step for id_, step in steps.items() if id_ in found]


def _function(plan: PhysicalPlan, query: str) -> str:
    """A Python name for a query: its own where it is one."""
    number = [output.name for output in plan.queries].index(query) + 1
    taken = {"program", "p", "PlainProgram", "Stream", "Query"}
    if query.isidentifier() and query.isascii() and query not in taken and not iskeyword(query):
        return query
    return f"query_{number}"
