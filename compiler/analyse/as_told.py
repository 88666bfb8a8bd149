"""Which events are passed on as they were told: with an end that may be told anew later.

A stream of elements, and a merge of events, say when an event ends, and may say so again (LMERGE
III). What computes answers at instants wants rows that come and leave; a merge, and a sink that
writes elements, want what was said. Then nobody needs to remember events to find their ends.

In: a plan, the forms without this, which edges speak in pieces. Out: the operators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from ..plan.graph import Plan
from ..plan.operators import Filter, Merge, Operator, Project, Reconstitution, Sink

_AT_INSTANTS = frozenset({"log", "console", "memory"})
"""Sinks that show when rows come and leave, whatever their mode."""


def as_told(
    plan: Plan,
    forms: Mapping[Operator, Literal["intervals", "points"]],
    in_pieces: Mapping[Operator, bool],
) -> frozenset[Operator]:
    """The streams of elements and the merges all of whose readers take events as they are told. A
    merge does where it can have all its branches so: events in normal form are others.
    """
    found = {operator for operator in plan.operators() if _tells_later(operator)}

    def takes(reader: Operator) -> bool:
        match reader:
            case Sink():
                shown = reader.mode == "elements" and reader.format not in _AT_INSTANTS
                return shown and reader.emit == "changes"
            case Merge():
                return not reader.rows and all(is_told(branch) for branch in reader.branches)
        return False

    def is_told(branch: Operator) -> bool:
        announced = forms[branch] == "intervals" or teller(branch) in found
        return announced and not in_pieces[branch]

    while refused := {each for each in found if not all(map(takes, _readers(plan, each)))}:
        found -= refused
    return frozenset(found)


def teller(operator: Operator) -> Operator:
    """What tells the events of a branch: what is above it neither adds any nor changes their
    ends.
    """
    while isinstance(operator, Filter | Project):
        operator = operator.input
    return operator


def _tells_later(operator: Operator) -> bool:
    if isinstance(operator, Reconstitution):
        return not operator.insert_only
    return isinstance(operator, Merge) and not operator.rows


def _readers(plan: Plan, operator: Operator) -> Iterator[Operator]:
    """Who reads an output, behind filters and projections."""
    for reader in plan.consumers(operator):
        if isinstance(reader, Filter | Project):
            yield from _readers(plan, reader)
        else:
            yield reader


__all__ = ["as_told", "teller"]
