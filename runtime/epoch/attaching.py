"""Inputs of merges that come and go: which are detached, and who may be (DESIGN section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..connect.declarations import Merge
from ..ledger.manifest import Intent, Manifest
from .timing import Timings


class Refused(Exception):
    """An input cannot be attached or detached; the message is for the user."""


def away(parent: Manifest, intent: Intent) -> dict[str, dict[str, Any]]:
    """Section -> since when (microseconds) and why it is detached, in the epoch of an intent."""
    source, found = intent.source, dict(parent.away)
    if source["kind"] == "attach":
        found.pop(source["input"], None)
    if source["kind"] == "detach":
        found[source["input"]] = {"since": intent.stamp, "reason": source["reason"]}
    return found


def sections(merges: Sequence[Merge], name: str) -> list[str]:
    """The sections of the inputs that are called by a name."""
    every = [(merge, section) for merge in merges for section in merge.inputs]
    return [section for merge, section in every if section == f"{merge.path}.{name}"]


def names(merges: Sequence[Merge]) -> list[str]:
    """What inputs of merges are called, in order."""
    every = (s.removeprefix(f"{merge.path}.") for merge in merges for s in merge.inputs)
    return [*dict.fromkeys(every)]


def check(
    timings: Timings, merges: Sequence[Merge], gone: Mapping[str, Any], kind: str, section: str
) -> None:
    """Raises Refused where an input cannot come or go."""
    if kind == "attach":
        if section not in gone:
            raise Refused(f"{section} is attached")
        return
    if section in gone:
        raise Refused(f"{section} is detached")
    merge = next(merge for merge in merges if section in merge.inputs)
    if set(merge.inputs) <= {*gone, section}:
        raise Refused(f"{section} is the last attached input of {merge.name}: attach another first")
    own = timings.within([section])
    for stream in sorted(timings.streams_of(own)):
        if any(reader.name not in own for reader in timings.readers(stream)):
            raise Refused(f"{section} reads {stream}, which is read elsewhere too")
