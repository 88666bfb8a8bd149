"""Projections, groups and NRR joins stop making columns that nobody reads.

A scan is not changed: the physical plan reads only the columns of a stream that are needed.
"""

from __future__ import annotations

from dataclasses import replace

from ...analyse import Facts
from ...plan.expressions import columns_of
from ...plan.operators import Group, NrrJoin, Operator, Project
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    wanted = facts.needed[operator]
    match operator:
        case Project():
            kept = tuple(pair for pair in operator.columns if pair[0] in wanted)
            # Rows without any column cannot be told from no rows: keep one.
            kept = kept or operator.columns[:1]
            return replace(operator, columns=kept)
        case Group():
            aggregates = tuple(a for a in operator.aggregates if a.name in wanted)
            if not aggregates and not operator.keys:
                aggregates = operator.aggregates[:1]
            return replace(operator, aggregates=aggregates)
        case NrrJoin():
            return replace(operator, columns=_used(operator, wanted))
        case _:
            return None


def _used(join: NrrJoin, wanted: frozenset[str]) -> tuple[tuple[str, str], ...]:
    compared = frozenset(right for _, right in join.equal)
    read = frozenset() if join.condition is None else columns_of(join.condition.sql)
    return tuple(pair for pair in join.columns if pair[0] in wanted | compared | read)


narrow = Rule("narrow", "UPA 5.4, projection push-down", _apply, narrows=True)
