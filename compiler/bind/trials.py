"""The statements of one test: what is written there, checked against the program under test."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import assert_never

from reflow.compiler.syntax import nodes
from reflow.grammar.diagnostic import Diagnostic
from reflow.grammar.source import Source, Span
from reflow.grammar.value import value

from ..plan.graph import Plan
from ..plan.operators import Reconstitution, Relation, Scan, Sink
from ..plan.schema import Column
from . import steps
from .catalog import Answer, Context
from .findings import Findings
from .lengths import units
from .names import one_of
from .order_values import order_value
from .script import BoundScript, bind_statements
from .shape import clock
from .steps import Output, Step
from .trial_rows import TrialRows, source_of
from .values import Values


@value
class BoundTrial:
    """A case, bound. `plan` is None where there is nothing to run: no query, or errors."""

    plan: Plan | None
    steps: tuple[Step, ...]
    outputs: tuple[Output, ...]
    codes: tuple[str, ...]
    errors: tuple[Diagnostic, ...]


def bind_trial(source: Source, script: nodes.Script, name: str) -> BoundTrial:
    """The statements of a case: those of a program, and those that try it.

    A source without FROM is one that only the case feeds.
    """
    program = tuple(_fed(s) for s in script.statements if not isinstance(s, nodes.TestStatement))
    bound = bind_statements(source, replace(script, statements=program), name)
    binder = _Trial(bound, list(bound.sinks))
    for statement in script.statements:
        if isinstance(statement, nodes.TestStatement):
            binder.statement(statement)
    binder.check_whole(script)
    sinks = tuple(binder.sinks)
    errors = tuple(bound.errors)
    return BoundTrial(
        plan=bound.plan(name, sinks) if sinks and not errors else None,
        steps=tuple(binder.found),
        outputs=tuple(Output(sink.query, sink.columns) for sink in sinks),
        codes=tuple(binder.codes),
        errors=errors,
    )


def _fed(statement: nodes.Statement) -> nodes.Statement:
    if not isinstance(statement, nodes.CreateSource) or statement.source is not None:
        return statement
    return replace(statement, source=nodes.From("parquet", "rows", (), statement.name.span))


@dataclass
class _Trial:
    """One case while it is bound."""

    bound: BoundScript
    sinks: list[Sink]
    found: list[steps.Step] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)

    @property
    def context(self) -> Context:
        return self.bound.context

    @property
    def findings(self) -> Findings:
        return self.bound.context.findings

    def statement(self, statement: nodes.TestStatement) -> None:
        match statement:
            case nodes.BeginTest():
                return
            case nodes.RunScript():
                self.findings.error(
                    "RF3501",
                    "RUN SCRIPT stands in the file of tests itself only",
                    statement.span,
                )
            case nodes.AssertError():
                self.codes += [code.text.upper() for code in statement.codes]
            case nodes.InsertRows():
                at = self._instant(statement.at)
                self._add(self._rows.insert(statement, at))
            case nodes.DeleteRows():
                self._add(self._rows.delete(statement))
            case nodes.Advance():
                self._advance(statement)
            case nodes.AssertAnswer():
                self._answer(statement)
            case nodes.AssertChanges():
                self._changes(statement)
            case _:
                assert_never(statement)

    def _add(self, step: steps.Step | None) -> None:
        if step is not None:
            self.found.append(step)

    @property
    def _rows(self) -> TrialRows:
        return TrialRows(self.context)

    # --- the clock ---

    @property
    def _timestamps(self) -> bool:
        """Whether the streams of the case are ordered by timestamps."""
        sources = (entry.answer.operator for entry in self.context.catalog.entries)
        made = Relation | Reconstitution
        logs = (each.input if isinstance(each, made) else each for each in sources)
        streams = [log.stream for log in logs if isinstance(log, Scan)]
        return all(stream.timestamps for stream in streams)

    def _instant(self, moment: nodes.Moment | None) -> int | None:
        if moment is None:
            return None
        timezone = self.context.settings.timezone
        return order_value(moment, self._timestamps, timezone, self.findings)

    def _advance(self, statement: nodes.Advance) -> None:
        by = None
        if statement.by is not None:
            by = units(statement.by, self._timestamps, self.findings, "ADVANCE BY")
        self.found.append(steps.Move(self._instant(statement.to), by, statement.span))

    # --- assertions ---

    def _answer(self, statement: nodes.AssertAnswer) -> None:
        at = self._instant(statement.at)
        sink = self._asserted(statement.query, statement.span)
        if sink is not None:
            rows = self._expected(statement.rows, sink)
            self.found.append(steps.Answer(sink.query, at, rows, statement.span))

    def _changes(self, statement: nodes.AssertChanges) -> None:
        sink = self._asserted(statement.query, statement.span)
        changed = []
        for part in statement.changed:
            at = self._instant(part.at)
            if sink is not None:
                rows = self._expected(part.rows, sink)
                changed.append(steps.Changed(part.entered, at, rows))
        if sink is not None:
            self.found.append(steps.Changes(sink.query, tuple(changed), statement.span))

    def _expected(self, rows: tuple[nodes.ValueRow, ...], sink: Sink) -> steps.Rows:
        types = [column.type for column in sink.schema]
        columns = tuple(map(Column, sink.columns, types))
        values = Values(self.findings)
        return tuple(values.row(row, columns, f"the answer of `{sink.query}`") for row in rows)

    def _asserted(self, name: nodes.Name | None, around: Span) -> Sink | None:
        """The query that is meant. A view that is asserted about becomes one."""
        if name is None:
            return self._only_query(around)
        entry = self.context.entry(name.text, name.span)
        if entry is None:
            return None
        for sink in self.sinks:
            if sink.query == entry.name:
                return sink
        if entry.answer.broken:
            return None
        if source_of(entry) is not None:
            self.findings.error(
                "RF3507",
                f"`{entry.name}` is a source: it has no answer",
                name.span,
                "a query or a view",
            )
            return None
        self.sinks.append(_viewed(entry.name, entry.answer))
        return self.sinks[-1]

    def _only_query(self, around: Span) -> Sink | None:
        if len(self.sinks) == 1:
            return self.sinks[0]
        if not self.bound.errors:
            head = Span(around.start, around.start + len("ASSERT"))
            self.findings.error(
                "RF3508",
                "there is no query to assert about"
                if not self.sinks
                else "there are several queries: the assertion has to name one",
                head,
                one_of(tuple(sink.query for sink in self.sinks)),
            )
        return None

    # --- the whole ---

    def check_whole(self, script: nodes.Script) -> None:
        """A case without rows, or without assertions, tests nothing."""
        if self.codes or self.bound.errors:
            return
        has_rows = any(isinstance(step, steps.Insert) for step in self.found)
        asserts = any(isinstance(step, steps.Answer | steps.Changes) for step in self.found)
        if has_rows and asserts:
            return
        place = next(
            (s.name_span for s in script.statements if isinstance(s, nodes.BeginTest)),
            script.statements[0].span if script.statements else Span(0, 0),
        )
        what = "asserts nothing" if has_rows else "inserts no rows"
        self.findings.error(
            "RF3506",
            f"this test {what}",
            Span(place.start, min(place.end, place.start + 60)),
            "ASSERT ANSWER, ASSERT CHANGES or ASSERT ERROR" if has_rows else "INSERT INTO",
        )


def _viewed(name: str, answer: Answer) -> Sink:
    return Sink(
        input=answer.operator,
        query=name,
        columns=answer.names,
        format="console",
        path=None,
        mode="changelog",
        key=(),
        emit="changes",
        every=None,
        timestamps=clock(answer.operator),
    )
