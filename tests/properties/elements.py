"""Drawn physical streams: early inserts, adjusts of ends, cancels, stables at any place; and, where
asked for, elements that may not be among them.
"""

from __future__ import annotations

from typing import Any

from ..oracle.physical import Told, told
from .draw import Draw

ELEMENTS = ("kind", "vs", "ve", "old_ve")
KEYS = ("a", "a", "b", "b", "ab", None)
Row = dict[str, Any]


def drawn_elements(
    draw: Draw, count: int, start: int, unit: int, insert_only: bool = False, wrong: float = 0.0
) -> list[Row]:
    """The elements in the order in which they arrive; `wrong`: how many of them are anything."""
    rows: list[Row] = []
    cursor = start
    while len(rows) < count:
        known = told(ELEMENTS, rows, insert_only)
        cursor += draw.weighted([(4, 0), (4, 1), (2, 2), (1, 6)]) * unit
        if wrong and draw.chance(wrong):
            rows.append(_anything(draw, cursor, unit))
            continue
        made = _valid(draw, known, cursor, unit, insert_only)
        if made is not None:
            rows.append(made)
    return rows


def _valid(draw: Draw, known: Told, cursor: int, unit: int, insert_only: bool) -> Row | None:
    settled = known.stable if known.stable is not None else cursor - 10 * unit
    what = draw.weighted([(5, "insert"), (0 if insert_only else 5, "adjust"), (2, "stable")])
    if what == "stable":
        return _row("stable", draw.number(settled // unit, cursor // unit) * unit)
    if what == "insert":
        vs = max(settled, cursor + draw.number(-6, 6) * unit)
        twin = [event for event in known.events if event[0] >= settled]
        if twin and draw.chance(0.15):
            vs, ve, (k, n), _ = draw.one(twin)
            return _row("insert", vs, ve, None, k, n)
        ve = None if draw.chance(0.3) else vs + draw.number(0, 12) * unit
        return _row("insert", vs, ve, None, draw.one(KEYS), draw.number(0, 2))
    open_ = [event for event in known.events if event[1] is None or event[1] >= settled]
    if not open_:
        return None
    vs, ve, (k, n), _ = draw.one(open_)
    least = max(vs, settled)
    new = None if draw.chance(0.15) else least + draw.number(0, 10) * unit
    if vs >= settled and draw.chance(0.15):
        new = vs
    return _row("adjust", vs, new, ve, k, n)


def _anything(draw: Draw, cursor: int, unit: int) -> Row:
    instants = [None if draw.chance(0.15) else cursor + draw.number(-12, 4) * unit for _ in "123"]
    kind = draw.one(["insert", "adjust", "adjust", "adjust", "stably", None])
    vs, ve, old = instants
    return _row(kind, vs, ve, old, draw.one(KEYS), draw.number(0, 2))


def _row(
    kind: str | None,
    vs: int | None,
    ve: int | None = None,
    old: int | None = None,
    k: str | None = None,
    n: int | None = None,
) -> Row:
    return {"k": k, "n": n, "kind": kind, "vs": vs, "ve": ve, "old_ve": old}
