"""A whole file: its statements in order, each adding its name for those that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import assert_never

from reflow.compiler.syntax import nodes
from reflow.grammar.diagnostic import CqlError, Diagnostic
from reflow.grammar.source import Source, Span
from reflow.grammar.value import value

from ..plan.graph import Plan
from ..plan.operators import NrrDeclaration, Reconstitution, Scan, Sink, StreamDeclaration
from ..plan.schema import names
from .beginnings import begun
from .catalog import BROKEN, BROKEN_ANSWER, Answer, Context, Entry
from .declarations import nrr, stream, ticks
from .findings import Findings
from .merges import bind_merge
from .places import Places
from .queries import bind_query
from .relations import relation
from .replays import Replays
from .settings import check_lengths, checked_overrides, read_settings
from .shape import is_stateless, scans
from .sinks import bind_sink


@value
class BoundScript:
    """The statements of a file, bound: its sinks, its names, and what is wrong with it."""

    sinks: tuple[Sink, ...]
    context: Context
    mistakes: tuple[Diagnostic, ...]

    @property
    def errors(self) -> list[Diagnostic]:
        return [*self.mistakes, *self.context.findings.errors]

    def plan(self, name: str, sinks: tuple[Sink, ...]) -> Plan:
        """The plan of these sinks, under the settings of the file."""
        settings = self.context.settings
        return Plan(name, begun(sinks), settings.pairs, settings.timezone)


def bind(
    source: Source,
    script: nodes.Script,
    name: str,
    overrides: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Plan, list[Diagnostic]]:
    """The plan of a file and the warnings about it. Raises CqlError with every error of the file,
    mistakes of the script included.

    `name` is the file's name without `.cql`: a bare query is called so, a second one `name_2`.
    `overrides` are settings that win over the file's. Raises BadSetting if one is none.
    """
    bound = bind_statements(source, script, name, overrides)
    _check_queries(script, bound.context.findings)
    if bound.errors:
        raise CqlError(source, bound.errors)
    return bound.plan(name, bound.sinks), bound.context.findings.warnings


def bind_statements(
    source: Source,
    script: nodes.Script,
    name: str,
    overrides: Mapping[str, str] = MappingProxyType({}),
) -> BoundScript:
    """As `bind`, but errors are given back, and a file need not have a query."""
    findings = Findings()
    settings = read_settings(script, source, findings, checked_overrides(overrides))
    first_places = dict(reversed(tuple(_names(script))))
    context = Context(source, findings, settings, first_places, ticks=_ticks(script))
    binder = _Binder(_query_names(script, name))
    places, replays = Places(findings), Replays(findings, dict(settings.pairs))
    sinks: list[Sink] = []
    for statement in script.statements:
        context, sink = binder.statement(statement, context)
        if sink is not None:
            sinks.append(sink)
            places.take(sink, _into(statement))
            replays.take(sink, statement)
    replays.check()
    if sinks:
        check_lengths(script, source, sinks[0].timestamps, findings, overrides)
    return BoundScript(tuple(sinks), context, script.mistakes)


def _ticks(script: nodes.Script) -> bool:
    """Whether the file counts in ticks: its first order column tells."""
    sources = (s for s in script.statements if isinstance(s, nodes.CreateSource))
    return next((found for found in map(ticks, sources) if found is not None), False)


def _into(statement: nodes.Statement) -> Span:
    into = statement.into if isinstance(statement, nodes.CreateQuery) else None
    return into.span if into is not None else statement.span


def _named(statement: nodes.Statement) -> nodes.Name | None:
    nameless = nodes.SetSetting | nodes.TestStatement
    return None if isinstance(statement, nameless) else statement.name


def _names(script: nodes.Script) -> Iterator[tuple[str, Span]]:
    for statement in script.statements:
        name = _named(statement)
        if name is not None:
            yield name.text, name.span


def _query_names(script: nodes.Script, name: str) -> Mapping[int, str]:
    """What each query is called, by the id of its statement."""
    taken = {text.casefold() for text, _ in _names(script)}
    given: dict[int, str] = {}
    for statement in script.statements:
        if not isinstance(statement, nodes.CreateQuery):
            continue
        if statement.name is not None:
            given[id(statement)] = statement.name.text
            continue
        number, candidate = 1, name
        while candidate.casefold() in taken:
            number += 1
            candidate = f"{name}_{number}"
        taken.add(candidate.casefold())
        given[id(statement)] = candidate
    return given


def _check_queries(script: nodes.Script, findings: Findings) -> None:
    if script.mistakes:
        return
    if not any(isinstance(s, nodes.CreateQuery) for s in script.statements):
        last = script.statements[-1].span if script.statements else Span(0, 0)
        findings.error(
            "RF3207",
            "this file has no query",
            Span(last.start, min(last.end, last.start + 1)),
            "a SELECT or CREATE QUERY",
        )


@value
class _Binder:
    query_names: Mapping[int, str]

    def statement(
        self, statement: nodes.Statement, context: Context
    ) -> tuple[Context, Sink | None]:
        """The context after a statement, and the sink of a query."""
        match statement:
            case nodes.SetSetting():
                return context, None
            case nodes.Unreadable(name=name):
                return (context if name is None else _add(name, _broken(name), context)), None
            case nodes.CreateSource():
                return _add(statement.name, _source(statement, context), context), None
            case nodes.CreateMerge():
                answer = bind_merge(statement, context)
                return _add(statement.name, Entry(statement.name.text, answer), context), None
            case nodes.CreateView():
                answer = bind_query(statement.query, context)
                return _add(statement.name, Entry(statement.name.text, answer), context), None
            case nodes.CreateQuery():
                return self._query(statement, context)
            case (
                nodes.BeginTest()
                | nodes.RunScript()
                | nodes.InsertRows()
                | nodes.DeleteRows()
                | nodes.Advance()
                | nodes.AssertAnswer()
                | nodes.AssertChanges()
                | nodes.AssertError()
            ):
                _refuse_test(statement, context)
                return context, None
        assert_never(statement)

    def _query(self, statement: nodes.CreateQuery, context: Context) -> tuple[Context, Sink | None]:
        name = self.query_names[id(statement)]
        reading = replace(context, as_arrived=_ignores(statement.revise))
        answer = bind_query(statement.query, reading)
        _refuse_random(answer, context.findings)
        sink = None if answer.broken else bind_sink(statement, name, answer, context)
        if statement.name is not None:
            context = _add(statement.name, Entry(name, answer), context)
        return context, sink


def _ignores(revise: nodes.Revise | None) -> bool:
    """Whether a query reads streams as they arrived."""
    return revise is not None and revise.technique in ("ignore", "archive")


def _refuse_test(statement: nodes.TestStatement, context: Context) -> None:
    if any(error.code == "RF3501" for error in context.findings.errors):
        return  # a whole file of tests is one mistake
    word = context.text(statement.span).split(None, 1)[0]
    context.findings.error(
        "RF3501",
        f"{word.upper()} belongs in a file of tests",
        Span(statement.span.start, statement.span.start + len(word)),
        hint="`reflow test FILE` runs such files; rows of a program come from its sources",
    )


def _broken(name: nodes.Name) -> Entry:
    return Entry(name.text, BROKEN_ANSWER)


def _add(name: nodes.Name, entry: Entry, context: Context) -> Context:
    for other in context.catalog.entries:
        if other.name == entry.name:
            line, _ = context.source.position(context.later[other.name].start)
            context.findings.error(
                "RF2003",
                f"`{entry.name}` is created twice",
                name.span,
                hint=f"the first is in line {line}",
            )
            return context
    return context.adding(entry)


def _source(statement: nodes.CreateSource, context: Context) -> Entry:
    if statement.kind == "nrr":
        found: NrrDeclaration = nrr(statement, context.findings)
        return Entry(found.name, Answer(BROKEN, names(found.columns)), found)
    before = len(context.findings.errors)
    declared: StreamDeclaration = stream(statement, context.findings, not context.ticks)
    _refuse_other_clock(statement, declared, context, len(context.findings.errors) > before)
    if declared.elements:
        events = Reconstitution(Scan(declared))
        return Entry(declared.name, Answer(events, names(events.schema)))
    if statement.elements is not None and len(context.findings.errors) > before:
        return _broken(statement.name)
    if statement.kind != "relation":
        return Entry(declared.name, Answer(Scan(declared), names(Scan(declared).schema)))
    contents = relation(statement, declared, context.findings)
    if contents is None:
        return _broken(statement.name)
    return Entry(declared.name, Answer(contents, names(contents.schema)))


def _refuse_other_clock(
    statement: nodes.CreateSource, declared: StreamDeclaration, context: Context, wrong: bool
) -> None:
    """All streams of a file share one clock."""
    known = [scan for e in context.catalog.entries for scan in scans(e.answer.operator)]
    streams = (scan.stream for scan in known if scan is not BROKEN)
    # A log without an order goes by the others' clock.
    first = next((each for each in streams if each.order is not None or not each.relation), None)
    if declared.relation and declared.order is None:
        return  # its changes are at instants of the others' clock
    if wrong or first is None or first.timestamps == declared.timestamps:
        return
    order = statement.elements or statement.order_by
    kinds = {True: "timestamps", False: "ticks"}
    word = "ELEMENTS (…) of instants" if statement.elements else "ORDER BY a column"
    context.findings.error(
        "RF3010",
        f"`{declared.name}` is ordered by {kinds[declared.timestamps]}, "
        f"`{first.name}` by {kinds[first.timestamps]}: the streams of a file share one clock",
        order.span if order is not None else statement.name.span,
        f"{word} of type {'TIMESTAMP' if first.timestamps else 'BIGINT'}",
    )


def _refuse_random(answer: Answer, findings: Findings) -> None:
    """Values that differ from run to run must not get into state: a repeated epoch would."""
    if answer.broken or is_stateless(answer.operator):
        return
    for name, span in answer.random:
        findings.error(
            "RF3210",
            f"`{name}` gives another value on every run, and this query keeps state",
            span,
            "a function of the row, such as hash(…)",
        )
