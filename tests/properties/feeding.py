"""Drawn data and a drawn plan of feeding: rows in bounded disorder, cut into epochs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .draw import Draw
from .scene import Nrr, Scene, Stream

Values = dict[str, Any]
KEYS = ["a", "a", "a", "a", "b", "b", "c", "ab", None]


@dataclass(frozen=True)
class Feed:
    """One epoch: what arrives, on how many partitions, and what relations hold from now on."""

    rows: Mapping[str, Sequence[Values]]
    partitions: int = 1
    contents: Mapping[str, Sequence[Values]] = field(default_factory=dict)


@dataclass(frozen=True)
class Restart:
    """A new engine on the same checkpoint."""


@dataclass(frozen=True)
class Drain:
    """Complete the instant `now`."""


@dataclass(frozen=True)
class Until:
    """Move the clock to `instant`."""

    instant: int


@dataclass(frozen=True)
class Detach:
    """An input of the merge `m` goes away."""

    name: str


@dataclass(frozen=True)
class Attach:
    """It comes back; `since`: as a new copy, which is complete from then on."""

    name: str
    since: int | None = None


Step = Detach | Attach | Feed | Restart | Drain | Until


def draw_steps(draw: Draw, scene: Scene) -> tuple[Step, ...]:
    """Two or three epochs with restarts, ended by a drain or by a move of the clock."""
    start = _start(draw, scene)
    arriving = {stream.name: _arrivals(draw, scene, stream, start) for stream in scene.streams}
    largest = max(row["ts"] for rows in arriving.values() for row in rows)
    steps: list[Step] = []
    versions: dict[str, list[Values]] = {nrr.name: [] for nrr in scene.nrrs}
    for number, rows in enumerate(_epochs(draw, arriving)):
        if number and draw.chance(0.3):
            steps.append(Restart())
        contents = {
            nrr.name: drawn_contents(draw, scene, nrr, versions[nrr.name], start)
            for nrr in scene.nrrs
            if number == 0 or draw.chance(0.4)
        }
        steps.append(Feed(rows, draw.one([1, 3]), contents))
        if draw.chance(0.1):
            steps.append(Drain())
    if draw.chance(0.5):
        steps.append(Until(largest + draw.number(1, 25) * scene.unit))
    else:
        steps.append(Drain())
    return tuple(steps)


def _start(draw: Draw, scene: Scene) -> int:
    if scene.timestamps:
        return 1_767_571_200 * scene.unit  # 2026-01-05 00:00:00 UTC
    return draw.one([0, 100, -7])


def _arrivals(draw: Draw, scene: Scene, stream: Stream, start: int) -> list[Values]:
    """Rows in the order in which they arrive: none is further behind than the stream's bound."""
    rows: list[Values] = []
    at = start + draw.number(0, 6) * scene.unit
    for _ in range(draw.number(8, 30)):
        at += draw.weighted([(4, 0), (4, 1), (3, 2), (1, 9)]) * scene.unit
        if rows and draw.chance(0.12):
            rows.append(rows[-1] | {"ts": at})
        else:
            rows.append(_row(draw, stream, at))
    slack = stream.within * scene.unit
    return sorted(rows, key=lambda row: row["ts"] + draw.random.uniform(0, slack))


def _row(draw: Draw, stream: Stream, at: int) -> Values:
    return {name: at if name == "ts" else drawn_value(draw, kind) for name, kind in stream.columns}


def drawn_value(draw: Draw, kind: str) -> Any:
    if kind == "STRING":
        return draw.one(KEYS)
    if draw.chance(0.12):
        return None
    if kind == "DOUBLE":
        return draw.number(-8, 40) / 4
    return draw.number(-5, 15) if kind == "INT" else draw.number(0, 3)


def _epochs(draw: Draw, arriving: Mapping[str, list[Values]]) -> list[dict[str, list[Values]]]:
    """The arrivals cut at random places, for each stream by itself or at about the same time."""
    count = draw.number(2, 3)
    together = draw.chance(0.5)
    shares = sorted(draw.random.random() for _ in range(count - 1))
    epochs: list[dict[str, list[Values]]] = [{} for _ in range(count)]
    for stream, rows in arriving.items():
        own = shares if together else sorted(draw.random.random() for _ in range(count - 1))
        cuts = [0, *(round(share * len(rows)) for share in own), len(rows)]
        for number in range(count):
            part = rows[cuts[number] : cuts[number + 1]]
            if part:
                epochs[number][stream] = part
    return [epoch for epoch in epochs if epoch]


def drawn_contents(
    draw: Draw, scene: Scene, nrr: Nrr, known: list[Values], start: int
) -> list[Values]:
    """A relation's new contents; versions are only ever added."""
    keys = [key for key in ("a", "b", "c", "ab") if draw.chance(0.7)]
    if not nrr.versioned:
        return [
            {"k": k, "label": f"{k}{draw.number(1, 9)}", "rank": draw.number(0, 9)} for k in keys
        ]
    for key in keys:
        since = start + draw.number(-5, 40) * scene.unit
        if all((row["k"], row["since"]) != (key, since) for row in known):
            known.append({"k": key, "rate": draw.number(1, 99), "since": since})
    return list(known)
