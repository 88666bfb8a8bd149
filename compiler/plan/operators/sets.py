"""Operators that compare whole rows of two answers: EXCEPT and INTERSECT."""

from __future__ import annotations

from typing import Literal

from reflow.grammar.value import value

from ..schema import Schema
from .base import Operator

SetKind = Literal["except all", "except", "intersect all", "intersect"]


@value
class SetOperation(Operator):
    """Rows by position, NULLs equal; names and types are the left side's.

    With l and r copies on the two sides at an instant there are max(l - r, 0) by EXCEPT ALL (UPA,
    Equation 1) and min(l, r) by INTERSECT ALL; without ALL a row is there once or not at all.

    `by`, for EXCEPT ALL: pairs of columns (left, right) by which rows are counted; of the left's
    whole rows the youngest max(l - r, 0) of each value are there (UPA's negation on attributes).
    """

    left: Operator
    right: Operator
    kind: SetKind
    by: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if self.by and self.kind != "except all":
            raise ValueError("only EXCEPT ALL counts rows by some of their columns")

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.left, self.right)

    @property
    def schema(self) -> Schema:
        return self.left.schema
