"""What all nodes are made of: names, lengths, and queries inside expressions."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp

from reflow.grammar.source import Span
from reflow.grammar.value import value


class QueryExpression(exp.Expression):
    """A query within an expression: `EXISTS (…)`, `x IN (…)`, a scalar subquery.

    `kind` is "exists", "in" or "scalar"; `query` a syntax Query; `this` the left side of IN. NOT is
    an `exp.Not` around it.
    """

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "query": True, "this": False}


@value
class Name:
    """A name without its quotes; `quoted` says whether it was written in them."""

    text: str
    span: Span
    quoted: bool = False


@value
class Length:
    """The length of a window or of another bound, as written.

    Exactly one of `microseconds` (an interval) and `ticks` (a plain number) is set. Months and
    years have no fixed length: they arrive with `months` set as well, for the binder to refuse.
    """

    microseconds: int | None
    ticks: int | None
    text: str
    span: Span
    months: int = 0
