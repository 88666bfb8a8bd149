"""Costs of whole plans. Equal operators are one node: what two queries share is paid for once."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..analyse import Facts
from ..plan.graph import Plan
from ..plan.operators import Operator
from .flow import Flow, flow
from .statistics import NOTHING, Observed, Statistics
from .work import Edge, Work, work

_Taken = tuple[Operator, tuple[bool, ...], bool, int | None]
"""An operator, which of its inputs and whether its output are in point form, whether its output is
silent, and which of its inputs it reads off a state.
"""


class Costing:
    """Costs by one set of statistics. What an operator costs depends on what is below it and on how
    its edges are taken, so it is remembered from plan to plan.
    """

    def __init__(self, observed: Observed = NOTHING) -> None:
        self.statistics = Statistics(MappingProxyType(dict(observed)))
        self._flows: dict[Operator, Flow] = {}
        self._works: dict[_Taken, Work] = {}

    def flow(self, operator: Operator) -> Flow:
        """What passes the operator's output."""
        if operator not in self._flows:
            self._flows[operator] = flow(operator, self.flow, self.statistics)
        return self._flows[operator]

    def works(self, plan: Plan, facts: Facts) -> Mapping[Operator, Work]:
        """What each operator of a plan does."""
        return {operator: self._work(operator, facts) for operator in plan.operators()}

    def total(self, plan: Plan, facts: Facts) -> float:
        """Rows that the whole plan touches in a unit of time."""
        return sum(found.total for found in self.works(plan, facts).values())

    def edge(self, operator: Operator, facts: Facts, taker: Operator | None = None) -> Edge:
        """An operator's output, as it is made or as a taker takes it. Where a join reads the
        current rows off the state of their group, no change of them is made.
        """
        silent = operator in facts.silent if taker is None else facts.reads_off(taker, operator)
        found = self.flow(operator)
        return Edge(found.silent() if silent else found, facts.forms[operator] == "points")

    def _work(self, operator: Operator, facts: Facts) -> Work:
        points = tuple(facts.forms[o] == "points" for o in (*operator.inputs, operator))
        silent = operator in facts.silent
        reads_off = facts.read_off.get(operator)
        key = (operator, points, silent, reads_off)
        if key not in self._works:
            edges = [self.edge(source, facts, operator) for source in operator.inputs]
            self._works[key] = work(operator, edges, self.edge(operator, facts))
        return self._works[key]
