"""From which element on each query has an answer: an aggregate over nothing is a row of it.

In: the sinks of a file. Out: sinks whose groups without keys know the streams that begin the query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from ..plan.operators import Group, Merge, Operator, Sink
from ..plan.rebuild import with_inputs
from ..plan.sections import in_its_section, sources


def begun(sinks: Sequence[Sink]) -> tuple[Sink, ...]:
    """The sinks as they are, unless their queries read different streams, or some under clocks of
    their own.
    """
    streams = [tuple(sorted(sources(sink))) for sink in sinks]
    merges = any(isinstance(each, Merge) for sink in sinks for each in in_its_section(sink))
    if len(set(streams)) <= 1 and not merges:
        return tuple(sinks)
    pairs = zip(sinks, streams, strict=True)
    return tuple(cast(Sink, _told(sink, names, {})) for sink, names in pairs)


def _told(operator: Operator, streams: tuple[str, ...], done: dict[Operator, Operator]) -> Operator:
    if operator not in done:
        if isinstance(operator, Merge):
            inputs = tuple(map(_begun_by_itself, operator.inputs))
        else:
            inputs = tuple(_told(source, streams, done) for source in operator.inputs)
        new = with_inputs(operator, inputs)
        if isinstance(new, Group) and not new.keys:
            new = replace(new, streams=streams)
        done[operator] = new
    return done[operator]


def _begun_by_itself(branch: Operator) -> Operator:
    """A branch of a merge, which has an answer from its own streams' first element on."""
    return _told(branch, tuple(sorted(sources(branch))), {})
