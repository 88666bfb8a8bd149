"""How merges are made: by which algorithm, and in what form their branches tell their rows.

In: a plan, its properties, forms and which edges speak in pieces. Out: both for each merge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reflow.grammar.value import value

from ..plan.graph import Plan
from ..plan.operators import Merge, Operator
from .forms import Form
from .merge_variant import MergeVariant, merge_variant
from .stream_properties import Properties


@value
class Merging:
    """`as_told`: all branches announce the ends of their rows, whose events are merged as they are
    told; else as events in normal form, whose ends are told when they come. `repeated`: two events
    of a branch may have the same row and start.
    """

    variant: MergeVariant
    as_told: bool
    repeated: bool = True


def merged(
    plan: Plan,
    properties: Mapping[Operator, Properties],
    forms: Mapping[Operator, Form],
    in_pieces: Mapping[Operator, bool],
) -> dict[Operator, Merging]:
    """How each merge of a plan is made."""
    found: dict[Operator, Merging] = {}
    for merge in plan.operators():
        if isinstance(merge, Merge):
            told = all(forms[b] == "intervals" and not in_pieces[b] for b in merge.branches)
            pairs = zip(merge.names, merge.branches, strict=True)
            inputs = {name: _given(merge, name, properties[b], told) for name, b in pairs}
            repeated = any(each.repeated for each in inputs.values())
            found[merge] = Merging(merge_variant(inputs, merge.policy), told, repeated)
    return found


def _given(merge: Merge, name: str, promised: Properties, as_told: bool) -> Properties:
    """What a branch promises as it is merged. What is cleansed comes in order with all that is to
    say about it; rows that start together come in an order that only other cleansed ones have.
    """
    if name in merge.cleansed:
        native = len(merge.cleansed) < len(merge.names)
        return Properties(disorder=0, loose=native, repeated=promised.repeated)
    return promised if as_told else replace(promised, adjusted=True)
