"""Where a step reads the rows of its input again: from archives, from windows that keep them, or
from state of its own.

In: a plan, its facts, the windows that keep rows. Out: for each operator's output where its rows
are had again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from reflow.grammar.value import value

from ..analyse import Facts
from ..analyse.reach import Reach, Reaches
from ..plan.graph import Plan
from ..plan.operators import Operator, Scan, Window


@value
class Again:
    """The archives, and whether windows keep the rows; without either, whoever needs them must keep
    them.
    """

    archives: Reaches
    windows: bool


def rows_again(plan: Plan, facts: Facts, keeping: Collection[Operator]) -> Mapping[Operator, Again]:
    """Of each output."""
    found: dict[Operator, Again] = {}
    for operator in plan.operators():
        reaches = facts.reaches[operator]
        if operator in keeping:
            found[operator] = Again(frozenset(), windows=True)
        elif reaches and not isinstance(operator, Window | Scan):
            below = [found[source] for source in operator.inputs]
            archives = frozenset[Reach]().union(*(each.archives for each in below))
            found[operator] = Again(archives, any(each.windows for each in below))
        else:
            found[operator] = Again(reaches, windows=False)
    return found
