"""What every operator has: inputs, a schema, a span."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from sqlglot import exp

from ..schema import Schema


@dataclass(frozen=True)
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
    """A node of a plan. Subclasses are frozen dataclasses."""

    @property
    @abstractmethod
    def inputs(self) -> tuple[Operator, ...]:
        """The operators this one reads, in order."""

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """The columns of the output."""
