"""Inputs of merges that come and go: which are detached, and who may be (DESIGN section 6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ..connect.declarations import Merge
from ..ledger.manifest import Intent, Manifest
from .timing import Timings

_T = TypeVar("_T")


class Already(Exception):
    """What is asked for is so."""


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


def anew(intent: Intent) -> dict[str, int]:
    """The section that is attached as a new copy in the epoch of an intent, and what it is complete
    from.
    """
    source = intent.source
    return {source["input"]: source["since"]} if source.get("since") is not None else {}


def forgotten(
    parent: Manifest, intent: Intent, merges: Sequence[Merge], timings: Timings
) -> Manifest:
    """The parent of an epoch as if the input that begins anew had never said anything: its clocks,
    its state and what its streams have archived. What the merge knows of it the merge forgets.
    """
    own = timings.within(anew(intent))
    if not own:
        return parent
    alone = {s for s in timings.streams_of(own) if is_alone(timings, s, own)}
    inner = {merge.path for merge in merges if merge.section in own}
    return replace(
        parent,
        sections=_without(parent.sections, own),
        merges=_without(parent.merges, inner),
        archive=_without(parent.archive, alone),
        observed=_without(parent.observed, alone),
        state={n: known for n, known in parent.state.items() if parent.owners.get(n) not in own},
    )


def is_alone(timings: Timings, stream: str, own: Collection[str]) -> bool:
    """Whether nobody but some sections reads a stream."""
    return all(reader.name in own for reader in timings.readers(stream))


def _without(known: Mapping[str, _T], gone: Collection[str]) -> dict[str, _T]:
    return {name: each for name, each in known.items() if name not in gone}


def sections(merges: Sequence[Merge], name: str) -> list[str]:
    """The sections of the inputs that are called by a name."""
    every = [(merge, section) for merge in merges for section in merge.inputs]
    return [section for merge, section in every if section == f"{merge.path}.{name}"]


def names(merges: Sequence[Merge]) -> list[str]:
    """What inputs of merges are called, in order."""
    every = (s.removeprefix(f"{merge.path}.") for merge in merges for s in merge.inputs)
    return [*dict.fromkeys(every)]


def check(
    timings: Timings, merges: Sequence[Merge], gone: Mapping[str, Any], source: Mapping[str, Any]
) -> None:
    """Raises Refused where an input cannot come or go, Already where it has; `source`: that of the
    epoch.
    """
    section, attach = source["input"], source["kind"] == "attach"
    if attach and section not in gone and source.get("since") is not None:
        raise Refused(f"{section} is attached: detach it first, so that it can begin anew")
    if attach != (section in gone):
        raise Already(f"{section} is {source['kind']}ed already")
    if attach:
        return
    merge = next(merge for merge in merges if section in merge.inputs)
    if set(merge.inputs) <= {*gone, section}:
        raise Refused(f"{section} is the last attached input of {merge.name}: attach another first")
    own = timings.within([section])
    for stream in sorted(timings.streams_of(own)):
        if not is_alone(timings, stream, own):
            raise Refused(f"{section} reads {stream}, which is read elsewhere too")
