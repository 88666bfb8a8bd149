"""What each step keeps between epochs, by update pattern (UPA 5.3.2, the table of DESIGN section
2)."""

from __future__ import annotations

from collections.abc import Iterable

from ..analyse.grouping import By
from ..analyse.lattice import UpdatePattern
from ..analyse.reach import Reaches
from .again import Again
from .calls import Merged, Reconstitute, WindowRows, WindowSession

NONE = "none"
BY_ENDS = "buckets by ve"
OF_PAIRS = "pairs that may be withdrawn, by the place of their row"
OF_THE_WINDOW = "rows that the window keeps"
OF_THE_GROUP = "none of its own: read off the state of the group"


def of_contents(keyed: bool, grows: bool) -> str:
    """What a relation's log leaves behind."""
    if grows:
        return "changes later than `now`"
    kept = "the row of each key" if keyed else "the rows with their copies"
    return f"{kept} at `complete`, and later changes"


def of_events(events: Reconstitute) -> str:
    """What elements leave behind that come later."""
    if events.insert_only:
        return NONE
    if not events.judged:
        return "none of its own: the merge remembers what was told"
    return "events that end at or after the last stable"


def of_merge(merge: Merged) -> str:
    """What a merge keeps: of each input what the others may still say, and of what it gave out
    what may still change.
    """
    kept = "rows of each input from the merged stable on"
    if merge.variant in ("R3", "R4") and not merge.rows:
        kept = (
            "an entry for each (start, row) that is not fully frozen, with the ends of each input"
        )
    at_instants = not merge.rows and not merge.tells
    return f"{kept}; events that end at or after the merged stable" if at_instants else kept


def of_input(pattern: UpdatePattern, form: str, again: Again) -> str:
    """How the rows of one input are kept by a step that must see them again."""
    if form == "points":
        return "by key, with weights"
    if again.archives:
        return _archive(again.archives)
    if again.windows:
        return OF_THE_WINDOW
    if pattern.ends == "never":
        return "rows in order of arrival, for ever"
    return BY_ENDS


def of_expiries(ends: str, again: Again) -> str:
    """What the interval-to-point step keeps; `ends` says how ends become known."""
    if ends == "never":
        return NONE
    if again.archives:
        return f"none of its own: expiries are a slice of the {_archive(again.archives)}"
    if again.windows:
        return "none of its own: expiries are a slice of what the window keeps"
    return BY_ENDS


def of_join(sides: Iterable[str]) -> str:
    left, right = sides
    return left if left == right else f"left: {left}; right: {right}"


def of_distinct(points: bool) -> str:
    return "input and output, by key" if points else "δ*: covered intervals per value"


def of_stored(contents: str) -> str:
    return f"input, read again ({contents})"


def of_later_rows(window: WindowRows | WindowSession) -> str:
    if isinstance(window, WindowSession):
        return "rows of the sessions that are open at `complete`"
    of_each = " of each value" if window.by else ""
    held = f"the last rows{of_each} at `complete`, and later ones"
    return f"{held}; recorded: when rows left, as far back as KEEP" if window.recorded else held


def of_semi_join(left: str) -> str:
    return f"left: {left}; right: copies of what is looked for, by key"


def of_except_by() -> str:
    return "left: rows with their instants; right: counts; both by hash of the counted columns"


def of_sets() -> str:
    return "copies of each row on both sides, by hash of the row"


def of_report(kind: str) -> str:
    if kind == "rstream":
        return "the answer as of `complete`, and later changes"
    return "changes from `complete` on, which may still be corrected"


def of_group(by: By, contents: str, estimated: bool = False) -> str:
    """`estimated`: the measures of what is complete are known as far back as it is corrected."""
    reach = ", as far back as KEEP" if estimated else ""
    match by:
        case "accumulators":
            return f"accumulators{reach} and one current row per group"
        case "panes":
            return f"partials per group and pane{reach}, one current row per group"
        case "contents":
            return f"contents of the window ({contents}), one current row per group"


def _archive(reaches: Reaches) -> str:
    return "archive of " + ", ".join(sorted({reach.stream for reach in reaches}))
