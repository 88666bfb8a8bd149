"""Drawn copies of one logical stream of which some go away while it is merged, and come back: they
go on where they left, or begin anew, with what is missing before and with repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from ..oracle.merge.presentations import Event
from .case import Sink
from .copies import (
    CopiesCase,
    RowKind,
    copies_query,
    copies_scene,
    declared_copies,
    drawn_copy,
    drawn_rows,
    elements_events,
    of_elements,
    told_elements,
)
from .draw import Draw
from .feeding import Attach, Detach, Drain, Feed, Restart, Step, Until, Values

_EPOCHS = 5
_T = TypeVar("_T")


@dataclass(frozen=True)
class Stay:
    """How a copy is there: it leaves before the epoch `leaves` and is back before `back`, where it
    goes on, or begins anew, complete from `since`.
    """

    leaves: int
    back: int
    since: int | None


def rows_attached(seed: int, kind: RowKind, queries: Sequence[tuple[str, Sink]]) -> CopiesCase:
    """Copies of rows; `a` is there all the time."""
    draw = Draw(seed)
    scene = copies_scene(timestamps=seed % 2 == 0)
    rows = list(drawn_rows(draw, scene, kind))

    def told(since: int | None) -> list[Values]:
        kept = rows if since is None else list(_from(draw, rows, since))
        return drawn_copy(draw, scene, kind, kept, False)

    instants = [row["ts"] + draw.number(0, 1) * scene.unit for row in rows]
    steps = list(_steps(draw, told, instants))
    last = rows[-1]["ts"] + draw.number(1, 20) * scene.unit
    return CopiesCase(
        seed,
        scene,
        tuple(copies_query(f"q{i}", text, scene, sink) for i, (text, sink) in enumerate(queries)),
        (*steps, Until(last)),
        "flat",
        tuple(declared_copies(draw, scene, kind, "abc")),
        ({"m": rows},),
        scene.stream_schemas(),
    )


def elements_attached(
    seed: int, variant: Literal["R3", "R4"], policy: str, queries: Sequence[str]
) -> CopiesCase:
    """Copies of elements; `a` is there all the time."""
    draw = Draw(seed)
    events = elements_events(draw, variant, policy)

    def told(since: int | None) -> list[Values]:
        kept: Iterable[Event] = events
        if since is not None:
            kept = [event for event in events if event[2] >= since or draw.chance(0.3)]
        return told_elements(draw, variant, list(kept))

    steps = [*_steps(draw, told, range(3, 26)), Drain()]
    promise = ", DISTINCT ROWS" if variant == "R3" else ""
    scene = copies_scene(timestamps=False)
    return of_elements(seed, scene, promise, policy, queries, steps, events)


def _from(draw: Draw, rows: Sequence[Values], since: int) -> Iterator[Values]:
    """All rows from an instant on, and those of some instants before."""
    early = {row["ts"]: draw.chance(0.4) for row in rows}
    yield from (row for row in rows if row["ts"] >= since or early[row["ts"]])


def _steps(
    draw: Draw, told: Callable[[int | None], list[Values]], instants: Sequence[int]
) -> Iterator[Step]:
    stays = {name: _stay(draw, instants) for name in "bc"}
    given = {"a": _parts(draw, told(None), _EPOCHS)}
    given |= {name: list(_given(draw, told, stay)) for name, stay in stays.items()}
    for number in range(_EPOCHS):
        for name, stay in stays.items():
            if number == stay.leaves:
                yield Detach(name)
            if number == stay.back:
                yield Attach(name, stay.since)
        if number and draw.chance(0.3):
            yield Restart()
        yield Feed({name: parts[number] for name, parts in given.items() if parts[number]})


def _stay(draw: Draw, instants: Sequence[int]) -> Stay:
    leaves = draw.number(1, _EPOCHS - 2)
    since = draw.one(list(instants)) if draw.chance(0.7) else None
    return Stay(leaves, draw.number(leaves + 1, _EPOCHS - 1), since)


def _given(
    draw: Draw, told: Callable[[int | None], list[Values]], stay: Stay
) -> Iterator[list[Values]]:
    """What a copy brings in each epoch."""
    rows, after = told(None), _EPOCHS - stay.back
    if stay.since is None:
        parts = _parts(draw, rows, stay.leaves + after)
        then = parts[stay.leaves :]
    else:
        parts = _parts(draw, rows[: draw.number(0, len(rows))], stay.leaves)
        then = _parts(draw, told(stay.since), after)
    yield from parts[: stay.leaves]
    yield from ([] for _ in range(stay.leaves, stay.back))
    yield from then


def _parts(draw: Draw, rows: Sequence[_T], count: int) -> list[list[_T]]:
    cuts = [0, *sorted(draw.number(0, len(rows)) for _ in range(count - 1)), len(rows)]
    return [list(rows[cuts[i] : cuts[i + 1]]) for i in range(count)]
