"""Where the operators of a plan stand in a picture: data flows upwards, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reflow.grammar.value import value

from ..physical import Step

WIDTH = 220
HEIGHT = 56
GAP = 40
RISE = 50


@value
class Place:
    """The upper left corner of a box, in pixels."""

    x: float
    y: float


def places(steps: Sequence[Step]) -> tuple[dict[str, Place], int, int]:
    """Each step's place, and the width and height of the picture."""
    layers = _layers(steps)
    rows: dict[int, list[str]] = {}
    for step in steps:
        rows.setdefault(layers[step.id], []).append(step.id)
    ordered = _ordered(steps, rows)
    across = max(len(row) for row in ordered.values())
    width = across * (WIDTH + GAP) + GAP
    height = len(ordered) * (HEIGHT + RISE) + GAP
    found: dict[str, Place] = {}
    for layer, row in ordered.items():
        free = width - len(row) * (WIDTH + GAP) + GAP
        for position, name in enumerate(row):
            x = free / 2 + position * (WIDTH + GAP)
            found[name] = Place(x, height - (layer + 1) * (HEIGHT + RISE))
    return found, width, height


def _layers(steps: Sequence[Step]) -> dict[str, int]:
    """How many steps lie below each, along the longest way. Inputs come before their readers."""
    layers: dict[str, int] = {}
    for step in steps:
        layers[step.id] = max((layers[source] + 1 for source in step.inputs), default=0)
    return layers


def _ordered(steps: Sequence[Step], rows: Mapping[int, list[str]]) -> dict[int, list[str]]:
    """Each layer in an order in which few edges cross: a step stands near what it reads, then near
    its readers, and so on.
    """
    below = {step.id: list(step.inputs) for step in steps}
    above: dict[str, list[str]] = {step.id: [] for step in steps}
    for step in steps:
        for source in step.inputs:
            above[source].append(step.id)
    ordered = {layer: list(row) for layer, row in sorted(rows.items())}
    for sweep in range(6):
        near = below if sweep % 2 == 0 else above
        for layer in sorted(ordered, reverse=sweep % 2 == 1):
            at = {name: i / len(row) for row in ordered.values() for i, name in enumerate(row)}
            ordered[layer].sort(key=lambda name: _middle(near[name], at, at[name]))
    return ordered


def _middle(names: Sequence[str], at: Mapping[str, float], own: float) -> float:
    return sum(at[name] for name in names) / len(names) if names else own
