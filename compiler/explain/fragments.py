"""The part of a plan that a rewrite changed, before and after, as small trees."""

from __future__ import annotations

from collections.abc import Iterator

from ..physical.shown import shown
from ..plan.expressions import readable
from ..plan.operators import Operator
from ..rewrite import Applied

Lines = tuple[str, ...]
MORE = " …"
"""Behind an operator that stays, with all that is below it."""


def fragments(applied: Applied) -> tuple[Lines, Lines]:
    """The operators that a rewrite touched, those below indented, and those in their place.

    A branch ends at the first operator that stands on both sides.
    """
    before, after = applied.replaced, applied.replacement
    both = _below(before) & _below(after)
    return tuple(_tree(before, both, 0)), tuple(_tree(after, both, 0))


def changed(applied: Applied) -> Iterator[str]:
    """Both fragments as lines, one below the other with an arrow between them."""
    before, after = fragments(applied)
    yield from (f"   {line}" for line in before)
    yield f"-> {after[0]}"
    yield from (f"   {line}" for line in after[1:])


def _tree(operator: Operator, both: frozenset[Operator], depth: int) -> Iterator[str]:
    line = f"{'  ' * depth}{type(operator).__name__} {readable(shown(operator))}".rstrip()
    if operator in both:
        yield line + (MORE if operator.inputs else "")
        return
    yield line
    for source in operator.inputs:
        yield from _tree(source, both, depth + 1)


def _below(operator: Operator) -> frozenset[Operator]:
    """The operator and all below it."""
    found: dict[Operator, None] = {}
    waiting = [operator]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found[one] = None
            waiting.extend(one.inputs)
    return frozenset(found)
