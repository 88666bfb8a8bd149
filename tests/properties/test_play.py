"""The comparison itself: a run that answers as the oracle does has no faults, any other has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ..harness.engine import Mark
from ..oracle.evaluate import Evaluator
from ..oracle.multiplicity import Changes, net
from .case import Case, draw_case
from .feeding import Drain, Feed, Until
from .play import Played, faults

pytestmark = pytest.mark.slow  # a database answers each query at every instant


class Puppet:
    """Stands in for a run: gives the oracle's answers, perhaps spoilt."""

    def __init__(self, case: Case, spoil: Callable[[Changes], Changes] = net) -> None:
        self._queries = {query.name: query for query in case.queries}
        self._oracle = Evaluator(case.history())
        self._spoil = spoil

    def changes(self, query: str, kinds: list[str] | None, mark: Mark | None) -> Changes:
        assert mark is not None and mark.now is not None and kinds is not None
        asked = self._queries[query]
        until = mark.now
        if asked.sink == "final":
            assert mark.closed is not None
            until = min(until, mark.closed - 1)
        return self._spoil(self._oracle.changes(asked.oracle, known=mark.epoch, until=until))


def played(case: Case) -> list[Played]:
    """Where a faultless run would stand; a mark's epoch is the number of feeds."""
    history, feeds, now = case.history(), 0, 0
    stood: list[Played] = []
    for step in case.steps:
        if isinstance(step, Feed):
            feeds += 1
            now = history.now(feeds) or 0
        elif isinstance(step, Until):
            now = step.instant
        if isinstance(step, (Feed, Drain, Until)):
            closed = now - 3 if isinstance(step, Feed) else now + 1
            stood.append(Played(Mark(feeds, now, closed, closed), feeds))
    return stood


def test_the_oracles_answers_have_no_faults() -> None:
    for seed in range(4):
        case = draw_case(seed)
        assert list(faults(case, Puppet(case), played(case))) == []


def test_a_lost_change_is_a_fault() -> None:
    def lose_last(changes: Changes) -> Changes:
        return net(changes, until=max((t for at in changes.values() for t in at), default=0) - 1)

    case = draw_case(1)
    found = list(faults(case, Puppet(case, lose_last), played(case)))
    assert len(found) > len(case.queries) / 2
    assert found[0].startswith("q1 after step")


def test_a_wrong_clock_is_a_fault() -> None:
    case = draw_case(1)
    stood = played(case)
    first = stood[0]
    wrong = Played(Mark(1, (first.mark.now or 0) + 1, None, None), 1)
    assert any(fault.startswith("now is") for fault in faults(case, Puppet(case), [wrong]))


def test_a_row_beyond_the_frontier_is_a_fault() -> None:
    def run_ahead(changes: Changes) -> Changes:
        latest = max((t for at in changes.values() for t in at), default=0)
        return changes | {("ahead",): {latest + 10**12: 1}}

    case = draw_case(1)
    assert any("beyond" in fault for fault in faults(case, Puppet(case, run_ahead), played(case)))


def test_an_end_beyond_the_frontier_may_be_known() -> None:
    def announce(changes: Changes) -> Changes:
        latest = max((t for at in changes.values() for t in at), default=0)
        return changes | {row: at | {latest + 10**12: -1} for row, at in changes.items()}

    case = draw_case(1)
    assert list(faults(case, Puppet(case, announce), played(case))) == []
