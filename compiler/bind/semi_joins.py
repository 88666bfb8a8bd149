"""The semi-joins and anti-joins that a question of WHERE becomes, with SQL's rules for NULL."""

from __future__ import annotations

from sqlglot import exp

from reflow.grammar.value import value

from ..plan.operators import Operator, SemiJoin, Union
from ..plan.operators.base import Expr
from .build import condition, filtered
from .resolved import column, columns_of


@value
class Match:
    """A question with its inner query bound.

    `correlated` pairs expressions over the outer columns with equal columns of `right`, `sides` do
    the same for IN; `rest` is the remaining condition over the columns of both.
    """

    right: Operator
    correlated: tuple[tuple[exp.Expr, str], ...]
    sides: tuple[tuple[exp.Expr, str], ...]
    rest: tuple[exp.Expr, ...]
    negated: bool

    @property
    def asked(self) -> tuple[exp.Expr, ...]:
        """The expressions over the outer columns that are compared."""
        return tuple(side for side, _ in (*self.correlated, *self.sides))

    @property
    def reads(self) -> frozenset[str]:
        """The columns that it reads; some are the inner query's."""
        return frozenset[str]().union(*(columns_of(e) for e in (*self.asked, *self.rest)))


def semi_joined(left: Operator, match: Match, names: tuple[str, ...]) -> Operator:
    """The rows of `left` that the question lets pass. `names`: its columns with what is asked."""
    theirs = (name for _, name in (*match.correlated, *match.sides))
    pairs = tuple(zip(names, theirs, strict=True))
    correlated, compared = pairs[: len(match.correlated)], pairs[len(match.correlated) :]
    rest = condition(match.rest)
    if not match.negated or not compared:
        return SemiJoin(left, match.right, tuple(dict.fromkeys(pairs)), rest, match.negated)
    if len(compared) > 1:
        return _none_may_equal(left, match, correlated, compared)
    return _not_in(left, match.right, correlated, compared[0], rest)


def _is_null(name: str, negated: bool = False) -> exp.Expr:
    test = exp.Is(this=column(name), expression=exp.Null())
    return exp.Not(this=test) if negated else test


def _not_in(
    left: Operator,
    right: Operator,
    correlated: tuple[tuple[str, str], ...],
    compared: tuple[str, str],
    rest: Expr | None,
) -> Operator:
    """`x NOT IN (…)`: true where no value is equal and none is NULL, and, for a NULL x, where there
    is no value at all.
    """
    mine, theirs = compared
    some = filtered(left, [_is_null(mine, negated=True)])
    without = SemiJoin(some, right, tuple(dict.fromkeys((*correlated, compared))), rest, True)
    nulls = filtered(right, [_is_null(theirs)])
    without = SemiJoin(without, nulls, correlated, rest, True)
    unknown = SemiJoin(filtered(left, [_is_null(mine)]), right, correlated, rest, True)
    return Union((without, unknown))


def _none_may_equal(
    left: Operator,
    match: Match,
    correlated: tuple[tuple[str, str], ...],
    compared: tuple[tuple[str, str], ...],
) -> Operator:
    """`(x, y) NOT IN (…)`: no row of which equality is true or unknown."""
    equalities = [exp.EQ(this=column(a), expression=column(b)) for a, b in compared]
    whole: exp.Expr = equalities[0]
    for each in equalities[1:]:
        whole = exp.And(this=whole, expression=each)
    may = exp.Coalesce(this=exp.Paren(this=whole), expressions=[exp.Boolean(this=True)])
    return SemiJoin(left, match.right, correlated, condition([*match.rest, may]), True)
