"""What the cost model expects of each step, and the figures that it used, for EXPLAIN."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..analyse import Facts
from ..analyse.forms import turns
from ..cost import Costing
from ..plan.graph import Plan
from ..plan.operators import NrrDeclaration, NrrJoin, Operator, Scan, StreamDeclaration
from .calls import KeepRows
from .program import Estimate, Known, Step


def estimates(
    plan: Plan, facts: Facts, costing: Costing, step_of: Callable[[Operator], Step]
) -> Iterator[Estimate]:
    """An estimate for each operator's step."""
    works = costing.works(plan, facts)
    for operator in plan.operators():
        step, flow = step_of(operator), costing.edge(operator, facts).flow
        # A report that changes nothing has no step of its own.
        # What is kept or becomes points at once is named by the step that does it.
        own = (type(operator).__name__, KeepRows.__name__)
        if step.op in own or turns(operator, facts.forms):
            edges = [costing.edge(source, facts, operator) for source in operator.inputs]
            rows_in = sum(edge.flow.rate for edge in edges)
            yield Estimate(
                step.id, step.op, rows_in, flow.rate, flow.live, flow.early, works[operator]
            )


def figures(plan: Plan, facts: Facts, costing: Costing) -> Iterator[Known]:
    """What was known about the columns that the plan reads, and where it came from."""
    read: dict[StreamDeclaration, frozenset[str]] = {}
    relations: dict[NrrDeclaration, None] = {}
    for operator in plan.operators():
        if isinstance(operator, Scan):
            columns = read.get(operator.stream, frozenset())
            read[operator.stream] = columns | facts.needed[operator]
        elif isinstance(operator, NrrJoin):
            relations[operator.relation] = None
    for stream, columns in read.items():
        for name, figure in costing.statistics.of_stream(stream, columns):
            yield Known(stream.name, name, figure)
    for relation in relations:
        yield Known(relation.name, "rows", costing.statistics.rows(relation))
