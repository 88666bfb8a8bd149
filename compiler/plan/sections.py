"""Whose clock an operator runs under: each branch of a merge has one of its own, a section."""

from __future__ import annotations

from collections.abc import Iterator

from .graph import Plan
from .operators import Merge, Operator, Scan
from .walk import walk


def source(operator: Operator) -> str | None:
    """The name under which an operator moves the clock that it runs under; None: it does not."""
    if isinstance(operator, Merge):
        return operator.name
    return operator.stream.name if isinstance(operator, Scan) else None


def sources(operator: Operator) -> Iterator[str]:
    """The streams that move the clock under which an output is made, each once."""
    yield from dict.fromkeys(
        name for each in in_its_section(operator) if (name := source(each)) is not None
    )


def in_its_section(*roots: Operator) -> Iterator[Operator]:
    """The operators that run under the clock of these, each once, merges among them and nothing
    below those.
    """
    return walk(roots, lambda each: () if isinstance(each, Merge) else each.inputs)


def own_operators(plan: Plan) -> Iterator[Operator]:
    """The operators under the clock of the program, in the order of the plan."""
    own = set(in_its_section(*plan.sinks))
    return (operator for operator in plan.operators() if operator in own)


def has_merges(plan: Plan) -> bool:
    return any(isinstance(operator, Merge) for operator in plan.operators())
