"""The share of rows that a predicate lets pass, by the guesses of Selinger et al. (SIGMOD 1979)
where the number of different values does not tell.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from ..plan.expressions import bare_column, conjuncts
from ..plan.verbatim import tree

Distinct = Callable[[str], float]

RANGE = 1 / 3
BETWEEN = 1 / 4
LIKE = 1 / 10
NULL = 1 / 10
UNKNOWN = 1 / 3


def selectivity(sql: str, distinct: Distinct) -> float:
    """Between 0 and 1. `distinct` gives the number of different values of a column."""
    return _share(tree(sql), distinct)


def fixed_columns(sql: str) -> frozenset[str]:
    """The columns that a predicate ties to one value."""
    found = set()
    for part in conjuncts(sql):
        node = _bare(tree(part))
        if isinstance(node, exp.EQ):
            sides = [_column(node.this), _column(node.expression)]
            if sides.count(None) == 1 and _reads_nothing(node, sides):
                found.add(sides[0] or sides[1] or "")
    return frozenset(found)


def _share(node: exp.Expression, distinct: Distinct) -> float:
    node = _bare(node)
    match node:
        case exp.And():
            return _share(node.this, distinct) * _share(node.expression, distinct)
        case exp.Or():
            left, right = _share(node.this, distinct), _share(node.expression, distinct)
            return left + right - left * right
        case exp.Not():
            return 1 - _share(node.this, distinct)
        case exp.EQ() | exp.NullSafeEQ():
            return _equal(node, distinct)
        case exp.NEQ() | exp.NullSafeNEQ():
            return 1 - _equal(node, distinct)
        case exp.In():
            return min(1.0, len(node.expressions) * _one_value(node.this, distinct))
        case exp.Between():
            return BETWEEN
        case exp.GT() | exp.GTE() | exp.LT() | exp.LTE():
            return RANGE
        case exp.Like() | exp.ILike() | exp.RegexpLike():
            return LIKE
        case exp.Is():
            return NULL
        case exp.Boolean():
            return 1.0 if node.this else 0.0
    return UNKNOWN


def _equal(node: exp.Expression, distinct: Distinct) -> float:
    return min(_one_value(node.this, distinct), _one_value(node.expression, distinct))


def _one_value(node: exp.Expression, distinct: Distinct) -> float:
    """The share of rows that have one given value; of an expression a tenth."""
    column = _column(node)
    if column is not None:
        return 1 / max(1.0, distinct(column))
    return 1.0 if next(node.find_all(exp.Column), None) is None else LIKE


def _reads_nothing(node: exp.Expression, sides: list[str | None]) -> bool:
    other = node.expression if sides[0] is not None else node.this
    return next(other.find_all(exp.Column), None) is None


def _column(node: exp.Expression) -> str | None:
    node = _bare(node)
    return bare_column(node.sql(dialect="spark")) if isinstance(node, exp.Column) else None


def _bare(node: exp.Expression) -> exp.Expression:
    while isinstance(node, exp.Paren):
        node = node.this
    return node
