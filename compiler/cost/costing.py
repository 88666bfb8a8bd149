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


class Costing:
    """Costs by one set of statistics. What an operator costs depends on what is below it only, so
    it is remembered from plan to plan.
    """

    def __init__(self, observed: Observed = NOTHING) -> None:
        self.statistics = Statistics(MappingProxyType(dict(observed)))
        self._flows: dict[Operator, Flow] = {}
        self._works: dict[Operator, Work] = {}

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

    def _work(self, operator: Operator, facts: Facts) -> Work:
        if operator not in self._works:
            inputs = [self._edge(source, facts) for source in operator.inputs]
            self._works[operator] = work(operator, inputs, self._edge(operator, facts))
        return self._works[operator]

    def _edge(self, operator: Operator, facts: Facts) -> Edge:
        return Edge(self.flow(operator), facts.forms[operator] == "points")
