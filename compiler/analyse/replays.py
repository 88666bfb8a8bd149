"""How a program replays: computes answers again from slices of the archives (REPLAY 3, 4).

In: a plan. Out: what the program needs to do so, from the lineage of its queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import lcm
from typing import Literal

from reflow.grammar.value import value

from ..plan.estimable import estimated_group, partners
from ..plan.graph import Plan
from ..plan.operators import Operator, RowsWindow, Scan, Sink, Window
from ..plan.replayable import below, corrected, passes_through, why_not
from .lineage import lineage_of
from .partitions import partition_of

Slices = Literal["all", "minimal"]


@value
class Replay:
    """`queries` are those whose answers are replayed; `reach`: stream -> how long after a row's
    instant answers can depend on it; `need`: how long before an answer's instant the rows lie on
    which it depends. Microseconds or ticks. `by`: stream -> column by which all answers fall apart.
    `step`: if all rows are moved in time by a multiple of it, so are all answers; None: there is no
    such length. `recorded`: windows by count that record when rows leave them; those of streams
    without corrections, too: others may be joined with them.
    `percent`: corrections are estimated from so many of the rows that corrected ones meet, at the
    groups `estimated` (REVISE BY APPROXIMATE); None: they are exact. `drawn`: stream -> the streams
    whose corrected rows meet its own.
    """

    slices: Slices
    queries: tuple[str, ...]
    reach: tuple[tuple[str, int | None], ...]
    need: int
    by: tuple[tuple[str, str], ...] = ()
    step: int | None = None
    recorded: frozenset[Operator] = frozenset()
    percent: int | None = None
    drawn: tuple[tuple[str, tuple[str, ...]], ...] = ()
    estimated: frozenset[Operator] = frozenset()

    @property
    def technique(self) -> str:
        """As REVISE BY says it."""
        if self.percent is not None:
            return f"APPROXIMATE {self.percent}%"
        return f"REPLAY {self.slices.upper()}"


def replay(plan: Plan) -> Replay | None:
    """How the program of a plan replays; None: corrections are made from state (DIRECT).

    AUTO replays if all queries of the file can be replayed and rows are corrected longer than they
    are needed: state would have to reach back further than for the answers alone.
    """
    sinks = [s for s in plan.sinks if corrected(s.input) and not passes_through(s.input)]
    if not sinks:
        return None
    asked = {sink.revise for sink in sinks if sink.revise.startswith(("replay", "approximate"))}
    if any(sink.mode == "elements" for sink in sinks):
        # What a replay corrects is told in pieces, which are no events.
        return None
    if not asked and not all(s.revise == "auto" and why_not(s.input) is None for s in sinks):
        return None
    reach: dict[str, int | None] = {}
    need = 0
    for sink in sinks:
        for name, lineage in lineage_of(sink).items():
            assert lineage.reach is not None and lineage.need is not None, lineage.why_not
            # Only the record tells when so many rows had come: it may be the end.
            own = None if lineage.rows is not None else lineage.reach
            known = reach.get(name, 0)
            reach[name] = None if own is None or known is None else max(own, known)
            need = max(need, lineage.need)
    if not asked and not _kept_longer(plan, need):
        return None
    slices: Slices = "all" if "replay all" in asked else "minimal"
    queries = tuple(sink.query for sink in sinks)
    by = tuple(partition_of(sinks).items())
    recorded = frozenset(
        node for sink in sinks for node in below(sink) if isinstance(node, RowsWindow)
    )
    percents = [sink.percent for sink in sinks if sink.percent is not None]
    if percents:
        return _estimating(sinks, percents[0], Replay(slices, queries, _sorted(reach), need, by))
    # A window by count does not keep apart what is moved in time.
    step = None if recorded else _step(plan.operators())
    return Replay(slices, queries, _sorted(reach), need, by, step, recorded)


def _estimating(sinks: Sequence[Sink], percent: int, replayed: Replay) -> Replay:
    """The same from a sample: the binder has seen to it that each query is such a group."""
    found = {group for sink in sinks if (group := estimated_group(sink)) is not None}
    met: dict[str, set[str]] = {}
    for stream, other in (pair for group in found for pair in partners(group)):
        met.setdefault(stream, set()).add(other)
    drawn = tuple((stream, tuple(sorted(others))) for stream, others in sorted(met.items()))
    return replace(replayed, percent=percent, drawn=drawn, estimated=frozenset(found))


def _sorted(reach: Mapping[str, int | None]) -> tuple[tuple[str, int | None], ...]:
    return tuple(sorted(reach.items()))


def _step(operators: Iterable[Operator]) -> int | None:
    """What all slides divide. Days of a time zone are not all equally long."""
    windows = [node for node in operators if isinstance(node, Window) and node.slide is not None]
    if any(window.zone is not None for window in windows):
        return None
    return lcm(*(window.slide or 1 for window in windows))


def _kept_longer(plan: Plan, need: int) -> bool:
    """Whether the longest KEEP is longer: how long n ROWS are is known at run time, and state that
    reached back so far would be as large as the archive.
    """
    streams = (operator.stream for operator in plan.operators() if isinstance(operator, Scan))
    return any(each.kept_rows is not None or (each.kept or 0) > need for each in streams)
