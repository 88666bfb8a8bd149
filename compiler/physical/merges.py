"""What each merge calls, and how the program declares it."""

from __future__ import annotations

from collections.abc import Sequence

from ..analyse.merging import Merging
from ..analyse.promises import promised
from ..plan.operators import Merge
from ..plan.sections import sources
from .calls import Merged
from .program import MergeSource


def sections_of(merge: Merge, outer: str) -> tuple[tuple[str, str], ...]:
    """The section of each input, by its name; `outer`: the one in which the merge is read."""
    path = f"{outer}.{merge.name}" if outer else merge.name
    return tuple((name, f"{path}.{name}") for name in merge.names)


def merge_source(
    merge: Merge, merging: Merging, outer: str, sections: Sequence[tuple[str, str]]
) -> MergeSource:
    """The merge as declared: which streams move the clocks of its inputs."""
    pairs = zip(sections, merge.branches, strict=True)
    moving = tuple((section, tuple(sources(branch))) for (_, section), branch in pairs)
    declared = promised(merge, merging)
    by_section = tuple((section, declared[name]) for name, section in sections if name in declared)
    return MergeSource(merge.name, outer, moving, merge.lag, _is_held(merge, merging), by_section)


def merged_call(
    merge: Merge,
    merging: Merging,
    sections: tuple[tuple[str, str], ...],
    ordered: bool,
    tells: bool,
) -> Merged:
    """The call of a merge; `ordered`: somebody asks for the order of arrival; `tells`: its events
    are passed on as they are told.
    """
    variant, policy = merging.variant.name, merge.policy
    # A row of a stream can get no other end: it is certain as soon as it is there for good.
    settled = merge.rows and policy == "conservative"
    return Merged(
        merge.name,
        "R2 duplicates" if variant == "R2" and merging.repeated else variant,
        sections,
        tuple(name for name in merge.names if name in merge.cleansed),
        "half frozen" if settled else policy,
        merge.share,
        merge.lag,
        merge.rows,
        merging.as_told,
        ordered,
        tells,
    )


def judges(merge: Merge, merging: Merging, name: str) -> bool:
    """Whether the entries of a merge remember what an input has told, so that the elements of a
    stream come to it as they are.
    """
    keeps = merging.variant.name in ("R3", "R4") and name not in merge.cleansed
    return merging.as_told and keeps


def _is_held(merge: Merge, merging: Merging) -> bool:
    """Whether only its rows tell how far it is: it waits for ends that are not certain yet, or an
    input that is cleansed does.
    """
    if merge.rows:
        return False
    return merge.policy == "conservative" or (bool(merge.cleansed) and not merging.as_told)
