"""The plan as a graph."""

from __future__ import annotations

import networkx as nx

from reflow.compiler.plan.parse import parse

TEXT = """\
Sink q to memory as changelog emit changes columns (a, b)
  Join on t = u
    Window range 5 ticks
      Scan s (t BIGINT, a INT) order t
    Project u = t, b = a
      Window range 5 ticks
        Scan s (t BIGINT, a INT) order t
"""


def test_equal_operators_are_one_node() -> None:
    plan = parse(TEXT)
    kinds = [type(operator).__name__ for operator in plan.operators()]
    assert kinds == ["Scan", "Window", "Project", "Join", "Sink"]
    window = list(plan.operators())[1]
    assert [type(reader).__name__ for reader in plan.consumers(window)] == ["Project", "Join"]


def test_the_graph_is_acyclic_and_in_the_plans_order() -> None:
    plan = parse(TEXT)
    assert nx.is_directed_acyclic_graph(plan.graph)
    place = {operator: i for i, operator in enumerate(plan.operators())}
    assert all(place[source] < place[target] for source, target in plan.graph.edges())
