"""The columns of a query inside a question of WHERE, and those of the outer one that it reads.

A column of the outer query is known in the inner one by a mark before its name.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from ..plan.operators import Operator, Project
from ..plan.operators.base import Expr
from .build import text
from .infer import Typer
from .names import fresh
from .resolved import column, columns_of

MARK: Final = "outer query: "


class InnerColumns:
    """The columns of an inner query that a join needs, named apart from the outer ones."""

    def __init__(self, operator: Operator, typer: Typer, taken: set[str]) -> None:
        self._operator = operator
        self._typer = typer
        self._taken = taken
        self._made: dict[str, tuple[str, Expr]] = {}

    def named(self, expression: exp.Expr) -> str:
        """The name under which the right side has this value."""
        bare = expression.unnest()
        made = text(bare, self._typer(bare))
        if made.sql not in self._made:
            wanted = bare.name if isinstance(bare, exp.Column) else "value"
            name = fresh((f"in_{wanted}",), self._taken)
            self._taken.add(name.casefold())
            self._made[made.sql] = (name, made)
        return self._made[made.sql][0]

    def renamed(self, part: exp.Expr) -> exp.Expr:
        """A condition over the right side's names; those of the outer query stay marked."""

        def swap(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Column) and not node.name.startswith(MARK):
                return column(self.named(column(node.name)))
            return node

        return part.copy().transform(swap, copy=False)

    def projected(self) -> Operator:
        """The inner query with the columns that were named."""
        made = list(self._made.values())
        if not made:
            made = [(fresh(("in_row",), self._taken), Expr("TRUE", "BOOLEAN"))]
        return Project(self._operator, tuple(made))


def equality(part: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """`outer = inner`, in this order, where each side reads one query only."""
    if not isinstance(part, exp.EQ):
        return None
    for outer, inner in ((part.left, part.right), (part.right, part.left)):
        theirs, own = columns_of(outer), columns_of(inner)
        if theirs and own and all(n.startswith(MARK) for n in theirs):
            return None if any(n.startswith(MARK) for n in own) else (outer, inner)
    return None


def marked(expression: exp.Expr) -> exp.Expr:
    """An expression of the outer query as the inner one knows it."""

    def swap(node: exp.Expr) -> exp.Expr:
        return column(MARK + node.name) if isinstance(node, exp.Column) else node

    return expression.copy().transform(swap, copy=False)


def unmarked(expression: exp.Expr) -> exp.Expr:
    """The expression over the names of both queries, which are told apart by then."""

    def swap(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and node.name.startswith(MARK):
            return column(node.name.removeprefix(MARK))
        return node

    return expression.copy().transform(swap, copy=False)
