"""The fingerprint of a program: 16 hex digits that change when its state would no longer fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from ..analyse.replays import Replay
from .calls import Call, Deliver, Elements, Merged, Reconstitute
from .program import MergeSource, RelationSource, Step, StreamSource

MERGE_STATE: Final = 2
"""The form of the state of merges that keep rows by their start; 1: R1 counted what started last,
and entries of rows stayed until their ends were frozen.
"""


def fingerprint(
    timezone: str,
    streams: Sequence[StreamSource],
    relations: Sequence[RelationSource],
    steps: Sequence[Step],
    replayed: Replay | None = None,
    merges: Sequence[MergeSource] = (),
) -> str:
    """Hash of what the state depends on: not of paths, options, triggers and explanations."""
    parts: list[object] = [timezone]
    parts += [
        (s.name, s.schema, s.columns, s.order, s.timestamps, s.within, s.strict, s.keep)
        for s in streams
    ]
    parts += [("ordered", s.name) for s in streams if s.ordered]
    parts += [("relation", s.name) for s in streams if s.relation]
    parts += [
        ("revised", s.name, s.kept, s.key, s.operation, s.marks)
        for s in streams
        if s.kept is not None or s.marks
    ]
    parts += [("elements", s.name, s.elements) for s in streams if s.elements]
    parts += [("revised", s.name, s.kept_rows) for s in streams if s.kept_rows is not None]
    parts += [
        ("as arrived", step.id)
        for step in steps
        if isinstance(step.call, Elements) and step.call.as_arrived
    ]
    parts += [] if replayed is None else [("replayed", replayed.queries)]
    parts += [("merged", m.name, m.section, m.inputs, m.lag) for m in merges]
    parts += [("merged", s.name) for s in streams if s.merged]
    parts += [("section", step.id, step.section) for step in steps if step.section]
    parts += [("as told", step.id) for step in steps if _is_as_told(step.call)]
    parts += [("merge state", step.id, MERGE_STATE) for step in steps if _is_of_rows(step.call)]
    parts += ["estimated"] if replayed is not None and replayed.percent is not None else []
    parts += [(r.name, r.schema, r.columns, r.version_by, r.key) for r in relations]
    parts += [(step.id, step.inputs, _meaning(step.call)) for step in steps]
    return sha256("\n".join(repr(part) for part in parts).encode()).hexdigest()[:16]


def _is_as_told(call: Call) -> bool:
    """Whether events are passed on with ends that may change, so that less state is kept."""
    match call:
        case Reconstitute():
            return call.as_told
        case Merged():
            return call.tells
    return False


def _is_of_rows(call: Call) -> bool:
    """Whether it is a merge that keeps rows by their start: R0 to R2, and any of rows."""
    return isinstance(call, Merged) and (call.rows or call.variant not in ("R3", "R4"))


def _meaning(call: Call) -> Call:
    return replace(call, path=None, options=()) if isinstance(call, Deliver) else call
