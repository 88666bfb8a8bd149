"""The program of a case: that of its queries, with sinks and NRRs of the case's own.

Streams need no other sources: their rows are handed to the engine.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from .. import pipeline
from ..plan.graph import Plan
from ..plan.operators import NrrJoin, Operator, Sink
from ..plan.rebuild import with_inputs


@dataclass
class Places:
    """Where a case writes, and where its NRRs lie."""

    folder: str
    relations: dict[str, str] = field(default_factory=dict)

    def output(self, number: int) -> str:
        """The folder of a query's change log."""
        return f"{self.folder}/out/{number}"

    def relation(self, name: str) -> str:
        """The folder of an NRR."""
        return self.relations.setdefault(name, f"{self.folder}/nrr/{len(self.relations)}")


def program_of(plan: Plan, places: Places, asserted: Collection[str]) -> str:
    """The text of the program. What is wrong with the real sinks was found when they were bound.

    Queries that nothing is asserted about are left out, but their streams are not: they have a part
    in the clock.
    """
    done: dict[Operator, Operator] = {}
    sinks = tuple(_sink(sink, i, places, done) for i, sink in enumerate(plan.sinks))
    needed = tuple(sink for sink in sinks if sink.query in asserted)
    program = pipeline.compile_plan(replace(plan, sinks=needed)).physical
    if len(needed) < len(sinks):
        known = {stream.name for stream in program.streams}
        whole = pipeline.compile_plan(replace(plan, sinks=sinks)).physical
        others = [stream for stream in whole.streams if stream.name not in known]
        unread = tuple(replace(stream, keep=None) for stream in others)
        program = replace(program, streams=(*program.streams, *unread))
    return pipeline.program(program)


def _sink(sink: Sink, number: int, places: Places, done: dict[Operator, Operator]) -> Sink:
    """A change log in Parquet, whose columns have names that no query can collide with."""
    return replace(
        sink,
        input=_tried(sink.input, places, done),
        columns=tuple(f"c{i}" for i in range(len(sink.columns))),
        format="parquet",
        path=places.output(number),
        mode="changelog",
        key=(),
        every=None,
        options=(),
    )


def _tried(operator: Operator, places: Places, done: dict[Operator, Operator]) -> Operator:
    if operator not in done:
        inputs = tuple(_tried(source, places, done) for source in operator.inputs)
        new = with_inputs(operator, inputs)
        if isinstance(new, NrrJoin):
            path = places.relation(new.relation.name)
            relation = replace(new.relation, format="parquet", path=path, options=())
            new = replace(new, relation=relation)
        done[operator] = new
    return done[operator]
