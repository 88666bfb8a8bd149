"""The order in which a stream meets several non-retroactive relations.

Which version a row meets depends on the row and on the epoch in which it came, so NRR joins in a
row commute as long as none reads what another brings. They are not moved over a join of streams: a
pair may come later than its row, when another version is pinned. Nor over an operator from which
rows are taken back early: the barrier of UPA 4.1 and 5.4.2 holds since nothing but NRR joins is
passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from ...analyse import Facts
from ...plan.expressions import columns_of, is_deterministic, quoted
from ...plan.operators import NrrJoin, Operator, Project
from ...plan.operators.base import Expr
from ...plan.rebuild import with_inputs
from ...plan.schema import names
from ..offer import Offer, Proposal

_MOST = 4


def _propose(operator: Operator, facts: Facts) -> Iterator[Proposal]:
    joins, source = _chain(operator, facts)
    if not 2 <= len(joins) <= _MOST or not all(map(_is_fixed, joins)):
        return
    own = frozenset(names(source.schema))
    for order in permutations(joins):
        if list(order) == joins or not _reads_what_is_there(order, own):
            continue
        current = source
        for join in order:
            current = with_inputs(join, (current,))
        words = " then ".join(join.relation.name for join in order)
        yield words, _restored(current, operator)


def _chain(operator: Operator, facts: Facts) -> tuple[list[NrrJoin], Operator]:
    """The NRR joins in a row that end here, the first one first, and what they start from."""
    joins: list[NrrJoin] = []
    node = operator
    while isinstance(node, NrrJoin):
        # Read by others as well, it would be made twice.
        if joins and facts.readers[node] > 1:
            break
        joins.insert(0, node)
        node = node.input
    return joins, node


def _is_fixed(join: NrrJoin) -> bool:
    return join.condition is None or is_deterministic(join.condition.sql)


def _reads_what_is_there(order: Sequence[NrrJoin], own: frozenset[str]) -> bool:
    there = own
    for join in order:
        there |= {name for name, _ in join.columns}
        read = {left for left, _ in join.equal}
        read = read.union(*(columns_of(e.sql) for e in (join.condition, join.at) if e is not None))
        if not read <= there:
            return False
    return True


def _restored(current: Operator, before: Operator) -> Operator:
    """The columns in their old order."""
    columns = tuple((c.name, Expr(quoted(c.name), c.type)) for c in before.schema)
    return Project(current, columns)


nrr_order = Offer("nrr_order", "UPA 4.1 and 5.4.2: NRR joins commute", _propose)
