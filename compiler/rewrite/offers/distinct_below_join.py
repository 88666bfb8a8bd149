"""DISTINCT over a join: copies are dropped before they are joined, on one side or on both.

It stays above the join as well, since two pairs may look the same, unless the output tells the rows
of both inputs apart: then no two pairs do. An input that has a key among its columns has no copies
to drop.
"""

from __future__ import annotations

from collections.abc import Iterator

from reflow.grammar.value import value

from ...analyse import Facts
from ...plan.expressions import bare_column, columns_of, is_deterministic, quoted
from ...plan.operators import Distinct, Group, Join, Operator, Project
from ...plan.operators.base import Expr
from ...plan.rebuild import with_inputs
from ...plan.schema import names
from ..offer import Offer, Proposal

_ALIKE = ("TINYINT", "SMALLINT", "INT", "BIGINT", "DATE", "TIMESTAMP", "BOOLEAN", "STRING")
"""Types whose equal values are the same value: -0.0 and 0.0 are equal and print apart."""


@value
class _Side:
    """An input of the join: its columns that are read, and those that tell its rows apart."""

    operator: Operator
    read: tuple[str, ...]
    key: tuple[str, ...] | None

    @property
    def once(self) -> Operator:
        """Each different row of the columns that are read, once."""
        if self.read == names(self.operator.schema):
            return Distinct(self.operator)
        columns = tuple(
            (c.name, Expr(quoted(c.name), c.type))
            for c in self.operator.schema
            if c.name in self.read
        )
        return Distinct(Project(self.operator, columns))


def _propose(operator: Operator, facts: Facts) -> Iterator[Proposal]:
    if not isinstance(operator, Distinct):
        return
    project = operator.input if isinstance(operator.input, Project) else None
    join = project.input if project is not None else operator.input
    # Read by others as well, the join would be made twice.
    if not isinstance(join, Join) or facts.readers[join] > 1 or not _is_fixed(join, project):
        return
    left, right = (_side(join, i, project, facts) for i in range(2))
    for which in (("left", "right"), ("left",), ("right",)):
        chosen = [side for side, name in ((left, "left"), (right, "right")) if name in which]
        if any(side.key is not None or not side.read for side in chosen):
            continue
        new = with_inputs(join, tuple(s.once if s in chosen else s.operator for s in (left, right)))
        # Columns that nobody reads are gone on one side: a projection says which remain.
        below = with_inputs(project, (new,)) if project is not None else new
        if below.schema != operator.schema:
            continue
        keys = [s.read if s in chosen else _proved(s) for s in (left, right)]
        told = all(key is not None and _tells(key, join, project) for key in keys)
        words = f"DISTINCT below the join, {' and '.join(which)}"
        yield (words, below) if told else (f"{words}, and above it", Distinct(below))


def _proved(side: _Side) -> tuple[str, ...] | None:
    """A key that an operator makes so. One that a stream declares is a promise: good enough for an
    estimate, not for leaving a DISTINCT out.
    """
    return side.key if isinstance(side.operator, (Distinct, Group)) else None


def _is_fixed(join: Join, project: Project | None) -> bool:
    """Nothing random is drawn once for each copy."""
    texts = [] if join.condition is None else [join.condition.sql]
    texts += [] if project is None else [expression.sql for _, expression in project.columns]
    return all(map(is_deterministic, texts))


def _side(join: Join, number: int, project: Project | None, facts: Facts) -> _Side:
    source = join.inputs[number]
    read = {pair[number] for pair in join.equal}
    if join.condition is not None:
        read |= columns_of(join.condition.sql)
    if project is None:
        read |= set(names(join.schema))
    else:
        read = read.union(*(columns_of(expression.sql) for _, expression in project.columns))
    key = facts.keys[source]
    found = tuple(name for name in names(source.schema) if name in read)
    return _Side(source, found, key if key is not None and set(key) <= read else None)


def _tells(key: tuple[str, ...], join: Join, project: Project | None) -> bool:
    """Whether the output has each of the columns, or one that is the same."""
    if project is None:
        return True
    types = {c.name: c.type for c in join.schema}
    shown = {bare_column(expression.sql) for _, expression in project.columns}
    alike = {a: b for a, b in join.equal if types[a] == types[b] and types[a] in _ALIKE}
    alike |= {b: a for a, b in alike.items()}
    return all(column in shown or alike.get(column, column) in shown for column in key)


distinct_below_join = Offer(
    "distinct_below_join", "UPA 5.4.1, duplicate elimination push-down", _propose
)
