"""Physical presentations of one logical stream (LMERGE III, VI): the same events, told in another
order, with other adjusts and stables.

Events: one starts at each tick and lives for as many ticks as shall be active. Columns: `id` (a
random integer), `payload` (1,000 characters), and `kind`, `vs`, `ve`, `old_ve` of elements; or `ts`
instead of those four, of a stream of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

WIDTH = 1_000
# Payloads are pieces of one random text, which no compression makes small.
POOL = 1_000_003
INSERT, ADJUST, STABLE = 0, 1, 2
KINDS = ("insert", "adjust", "stable")
# How far an element in disorder comes behind its place, in elements, at most.
DELAY = 1_000


@dataclass(frozen=True)
class Shape:
    """`events`, of which `active` live at a time. Of one presentation: `disorder`, the part of the
    elements that come late; `adjusts`, the part of the events whose first end is wrong; a stable
    every `stable` elements; `behind`, ticks by which it lags behind the others.
    """

    events: int = 400_000
    active: int = 10_000
    disorder: float = 0.2
    adjusts: float = 0.25
    stable: int = 1_000
    behind: int = 0


def elements(shape: Shape, copy: int, rows: int) -> Iterator[pa.Table]:
    """A presentation as tables of `rows` elements; `copy` tells it from others. A stream that lags
    tells in its first table that nothing happened before, and is so much behind in each table.
    """
    kind, event, end, old = _told(shape, np.random.default_rng([shape.events, copy]))
    kind, event, end, old = _with_stables(shape, kind, event, end, old)
    bounds = [0, *range(max(rows - shape.behind, 1), len(kind), rows), len(kind)]
    for low, high in pairwise(bounds):
        part = slice(low, high)
        yield _elements(kind[part], event[part], end[part], old[part])


def rows_of(shape: Shape, rows: int) -> Iterator[pa.Table]:
    """The events as rows in order, all of which stay."""
    for low in range(0, shape.events, rows):
        event = np.arange(low, min(low + rows, shape.events))
        yield pa.table({"ts": event, "id": _ids(event), "payload": payloads(event)})


def _told(shape: Shape, chance: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Inserts in order of start, each late or not; some with an end that is adjusted later, while
    the event lives.
    """
    event = np.arange(shape.events)
    wrong = chance.random(shape.events) < shape.adjusts
    first = event + shape.active + np.where(wrong, chance.integers(1, shape.active, len(event)), 0)
    late = np.where(chance.random(len(event)) < shape.disorder, DELAY, 0)
    place = event + chance.random(len(event)) * late
    adjusted = event[wrong]
    then = place[wrong] + chance.random(len(adjusted)) * (shape.active - DELAY) / 2
    kind = np.concatenate([np.full(len(event), INSERT), np.full(len(adjusted), ADJUST)])
    order = np.argsort(np.concatenate([place, then]), kind="stable")
    events = np.concatenate([event, adjusted])[order]
    ends = np.concatenate([first, adjusted + shape.active])[order]
    olds = np.concatenate([np.full(len(event), -1), first[wrong]])[order]
    return kind[order], events, ends, olds


def _with_stables(
    shape: Shape, kind: np.ndarray, event: np.ndarray, end: np.ndarray, old: np.ndarray
) -> tuple[np.ndarray, ...]:
    """A stable after each so many elements: as far as all that follow allow it; the last one says
    that all is told.
    """
    allowed = np.where(kind == INSERT, event, np.minimum(end, old))
    least = np.minimum.accumulate(allowed[::-1])[::-1]
    at = np.unique([*range(shape.stable, len(kind), shape.stable), len(kind)])
    promised = np.append(least, shape.events + 3 * shape.active)[at]
    stables = np.full(len(at), STABLE)
    return (
        np.insert(kind, at, stables),
        np.insert(event, at, promised),
        np.insert(end, at, -1),
        np.insert(old, at, -1),
    )


def _elements(kind: np.ndarray, event: np.ndarray, end: np.ndarray, old: np.ndarray) -> pa.Table:
    is_stable = pa.array(kind == STABLE)
    none = pa.scalar(None, pa.int64())
    return pa.table(
        {
            "id": pc.if_else(is_stable, none, pa.array(_ids(event))),
            "payload": pc.if_else(is_stable, pa.scalar(None, pa.string()), payloads(event)),
            "kind": pa.array(KINDS).take(pa.array(kind)),
            "vs": pa.array(event),
            "ve": pc.if_else(is_stable, none, pa.array(end)),
            "old_ve": pc.if_else(pa.array(kind == ADJUST), pa.array(old), none),
        }
    )


def _ids(event: np.ndarray) -> np.ndarray:
    """A number for each event, in no order: all different."""
    return (event.astype(np.int64) * 2_654_435_761) % (2**31 - 1)


def payloads(event: np.ndarray) -> pa.Array:
    """A text for each event."""
    pool = np.random.default_rng(7).integers(97, 123, POOL + WIDTH, dtype=np.uint8)
    start = (event.astype(np.int64) * 7_919) % POOL
    texts = pool[start[:, None] + np.arange(WIDTH)]
    offsets = np.arange(len(event) + 1, dtype=np.int32) * WIDTH
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(texts.tobytes())]
    return pa.Array.from_buffers(pa.string(), len(event), buffers)
