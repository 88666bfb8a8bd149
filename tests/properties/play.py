"""Play a case on a run and compare with the oracle after every step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from ..harness.engine import Mark, Rows, Run
from ..oracle.evaluate import Evaluator
from ..oracle.multiplicity import Changes, difference, net
from .case import Case, CaseQuery
from .feeding import Attach, Detach, Drain, Feed, Restart, Until


@dataclass(frozen=True)
class Played:
    """Where the run stood, and how many feeds had arrived by then."""

    mark: Mark
    feeds: int


class Readable(Protocol):
    """What a comparison needs of a run."""

    def changes(self, query: str, kinds: list[str] | None, mark: Mark | None) -> Changes: ...


def play(case: Case, run: Run) -> list[Played]:
    """Feed the run as the case says."""
    played: list[Played] = []
    feeds = 0
    for step in case.steps:
        match step:
            case Feed(rows, partitions, contents):
                feeds += 1
                _replace(run, contents)
                played.append(Played(run.epoch(rows, partitions), feeds))
            case Restart():
                run.restart()
            case Detach(name):
                run.detach(f"m.{name}")
            case Attach(name, since):
                run.attach(f"m.{name}", since)
            case Drain():
                played.append(Played(run.drain(), feeds))
            case Until(instant):
                played.append(Played(run.until(instant), feeds))
    return played


def _replace(run: Run, contents: Mapping[str, Rows]) -> None:
    for nrr, rows in contents.items():
        run.contents(nrr, rows)


def faults(case: Case, run: Readable, played: list[Played]) -> Iterator[str]:
    """What is wrong, query by query: the first step after which its output is not the oracle's."""
    oracle = case.oracle()
    yield from _clock_faults(case, played)
    for query in case.queries:
        for number, step in enumerate(played, start=1):
            fault = _compare(query, run, oracle, step)
            if fault:
                yield f"{query.name} after step {number} of {len(played)}, {step.mark}:\n{fault}"
                break


def _clock_faults(case: Case, played: list[Played]) -> Iterator[str]:
    """`now` is the largest order value seen, of the streams that are read, or where the clock was
    moved to.
    """
    history = case.history()
    read = set().union(*(query.oracle.streams() for query in case.queries))
    moved = [step.instant for step in case.steps if isinstance(step, Until)]
    for step in played:
        now = history.now(step.feeds, read)
        if step.mark.now != now and step.mark.now not in moved:
            yield f"now is {step.mark.now} after {step.feeds} feeds, and should be {now}"


def _compare(query: CaseQuery, run: Readable, oracle: Evaluator, step: Played) -> str:
    mark = step.mark
    if mark.now is None:
        return ""
    until = mark.now
    if query.sink == "final":
        # Below `closed`; where nothing is closed yet, nothing may be reported.
        first = oracle.first(query.oracle, step.feeds)
        until = min(until, mark.closed - 1) if mark.closed is not None else (first or 0) - 1
    expected = oracle.changes(query.oracle, known=step.feeds, until=until)
    actual = run.changes(query.name, query.kinds, mark)
    fault = difference(expected, net(actual, until=until))
    return fault or _too_early(actual, until)


def _too_early(actual: Changes, until: int) -> str:
    """Nothing appears beyond the frontier; that a row will end there may be known."""
    for row, at in actual.items():
        for instant, weight in at.items():
            if instant > until and weight > 0:
                return f"{row!r} is reported for {instant}, beyond {until}"
    return ""


def report(case: Case, found: list[str]) -> str:
    """Everything needed to see the fault, and how to run the case again."""
    names = [query.name for query in case.queries if any(f.startswith(query.name) for f in found)]
    shown = case.only(*names) if names else case
    steps = "\n".join(_show(step) for step in case.steps)
    chosen = f"-k 'drawn_queries and {case.form}'"
    again = f"REFLOW_SEED={case.seed} python -m pytest tests/properties {chosen}"
    return "\n\n".join([shown.text(), steps, *found, f"again: {again}"])


def _show(step: object) -> str:
    if not isinstance(step, Feed):
        return repr(step)
    lines = [f"Feed on {step.partitions} partitions"]
    for name, rows in [*step.contents.items(), *step.rows.items()]:
        lines.append(f"  {name}: " + ", ".join(str(tuple(row.values())) for row in rows))
    return "\n".join(lines)
