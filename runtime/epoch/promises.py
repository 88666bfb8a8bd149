"""Inputs of merges that break what they have declared: the run ends before the epoch is committed,
or the epoch is made again with a safe variant of the merge (SET on_property_violation).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..connect.declarations import Merge
from ..deltas.merge.watch import found
from .context import EpochContext

CODE: Final = "RF4001"


class BrokenPromise(Exception):
    """An input of a merge is not what its declaration says; `str` of it is for people."""


@dataclass(frozen=True)
class Broken:
    """`promise`: what the input declares; `rows` of it break that, from the instant `since` on."""

    merge: Merge
    input: str
    promise: str
    rows: int
    since: int

    def told(self, epoch: int) -> dict[str, Any]:
        """What the manifest keeps of it."""
        return {
            "input": self.input,
            "promise": self.promise,
            "rows": self.rows,
            "since": self.since,
            "epoch": epoch,
        }


def broken(context: EpochContext, merges: tuple[Merge, ...]) -> list[Broken]:
    """The promises that inputs have broken, as far as written rows tell: the first of each merge.
    Those of a merge that runs by a safe variant do not count.
    """
    result = []
    for merge in _checked(context, merges):
        told = measured(context, merge.path)
        for name, (rows, since) in found(told, tuple(merge.promised)).items():
            result.append(Broken(merge, name, merge.promised[name], rows, since))
            break
    return result


def checked(context: EpochContext, merges: tuple[Merge, ...]) -> frozenset[str]:
    """The names of the state whose rows tell whether promises are kept: it is written before
    anything that people see.
    """
    return frozenset(context.standing[merge.path]["state"] for merge in _checked(context, merges))


def _checked(context: EpochContext, merges: tuple[Merge, ...]) -> list[Merge]:
    def is_checked(merge: Merge) -> bool:
        standing = context.standing.get(merge.path)
        return standing is not None and not standing.get("degraded") and bool(merge.promised)

    return [merge for merge in merges if is_checked(merge)]


def measured(context: EpochContext, path: str) -> Mapping[str, int | None]:
    """What the written rows of a merge tell; nothing where it wrote none: who asks an observation
    of a frame that nobody writes waits for ever.
    """
    observation = context.watched.get(path)
    if observation is None or context.standing[path]["state"] not in context.state.written:
        return {}
    return observation.get


def message(found: Broken, shown: Callable[[int], object]) -> str:
    """The error for people."""
    name = found.input.rpartition(".")[2]
    rows = "1 row" if found.rows == 1 else f"{found.rows} rows"
    return (
        f"{CODE}: merge `{found.merge.name}`: `{name}` has promised {found.promise} and breaks it:"
        f" {rows}, the first at {shown(found.since)}; nothing of the epoch is kept\n"
        f"  hint: take {found.promise} out of its declaration (and a new checkpoint), or"
        " SET on_property_violation = 'degrade', which goes on with an algorithm that does not"
        " need it"
    )


def warning(found: Broken, variant: str, shown: Callable[[int], object]) -> str:
    """A line, once, when a merge goes over to a safe variant."""
    name = found.input.rpartition(".")[2]
    return (
        f"warning: {CODE}: merge `{found.merge.name}`: `{name}` breaks {found.promise} at"
        f" {shown(found.since)}; merged by {variant} from now on"
    )
