"""FEEDBACK: rows of inputs of merges that no merged frontier needs any more are passed over where
they land (LMERGE V-D, decision 24).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..connect.declarations import Stream
from ..elements.columns import DAWN
from ..ledger.manifest import Manifest


def unneeded(streams: Sequence[Stream], head: Manifest, heard: Mapping[str, int]) -> dict[str, int]:
    """Stream -> the order value before which its rows are skipped in the epoch after `head`: a
    merge of rows has decided what starts before its frontier. `heard`: query -> what merges of its
    elements in other programs have decided.
    """
    found = decided(streams, head)
    for stream in streams:
        if stream.heeds and heard.keys() >= stream.heeds.keys():
            everybody = min(heard[query] - need for query, need in stream.heeds.items())
            found[stream.name] = max(everybody, found.get(stream.name, everybody))
    return found


def decided(streams: Sequence[Stream], head: Manifest) -> dict[str, int]:
    """Stream -> the order value before which the program's own merges need none of its rows."""
    found = {}
    for stream in streams:
        reached = [
            head.merges[path]["frontier"] - need
            for path, need in stream.skips.items()
            if head.merges.get(path, {}).get("frontier", DAWN) != DAWN
        ]
        if reached:
            found[stream.name] = max(reached)
    return found
