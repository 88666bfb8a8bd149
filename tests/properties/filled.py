"""Drawn conditions over outer joins, in CQL alone: to compare plans with plans."""

from __future__ import annotations

from .draw import Draw
from .expressions import join_condition, predicate
from .queries import OUTER
from .scene import Scene
from .texts import Column


def filled_query(draw: Draw, scene: Scene) -> str:
    """An outer join of two windows under a condition that may ask where its NULLs are: WHERE, often
    of what ON compares, or a join with a third window.
    """
    (first, left), (second, right) = (_windowed(draw, scene) for _ in range(2))
    on = join_condition(draw, left, right) or "TRUE"
    if draw.chance(0.3):
        on += f" AND {predicate(draw, draw.one([left, right]))}"
    shown = [draw.one(left), draw.one(right)]
    listed = ", ".join(f"{column.name} AS c{n}" for n, column in enumerate(shown, start=1))
    text = f"SELECT {listed} FROM {first} {draw.one(OUTER)} JOIN {second} ON {on}"
    if draw.chance(0.3):
        return _joined(draw, scene, text, shown)
    compared = [column for column in (*left, *right) if column.name in on.split()]
    where = f"{draw.one(compared or right).name} IS {draw.one(['', 'NOT '])}NULL"
    if draw.chance(0.5):
        where += f" {draw.one(['AND', 'OR'])} {predicate(draw, draw.one([left, right]))}"
    return f"{text} WHERE {where}"


def _joined(draw: Draw, scene: Scene, text: str, columns: list[Column]) -> str:
    """A derived table joined, by an inner join, with a window."""
    alias = draw.name("x")
    ours = [Column(f"{alias}.c{n}", column.kind) for n, column in enumerate(columns, start=1)]
    third, theirs = _windowed(draw, scene)
    on = join_condition(draw, ours, theirs) or "TRUE"
    return f"SELECT {alias}.c1, {alias}.c2 FROM ({text}) AS {alias} JOIN {third} ON {on}"


def _windowed(draw: Draw, scene: Scene) -> tuple[str, list[Column]]:
    """A window of a stream, and its columns."""
    stream, alias = draw.one(scene.streams), draw.name("o")
    window, _ = scene.window(draw, short=True)
    return f"{stream.name} {window} AS {alias}", [column.of(alias) for column in stream.named()]
