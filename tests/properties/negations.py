"""Drawn queries with negation and set operations, in CQL alone: to compare plans with plans."""

from __future__ import annotations

from collections.abc import Sequence

from .draw import Draw
from .expressions import join_condition, predicate
from .queries import Queries
from .scene import Scene
from .texts import Column, Texts

SETS = ("EXCEPT ALL", "INTERSECT ALL", "EXCEPT", "INTERSECT")


def negated_query(draw: Draw, scene: Scene, maker: Queries) -> str:
    """A query of one to three negations, joins and set operations over drawn parts."""
    shape = draw.weighted([(3, "exists"), (3, "sets"), (2, "joined"), (2, "once")])
    if shape == "sets":
        return _sets(draw, maker)[0]
    text, columns = _exists(draw, scene, maker)
    if shape == "exists":
        return text
    if shape == "once":
        return f"SELECT DISTINCT {draw.one(columns).name} AS c1 FROM ({text}) AS once"
    if draw.chance(0.5):
        text, columns = _sets(draw, maker)
    return _joined(draw, scene, text, columns)


def _exists(draw: Draw, scene: Scene, maker: Queries) -> tuple[str, list[Column]]:
    """Rows that have, or have not, a match in a window of a stream."""
    below = maker.select(draw.number(0, 1))
    outer, inner = draw.name("o"), draw.name("i")
    columns = [column.of(outer) for column in below.columns]
    match = _match(draw, scene, columns, inner)
    listed = ", ".join(f"{column.name} AS c{i}" for i, column in enumerate(columns, start=1))
    text = f"SELECT {listed} FROM ({below.cql}) AS {outer} WHERE {match}"
    if draw.chance(0.3):
        text += f" AND {predicate(draw, columns)}"
    return text, [Column(f"c{i}", c.kind) for i, c in enumerate(columns, start=1)]


def _match(draw: Draw, scene: Scene, columns: Sequence[Column], alias: str) -> str:
    stream = draw.one(scene.streams)
    window, _ = scene.window(draw)
    own = [column.of(alias) for column in stream.named()]
    condition = join_condition(draw, columns, own) or "TRUE"
    if draw.chance(0.3):
        condition += f" AND {predicate(draw, own)}"
    if draw.chance(0.3):
        condition += f" AND {predicate(draw, columns)}"
    word = draw.one(["NOT EXISTS", "NOT EXISTS", "EXISTS"])
    return f"{word} (SELECT 1 FROM {stream.name} {window} AS {alias} WHERE {condition})"


def _sets(draw: Draw, maker: Queries) -> tuple[str, list[Column]]:
    first: Texts = maker.select(draw.number(0, 1))
    second = maker._matching(first.columns, maker._from(0))
    columns = list(first.columns)
    text = f"({first.cql}) {draw.one(SETS)} ({second.cql})"
    if draw.chance(0.4):
        shown = ", ".join(column.name for column in columns)
        text = f"SELECT {shown} FROM ({text}) AS kept WHERE {predicate(draw, columns)}"
    return text, columns


def _joined(draw: Draw, scene: Scene, text: str, columns: Sequence[Column]) -> str:
    """Joined with a window of a stream, on either side."""
    stream = draw.one(scene.streams)
    window, _ = scene.window(draw, short=True)
    ours, theirs = draw.name("a"), draw.name("b")
    left = [column.of(ours) for column in columns]
    right = [column.of(theirs) for column in stream.named()]
    condition = join_condition(draw, left, right) or "TRUE"
    sides = [f"({text}) AS {ours}", f"{stream.name} {window} AS {theirs}"]
    draw.random.shuffle(sides)
    shown = f"{draw.one(left).name} AS c1, {draw.one(right).name} AS c2"
    return f"SELECT {shown} FROM {sides[0]} JOIN {sides[1]} ON {condition}"
