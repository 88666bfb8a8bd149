"""The cost model (UPA 5.4.1): what a plan touches in each unit of time.

In: a plan, its facts, statistics. Out: for each operator how many rows come, are live and leave
early (`flow`), what it does about them (`work`), and the cost of the whole plan (`Costing`).
Nothing here changes a plan: the rewrites offer candidates and compare their costs.
"""

from .costing import Costing
from .flow import Flow
from .statistics import Figure, Observed, Statistics
from .work import Work

__all__ = ["Costing", "Figure", "Flow", "Observed", "Statistics", "Work"]
