"""A case played: its rows go to its program, and its assertions are held against the answers.

Importing this loads pyspark. An epoch ends at every ADVANCE TO and every assertion, and before an
NRR changes.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from reflow.compiler.bind import steps
from reflow.compiler.cases import Case
from reflow.runtime.run.by_hand import ByHand, Contents, constants
from reflow.runtime.run.change_logs import (
    Changes,
    Row,
    answer_at,
    comparable_row,
    read_changes,
)
from reflow.runtime.run.runner import first_lines

from ..running import load_program
from .compare import Compared, compare, pair
from .outcome import Mark, Mismatch, Outcome, Trouble
from .shown import shown_instant, shown_value


def play(case: Case, spark: SparkSession, folder: str) -> Outcome:
    """Runs a case; everything it writes lies in `folder`."""
    started = time.monotonic()
    program: Any = load_program(case.program, folder)
    before = _set(spark, program)
    try:
        player = _Player(case, program, spark, folder)
        failures = tuple(player.failures())
        notes = tuple(player.notes())
    finally:
        _restore(spark, before)
    return Outcome(case, time.monotonic() - started, failures, notes)


def _set(spark: SparkSession, program: Any) -> dict[str, str | None]:
    """The settings of the case's program in the session; gives those that were there."""
    wanted = {**program.settings, "spark.sql.session.timeZone": program.timezone}
    possible = {name: value for name, value in wanted.items() if spark.conf.isModifiable(name)}
    before = {name: spark.conf.get(name, None) for name in possible}
    for name, value in possible.items():
        spark.conf.set(name, value)
    return before


def _restore(spark: SparkSession, before: dict[str, str | None]) -> None:
    for name, value in before.items():
        if value is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, value)


class _Impossible(Exception):
    """A step cannot be done; `str` says why."""


class _Player:
    """One case while it is played."""

    def __init__(self, case: Case, program: Any, spark: SparkSession, folder: str) -> None:
        self._case = case
        self._program = program
        self._spark = spark
        self._contents = Contents(program, spark)
        self._run = ByHand(program, spark, f"{folder}/state")
        self._waiting: list[steps.Insert] = []
        self._last: tuple[steps.Insert, ...] = ()
        self._seen: dict[str, Changes] = {}
        self._columns = {output.query: output.columns for output in case.outputs}

    def failures(self) -> Iterator[Mismatch | Trouble]:
        """What is wrong, step by step; after a step that cannot be done nothing more is."""
        for step in self._case.steps:
            try:
                mismatch = self._step(step)
            except _Impossible as error:
                yield Trouble(self._case.located(step), str(error))
                return
            except PySparkException as error:
                yield self._broken(step, error)
                return
            if mismatch is not None:
                yield mismatch

    def notes(self) -> Iterator[str]:
        """Rows that did not count, which may be why an answer is another one."""
        for (stream, reason), count in sorted(self._run.rejected().items()):
            rows = "1 row" if count == 1 else f"{count} rows"
            yield f"{rows} of {stream} did not count: {reason}"

    def _broken(self, step: steps.Step, error: PySparkException) -> Trouble:
        """Spark's error, at the rows whose values cannot be computed if it is about such."""
        for waiting in self._last:
            try:
                constants(self._spark, _numbered(waiting.rows), waiting.rows).toArrow()
            except PySparkException as cause:
                return Trouble(self._case.located(waiting), _incomputable(cause))
        return Trouble(self._case.located(step), first_lines(error, 6))

    def _step(self, step: steps.Step) -> Mismatch | None:
        match step:
            case steps.Insert():
                self._insert(step)
            case steps.Delete():
                self._delete(step)
            case steps.Move():
                self._move(step)
            case steps.Answer():
                return self._answer(step)
            case steps.Changes():
                return self._changes(step)
        return None

    # --- what happens ---

    def _insert(self, step: steps.Insert) -> None:
        if self._contents.knows(step.table):
            self._flush()
            self._contents.insert(step.table, step.rows)
        elif self._run.reads(step.table):
            if self._waiting and step.arrival != self._waiting[-1].arrival:
                self._flush()
            self._waiting.append(step)
        else:
            # Rows that no query reads are computed nevertheless: what is wrong with them is told.
            self._last = (step,)
            constants(self._spark, _numbered(step.rows), step.rows).toArrow()

    def _delete(self, step: steps.Delete) -> None:
        if not self._contents.knows(step.table):
            return
        self._flush()
        missed = self._contents.delete(step.table, step.columns, step.rows)
        if missed:
            number = missed[0] + 1
            raise _Impossible(f"{step.table} has no row like number {number} of these")

    def _flush(self) -> None:
        """An epoch with the rows that wait."""
        if self._waiting:
            arrival = self._waiting[-1].arrival
            self._run.arrive(self._taken(), arrival)

    def _taken(self) -> dict[str, list[tuple[str, ...]]]:
        """The rows that waited, by stream."""
        rows: dict[str, list[tuple[str, ...]]] = {}
        for step in self._waiting:
            rows.setdefault(step.table, []).extend(step.rows)
        self._last = tuple(self._waiting)
        self._waiting.clear()
        return rows

    def _move(self, step: steps.Move) -> None:
        """One epoch with the rows that wait, unless it needs to be known when they are."""
        if step.to is None or any(waiting.arrival is not None for waiting in self._waiting):
            self._flush()
        target = step.to
        if target is None:
            if self._run.now is None:
                raise _Impossible("there is no `now` before the first row: write ADVANCE TO")
            target = self._run.now + (step.by or 0)
        self._run.advance(target, self._taken())
        if self._run.now is not None and target < self._run.now:
            stands = self._instant(self._run.now)
            raise _Impossible(f"the clock does not go back: it stands at {stands}")

    # --- what must be so ---

    def _answer(self, step: steps.Answer) -> Mismatch | None:
        self._flush()
        now = self._run.now
        if step.at is not None and (now is None or step.at > now):
            stands = "has not begun" if now is None else f"stands at {self._instant(now)}"
            raise _Impossible(f"the clock {stands}: write ADVANCE TO before this")
        at = now if step.at is None else step.at
        got = answer_at(self._known(step.query), at) if at is not None else Counter[Row]()
        compared = compare(self._expected(step.query, step.rows), got.elements())
        if compared.equal and all(count > 0 for count in got.values()):
            return None
        return self._mismatch(step, self._columns[step.query], compared)

    def _changes(self, step: steps.Changes) -> Mismatch | None:
        self._flush()
        known = self._known(step.query)
        before = self._seen.get(step.query, Counter())
        self._seen[step.query] = known
        got = [
            ("entered" if change > 0 else "left", at, *row)
            for (row, at), change in _less(known, before).items()
            for _ in range(abs(change))
        ]
        expected = [
            ("entered" if part.entered else "left", part.at, *row)
            for part in step.changed
            for row in self._expected(step.query, part.rows)
        ]
        dated = [row for row in expected if row[1] is not None]
        first = compare(dated, got)
        undated = [row for row in expected if row[1] is None]
        at_any = _at_any_instant(undated, first.unexpected)
        compared = Compared(
            [*first.both, *at_any], [*first.missing, *undated], list(first.unexpected)
        )
        if compared.equal:
            return None
        return self._mismatch(step, ("", "at", *self._columns[step.query]), compared)

    def _known(self, query: str) -> Changes:
        folder, columns = self._case.folders[query], len(self._columns[query])
        return read_changes(folder, columns, self._run.now)

    def _expected(self, query: str, rows: steps.Rows) -> list[Row]:
        if not rows:
            return []
        names = _numbered(rows)
        try:
            table = constants(self._spark, names, rows).toArrow()
        except PySparkException as error:
            raise _Impossible(_incomputable(error)) from error
        columns = [column.to_pylist() for column in table.columns]
        return [comparable_row(row) for row in zip(*columns, strict=True)]

    def _mismatch(
        self, step: steps.Answer | steps.Changes, columns: tuple[str, ...], compared: Compared
    ) -> Mismatch:
        dated = isinstance(step, steps.Changes)
        marks: list[tuple[Mark, list[Row]]] = [
            ("missing", compared.missing),
            ("unexpected", compared.unexpected),
            ("both", compared.both),
        ]
        return Mismatch(
            place=self._case.located(step),
            columns=columns,
            rows=tuple(
                (mark, self._shown(row, dated))
                for mark, rows in marks
                for row in sorted(rows, key=repr)
            ),
            expected=len(compared.both) + len(compared.missing),
            got=len(compared.both) + len(compared.unexpected),
        )

    def _shown(self, row: Row, dated: bool) -> tuple[str, ...]:
        if not dated:
            return tuple(shown_value(value, self._program.timezone) for value in row)
        kind, at, *values = row
        return (kind, self._instant(at), *self._shown(tuple(values), False))

    def _instant(self, instant: int | None) -> str:
        return shown_instant(instant, self._program.timestamps, self._program.timezone)


def _incomputable(error: PySparkException) -> str:
    return f"a value cannot be computed: {first_lines(error, 1)}"


def _less(known: Changes, before: Changes) -> Changes:
    """What changed since; a change that was corrected counts against it."""
    difference = Counter(known)
    difference.subtract(before)
    return Counter({change: n for change, n in difference.items() if n})


def _at_any_instant(undated: list[Row], got: list[Row]) -> list[Row]:
    """Takes the pairs out of both lists, and gives them as they are."""
    pairs = pair(undated, got, lambda a, b: compare([(a[0], *a[2:])], [(b[0], *b[2:])]).equal)
    return [found for _, found in pairs]


def _numbered(rows: steps.Rows) -> list[str]:
    return [f"c{i}" for i in range(len(rows[0]))]
