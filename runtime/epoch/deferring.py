"""Corrections that wait until the streams are idle (`SET revise_when = 'idle'`; DESIGN section 5).

They are looked up and judged when they come; what they come to waits, in files that the manifest
names among the state. New arrivals are not held up by replays then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ..connect.declarations import Stream
from ..elements.columns import VS
from ..ledger.files import DataFile
from ..ledger.manifest import Manifest, StateFiles
from .landing import Landed
from .timing import Judges

_PREFIX: Final = "deferred/"


def deferred(parent: Manifest, stream: str) -> tuple[DataFile, ...]:
    """The files of a stream's corrections that wait."""
    known = parent.state.get(_PREFIX + stream)
    return () if known is None else known.files


def apart(state: Mapping[str, StateFiles]) -> dict[str, StateFiles]:
    """The state of operators alone."""
    return {name: known for name, known in state.items() if not name.startswith(_PREFIX)}


def waits(head: Manifest) -> bool:
    """Whether any correction waits."""
    return any(name.startswith(_PREFIX) for name in head.state)


def defer(
    landed: Landed, streams: Sequence[Stream], parent: Manifest, judges: Judges, defers: bool
) -> tuple[Landed, dict[str, StateFiles]]:
    """What this epoch works on, and what waits from here on, as state.

    All corrections are made in an epoch without other arrivals, in one that leaves some of them
    further back than is kept, and where the program no longer `defers`.
    """
    if not defers and not waits(parent):
        return landed, {}
    every = {
        stream.name: (*deferred(parent, stream.name), *_revised(landed, stream.name))
        for stream in streams
    }
    arrived = {name: _in_order(landed, name) for name in landed.files}
    too_old = any(
        file.low[VS] < stream.oldest(judges.of[stream.name])
        for stream in streams
        for file in every[stream.name]
    )
    if defers and any(arrived.values()) and not too_old:
        waiting = {_PREFIX + name: StateFiles("", files) for name, files in every.items() if files}
        return replace(landed, files=arrived), waiting
    return replace(landed, files={name: (*arrived[name], *every[name]) for name in arrived}), {}


def _revised(landed: Landed, name: str) -> tuple[DataFile, ...]:
    return tuple(file for file in landed.files.get(name, ()) if file.revised)


def _in_order(landed: Landed, name: str) -> tuple[DataFile, ...]:
    return tuple(file for file in landed.files[name] if not file.revised)
