"""The way through operators, which share their inputs: there are far more ways than operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .operators import Operator


def _inputs(operator: Operator) -> Sequence[Operator]:
    return operator.inputs


def walk(
    roots: Sequence[Operator], inputs: Callable[[Operator], Sequence[Operator]] = _inputs
) -> Iterator[Operator]:
    """The operators below some, themselves among them, each once, before its inputs and from left
    to right; `inputs`: those of an operator to go on with.
    """
    seen: set[Operator] = set()
    waiting = list(reversed(roots))
    while waiting:
        operator = waiting.pop()
        if operator not in seen:
            seen.add(operator)
            yield operator
            waiting.extend(reversed(inputs(operator)))
