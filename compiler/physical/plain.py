"""Whether a file needs no delta program: then it is plain Structured Streaming."""

from __future__ import annotations

from ..analyse import Facts
from ..plan.graph import Plan
from ..plan.operators import Filter, Operator, Project, Report, Scan, Sink, Union, Window
from .choice import Choice

_OWN_SINKS = frozenset({"console", "memory", "log"})


def choose_plain(plan: Plan, facts: Facts) -> Choice[bool]:
    """Plain where every query is stateless and appends to a sink of Spark's own."""
    for operator in plan.operators():
        reason = _sink_needs(operator) if isinstance(operator, Sink) else _needs(operator, facts)
        if reason is not None:
            return Choice(False, reason)
    return Choice(True, "every query is stateless and appends to a file")


def _needs(operator: Operator, facts: Facts) -> str | None:
    match operator:
        case Scan() if operator.stream.looked_up or operator.as_arrived:
            return f"rows of {operator.stream.name} may be revised"
        case Scan() | Filter() | Project() | Union():
            return None
        case Window(kind="unbounded"):
            return None
        case Report() if facts.append_only[operator]:
            return None
        case _:
            return f"{type(operator).__name__} needs a clock or state"


def _sink_needs(sink: Sink) -> str | None:
    if sink.format in _OWN_SINKS or sink.path is None:
        return f"sink {sink.format} is Reflow's own"
    if sink.mode != "append" or sink.emit != "changes":
        return f"AS {sink.mode.upper()} and EMIT {sink.emit.upper()} need the clock"
    return None
