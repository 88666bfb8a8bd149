"""The physical plan: which runtime function each operator becomes, what is kept, and why.

In: a plan and its facts. Out: a `PhysicalPlan` of steps, streams and relations. Each choice has a
reason.
"""

from .planner import plan_program
from .program import (
    FOR_EVER,
    Estimate,
    Known,
    PhysicalPlan,
    QueryOutput,
    RelationSource,
    Step,
    StreamSource,
)

__all__ = [
    "FOR_EVER",
    "Estimate",
    "Known",
    "PhysicalPlan",
    "QueryOutput",
    "RelationSource",
    "Step",
    "StreamSource",
    "plan_program",
]
