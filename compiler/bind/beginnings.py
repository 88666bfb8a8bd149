"""From which element on each query has an answer: an aggregate over nothing is a row of it.

In: the sinks of a file. Out: sinks whose groups without keys know the streams that begin the query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from ..plan.operators import Group, Operator, Sink
from ..plan.rebuild import with_inputs
from .shape import scans


def begun(sinks: Sequence[Sink]) -> tuple[Sink, ...]:
    """The sinks as they are, unless their queries read different streams."""
    streams = [tuple(sorted({scan.stream.name for scan in scans(sink)})) for sink in sinks]
    if len(set(streams)) <= 1:
        return tuple(sinks)
    pairs = zip(sinks, streams, strict=True)
    return tuple(cast(Sink, _told(sink, names, {})) for sink, names in pairs)


def _told(operator: Operator, streams: tuple[str, ...], done: dict[Operator, Operator]) -> Operator:
    if operator not in done:
        inputs = tuple(_told(source, streams, done) for source in operator.inputs)
        new = with_inputs(operator, inputs)
        if isinstance(new, Group) and not new.keys:
            new = replace(new, streams=streams)
        done[operator] = new
    return done[operator]
