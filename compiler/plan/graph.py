"""The plan as a graph. This is the one file that touches networkx."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import networkx as nx

from .operators import Operator, Sink


@dataclass(frozen=True)
class Plan:
    """The operators of a whole file: a DAG whose roots are its sinks; equal operators are one node.

    `settings` are the file's SET statements, sorted; `timezone` aligns windows of whole days.
    """

    name: str
    sinks: tuple[Sink, ...]
    settings: tuple[tuple[str, str], ...] = ()
    timezone: str = "UTC"
    _graph: nx.MultiDiGraph = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        graph = nx.MultiDiGraph()
        for sink in self.sinks:
            _add(graph, sink)
        object.__setattr__(self, "_graph", graph)

    def operators(self) -> Iterator[Operator]:
        """Every operator once, inputs before the operators that read them, in a stable order."""
        order = {node: i for i, node in enumerate(self._graph.nodes)}
        yield from nx.lexicographical_topological_sort(self._graph, key=order.__getitem__)

    def consumers(self, operator: Operator) -> tuple[Operator, ...]:
        """The operators that read this one, once for each input they use it as."""
        return tuple(target for _, target, _ in self._graph.out_edges(operator, keys=True))


def _add(graph: nx.MultiDiGraph, operator: Operator) -> None:
    if operator in graph:
        return
    for source in operator.inputs:
        _add(graph, source)
    graph.add_node(operator)
    for source in operator.inputs:
        graph.add_edge(source, operator)
