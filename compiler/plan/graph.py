"""The plan as a graph. This is the one file that touches networkx."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from reflow.grammar.value import value

from .operators import Operator, Sink

if TYPE_CHECKING:
    import networkx as nx


@value
class Plan:
    """The operators of a whole file: a DAG whose roots are its sinks; equal operators are one node.

    `settings` are the file's SET statements, sorted; `timezone` aligns windows of whole days.
    """

    name: str
    sinks: tuple[Sink, ...]
    settings: tuple[tuple[str, str], ...] = ()
    timezone: str = "UTC"
    _consumers: dict[Operator, list[Operator]] = field(
        init=False, repr=False, compare=False, hash=False
    )

    def __post_init__(self) -> None:
        consumers: dict[Operator, list[Operator]] = {}
        for sink in self.sinks:
            _add(consumers, sink)
        object.__setattr__(self, "_consumers", consumers)

    def operators(self) -> Iterator[Operator]:
        """Every operator once, inputs before the operators that read them, in a stable order."""
        return iter(self._consumers)

    def consumers(self, operator: Operator) -> tuple[Operator, ...]:
        """The operators that read this one, once for each input they use it as."""
        return tuple(self._consumers[operator])

    @cached_property
    def graph(self) -> nx.MultiDiGraph:
        """The same DAG for networkx, whose import takes a third of a second: only if asked."""
        import networkx as nx

        graph = nx.MultiDiGraph()
        graph.add_nodes_from(self._consumers)
        for source, targets in self._consumers.items():
            graph.add_edges_from((source, target) for target in targets)
        return graph


def _add(consumers: dict[Operator, list[Operator]], operator: Operator) -> None:
    if operator in consumers:
        return
    for source in operator.inputs:
        _add(consumers, source)
    consumers[operator] = []
    for source in operator.inputs:
        consumers[source].append(operator)
