"""The order in which the inputs of several joins are joined.

A chain of inner joins is taken apart into its inputs, its pairs of equal columns and its
conditions, and put together in other orders; each pair and condition stands where its columns first
meet. Pairs of one type are classes of equal columns: where a = b and b = c, a joins c as well. A
join that others read as well is an input: its pairs exist anyway. The columns come out in the order
in which they were.

Joins are neither bushy nor bound to avoid products: a product costs what it costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from reflow.grammar.value import value

from ...analyse import Facts
from ...plan.equalities import Equalities
from ...plan.expressions import columns_of, conjunction, conjuncts, is_deterministic, quoted
from ...plan.operators import Join, Operator, Project
from ...plan.operators.base import Expr
from ...plan.render import heading
from ...plan.schema import names
from ..offer import Offer, Proposal

_ALL_ORDERS = 4
"""Inputs up to which every order is offered; of more, those with two inputs exchanged."""


@value
class Chain:
    """The inputs of a chain of joins, and what a row of them must meet."""

    leaves: tuple[Operator, ...]
    equal: tuple[tuple[str, str], ...]
    conditions: tuple[str, ...]

    def in_order(self, order: Sequence[int]) -> Join:
        """The joins in another order of the inputs."""
        types = {c.name: c.type for leaf in self.leaves for c in leaf.schema}
        equalities = Equalities(self.equal, types)
        conditions = list(self.conditions)
        current = self.leaves[order[0]]
        for number in order[1:]:
            leaf = self.leaves[number]
            left, right = names(current.schema), names(leaf.schema)
            here = [c for c in conditions if columns_of(c) <= {*left, *right}]
            conditions = [c for c in conditions if c not in here]
            condition = Expr(conjunction(here), "BOOLEAN") if here else None
            current = Join(current, leaf, equalities.between(left, right), condition)
        assert isinstance(current, Join)
        return current


def chain(join: Join, facts: Facts) -> Chain:
    """The chain whose last join this is."""
    leaves: list[Operator] = []
    equal: list[tuple[str, str]] = []
    conditions: list[str] = []
    for side in join.inputs:
        if isinstance(side, Join) and facts.readers[side] == 1 and is_movable(side):
            below = chain(side, facts)
            leaves += below.leaves
            equal += below.equal
            conditions += below.conditions
        else:
            leaves.append(side)
    equal += join.equal
    if join.condition is not None:
        conditions += conjuncts(join.condition.sql)
    return Chain(tuple(leaves), tuple(equal), tuple(conditions))


def is_movable(join: Join) -> bool:
    """A random condition is drawn once for each pair of its join. Columns that a condition reads
    tell where it stands; one that reads none stays.
    """
    if join.condition is None:
        return True
    parts = conjuncts(join.condition.sql)
    return all(columns_of(part) and is_deterministic(part) for part in parts)


def _propose(operator: Operator, facts: Facts) -> Iterator[Proposal]:
    if not isinstance(operator, Join) or not is_movable(operator):
        return
    consumers = facts.consumers(operator)
    if len(consumers) == 1 and isinstance(consumers[0], Join) and is_movable(consumers[0]):
        # Part of a longer chain, which is offered whole.
        return
    found = chain(operator, facts)
    if len(found.leaves) < 3:
        return
    for order in _orders(len(found.leaves)):
        joined = found.in_order(order)
        yield _shown(found, order), _restored(joined, operator)


def _orders(count: int) -> Iterator[tuple[int, ...]]:
    """Orders other than the one that stands; which of the first two comes first does not matter."""
    standing = tuple(range(count))
    if count <= _ALL_ORDERS:
        yield from (o for o in permutations(standing) if o[0] < o[1] and o != standing)
        return
    for i, j in combinations(standing, 2):
        order = list(standing)
        order[i], order[j] = order[j], order[i]
        if (i, j) != (0, 1):
            yield tuple(order)


def _restored(joined: Join, before: Join) -> Operator:
    """The columns in their old order."""
    if joined.schema == before.schema:
        return joined
    columns = tuple((c.name, Expr(quoted(c.name), c.type)) for c in before.schema)
    return Project(joined, columns)


def _shown(found: Chain, order: Sequence[int]) -> str:
    return " then ".join(_called(found.leaves[number]) for number in order)


def _called(leaf: Operator) -> str:
    """An input by the streams below it."""
    node = leaf
    while len(node.inputs) == 1:
        node = node.inputs[0]
    words = heading(node).split()
    name = words[1] if len(words) > 1 and not node.inputs else words[0]
    columns = names(leaf.schema)
    return f"{name}({', '.join(columns[:2])}{', …' if len(columns) > 2 else ''})"


join_order = Offer("join_order", "UPA 5.4.1, join enumeration by cost", _propose)
