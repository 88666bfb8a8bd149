"""Plans of a case against the oracle, without the engine."""

from __future__ import annotations

from reflow.compiler.pipeline import bind, read, rewrite
from reflow.grammar.source import Source

from ..oracle.evaluate import Evaluator
from ..oracle.multiplicity import difference
from .case import Case
from .plan_sql import query_of
from .test_rewrites import candidates


def assert_plans_mean_their_queries(case: Case, name: str) -> None:
    """The plans of a case mean what its queries say: as bound, as rewritten, and as any offer would
    have them.
    """
    oracle = Evaluator(case.history())
    source = Source(f"{name}.cql", case.text())
    bound, _ = bind(source, read(source), name)
    after = rewrite(bound).plan
    for query, old, new in zip(case.queries, bound.sinks, after.sinks, strict=True):
        expected = oracle.changes(query.oracle)
        for sink in (old, new, *candidates(new)):
            fault = difference(expected, oracle.changes(query_of(sink)))
            assert not fault, f"{query.cql}\n{fault}"
