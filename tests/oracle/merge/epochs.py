"""Epochs: the canonical order of a micro-batch (DESIGN section 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from .base import Merge
from .conditions import Step
from .elements import Element, Stable

# The elements of each input, in its own order; the inputs in the order of MERGE OF.
Epoch: TypeAlias = Mapping[str, Sequence[Element]]


def canonical(epoch: Epoch) -> list[tuple[str, Element]]:
    """Between sources a batch has no order. All inserts and adjusts come first, input by input,
    each in its own order; then each input's last stable, the least first, equal ones by place.
    """
    first = [(n, e) for n, elements in epoch.items() for e in elements if not isinstance(e, Stable)]
    stables = {
        name: max(e.t for e in elements if isinstance(e, Stable))
        for name, elements in epoch.items()
        if any(isinstance(e, Stable) for e in elements)
    }
    last = sorted(stables, key=lambda name: stables[name])
    return [*first, *((name, Stable(stables[name])) for name in last)]


def run(merge: Merge, epochs: Sequence[Epoch]) -> Iterator[Step]:
    """What the merge puts out in each epoch."""
    for epoch in epochs:
        taken = canonical(epoch)
        sent = [out for name, element in taken for out in merge.take(name, element)]
        yield Step([element for _, element in taken], sent)
