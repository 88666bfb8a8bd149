"""What every operator has: inputs, a schema, a span."""

from __future__ import annotations

from abc import ABC, abstractmethod

from sqlglot import exp

from reflow.grammar.value import value

from ..schema import Schema


@value
class Expr:
    """A scalar expression over the column names of an operator's input, with its Spark type.

    Columns stand in it unqualified, by internal name. Two are equal when their Spark SQL texts are.
    """

    sql: str
    type: str

    @classmethod
    def of(cls, expression: exp.Expression, type_: str) -> Expr:
        return cls(expression.sql(dialect="spark"), type_)


class Operator(ABC):
    """A node of a plan. Subclasses are frozen dataclasses.

    Equal operators are equal all the way down. The hash is kept and compared first, and what has
    been found equal once is remembered, since operators share their inputs: going down anew at
    every level would take time without bounds.
    """

    def __init_subclass__(cls) -> None:
        # Dataclasses keep methods that a class has already.
        cls.__hash__ = _kept_hash  # type: ignore[assignment]
        cls.__eq__ = _equal  # type: ignore[assignment]

    @property
    @abstractmethod
    def inputs(self) -> tuple[Operator, ...]:
        """The operators this one reads, in order."""

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """The columns of the output."""


def _values(operator: Operator) -> tuple[object, ...]:
    return tuple(operator.__dict__[name] for name in operator.__match_args__)  # type: ignore[attr-defined]


def _kept_hash(operator: Operator) -> int:
    kept: int | None = operator.__dict__.get("_hash")
    if kept is None:
        kept = hash((type(operator).__name__, _values(operator)))
        operator.__dict__["_hash"] = kept
    return kept


def _equal(operator: Operator, other: object) -> bool:
    if operator is other:
        return True
    if type(operator) is not type(other) or hash(operator) != hash(other):
        return False
    assert isinstance(other, Operator)
    first, second = _representative(operator), _representative(other)
    if first is second:
        return True
    if _values(operator) != _values(other):
        return False
    second.__dict__["_equals"] = first
    return True


def _representative(operator: Operator) -> Operator:
    """One of the operators that have been found equal to this one, the same for all of them."""
    while "_equals" in operator.__dict__:
        operator = operator.__dict__["_equals"]
    return operator
