"""Drawn conditions over outer joins, in CQL alone: to compare plans with plans."""

from __future__ import annotations

from .draw import Draw
from .expressions import join_condition, predicate
from .queries import OUTER
from .scene import Scene
from .texts import Column


def filled_query(draw: Draw, scene: Scene) -> str:
    """An outer join under conditions that ask where its NULLs are, often of what ON compares."""
    (first, left), (second, right) = (_windowed(draw, scene) for _ in range(2))
    on = join_condition(draw, left, right) or "TRUE"
    if draw.chance(0.3):
        on += f" AND {predicate(draw, draw.one([left, right]))}"
    compared = [column for column in (*left, *right) if column.name in on.split()]
    asked = draw.one(compared or right).name
    where = f"{asked} IS {draw.one(['', 'NOT '])}NULL"
    if draw.chance(0.5):
        where += f" {draw.one(['AND', 'OR'])} {predicate(draw, draw.one([left, right]))}"
    shown = f"{draw.one(left).name} AS c1, {draw.one(right).name} AS c2"
    joined = f"{first} {draw.one(OUTER)} JOIN {second} ON {on}"
    return f"SELECT {shown} FROM {joined} WHERE {where}"


def _windowed(draw: Draw, scene: Scene) -> tuple[str, list[Column]]:
    """A window of a stream, and its columns."""
    stream, alias = draw.one(scene.streams), draw.name("o")
    window, _ = scene.window(draw, short=True)
    return f"{stream.name} {window} AS {alias}", [column.of(alias) for column in stream.named()]
