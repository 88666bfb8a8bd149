"""What progress tells about merges: how far they and their inputs are, and what LMERGE IV-F asks of
a stream at run time. All of it comes from the manifest, or from rows as they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..connect.declarations import Merge
from ..deltas.merge.remembered import remembers
from ..deltas.merged import standing_of
from ..elements.columns import DAWN
from ..ledger.manifest import Manifest
from .context import EpochContext
from .promises import measured

Shown = Callable[[int], str | int | None]


def merge_progress(
    context: EpochContext, manifest: Manifest, merges: Sequence[Merge], shown: Shown
) -> dict[str, dict[str, Any]]:
    """Of each merge, by path: `variant`, `inputs` (name -> its `stable`), `stable`, `leader`,
    `away` (name -> why), `conflicts`; of the epoch `w`, `d`, `g`, `h`, `c`, `put` and `adjusts`
    (docs/running.md); `degraded`, where that is.
    """
    found = {}
    for merge in merges:
        standing = manifest.merges.get(merge.path)
        if standing is not None:
            state = manifest.state.get(standing["state"])
            live = 0 if state is None else state.rows
            told = {
                **_standing(standing, shown),
                "away": _away(merge, manifest),
                "conflicts": standing.get("conflicts"),
                "w": live,
                **_measured(context, merge),
            }
            degraded = standing.get("degraded")
            if degraded is not None:
                told["degraded"] = {**degraded, "since": shown(degraded["since"])}
            found[merge.path] = told
    return found


def _standing(standing: Mapping[str, Any], shown: Shown) -> dict[str, Any]:
    members = standing["members"]
    return {
        "variant": standing["variant"],
        "inputs": {_own(each["name"]): {"stable": shown(each["stable"])} for each in members},
        "stable": shown(standing["stable"]),
        "leader": _leader(standing),
    }


def _leader(standing: Mapping[str, Any]) -> str | None:
    """The input whose word counts most; None while nobody has promised anything."""
    stands = standing_of(standing)
    best = None if stands.leader is None else stands.members[stands.leader]
    return None if best is None or best.stable == DAWN else _own(best.name)


def _away(merge: Merge, manifest: Manifest) -> dict[str, str]:
    gone = manifest.away
    return {_own(each): gone[each]["reason"] for each in merge.inputs if each in gone}


def disputes(
    context: EpochContext, before: Mapping[str, Any], merges: Sequence[Merge]
) -> dict[str, Any]:
    """Where the merges of an epoch stand, with the number of rows about which inputs have disagreed
    so far (`conflicts`; None: the algorithm does not tell), once the epoch has been written.
    """
    found = {}
    for merge in merges:
        if merge.path not in context.standing:
            continue
        stands = context.standing[merge.path]
        known = before.get(merge.path, {}).get("conflicts")
        new = measured(context, merge.path).get("conflicts")
        if remembers(stands["variant"]):
            known = (known or 0) + (new or 0)
        found[merge.path] = {**stands, "conflicts": known}
    return found


def _own(section: str) -> str:
    return section.rpartition(".")[2]


def _measured(context: EpochContext, merge: Merge) -> dict[str, Any]:
    told = measured(context, merge.path)
    came, put = told.get("came") or 0, told.get("put") or 0
    return {
        **{name: told.get(name) for name in ("d", "g", "h")},
        "c": round(came / put, 2) if put else None,
        "came": came,
        "put": put,
        "adjusts": told.get("adjusts") or 0,
    }
