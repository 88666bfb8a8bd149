"""The names of a file: what each statement has created so far, and what later ones will."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace

from reflow.grammar.source import Source, Span
from reflow.grammar.value import value

from ..plan.operators import Merge, NrrDeclaration, Operator, Scan, StreamDeclaration
from ..plan.rebuild import substitute
from ..plan.sections import in_its_section
from .findings import Findings
from .names import lookup, meant, one_of
from .settings import Settings

BROKEN: Operator = Scan(
    StreamDeclaration(
        "?", (), "csv", None, (), None, True, 0, False, (), None, None, frozenset(), ()
    )
)
"""Stands for what could not be bound, so that binding can go on; such a plan is never given out."""


@value
class Answer:
    """A bound query: its operator, and its columns as the user sees them, in the order of the
    schema.

    `places` is where each column was written. `random` are the calls in it whose value differs
    from run to run.
    """

    operator: Operator
    names: tuple[str, ...]
    places: tuple[Span, ...] = ()
    random: tuple[tuple[str, Span], ...] = ()
    broken: bool = False


BROKEN_ANSWER = Answer(BROKEN, (), broken=True)


@value
class Entry:
    """A name of the file: an answer to read (stream, view, query) or a relation to join with
    (NRR).
    """

    name: str
    answer: Answer
    relation: NrrDeclaration | None = None


@value
class Catalog:
    entries: tuple[Entry, ...] = ()

    def adding(self, entry: Entry) -> Catalog:
        return Catalog((*self.entries, entry))


@value
class Context:
    """What binding a statement needs to know. `later` are the names of the whole file, with their
    places; `ticks`: its clock counts in ticks; `as_arrived`: streams are read without their
    revisions.
    """

    source: Source
    findings: Findings
    settings: Settings
    later: Mapping[str, Span] = field(default_factory=dict)
    catalog: Catalog = Catalog()
    ticks: bool = False
    as_arrived: bool = False

    def adding(self, entry: Entry) -> Context:
        return replace(self, catalog=self.catalog.adding(entry))

    def text(self, span: Span) -> str:
        return self.source.text[span.start : span.end]

    def word(self, words: str, span: Span) -> Span:
        """The place of these keywords within a span, so that a caret is not longer than needed."""
        pattern = r"\b" + r"\s+".join(map(re.escape, words.split())) + r"\b"
        found = re.compile(pattern, re.IGNORECASE).search(self.source.text, span.start, span.end)
        return Span(found.start(), found.end()) if found else span

    def entry(self, name: str, span: Span) -> Entry | None:
        """The thing of this name; None, with an error, where there is none."""
        match = lookup(name, self.catalog.entries, lambda e: e.name)
        if match.found:
            if match.only is None:
                self._ambiguous(name, span, tuple(e.name for e in match.found))
            return _as_arrived(match.only) if self.as_arrived and match.only else match.only
        later = lookup(name, self.later, str).only
        if later is not None:
            line, _ = self.source.position(self.later[later].start)
            place = self.later[later].start
            between = self.source.text[min(place, span.start) : max(place, span.end)]
            itself = place < span.start and ";" not in between
            self.findings.error(
                "RF2002",
                f"`{name}` is used before it is created",
                span,
                hint="a statement cannot read what it creates itself"
                if itself
                else f"it is created in line {line}: move that statement up",
            )
            return None
        known = tuple(e.name for e in self.catalog.entries)
        self.findings.error(
            "RF2001",
            f"there is no stream, NRR, view or query `{name}`",
            span,
            one_of(known) if known else "a CREATE STREAM before this query",
            meant(name, known),
        )
        return None

    def _ambiguous(self, name: str, span: Span, names: tuple[str, ...]) -> None:
        self.findings.error(
            "RF2004",
            f"`{name}` fits several names when case is ignored",
            span,
            one_of(names),
        )


def _as_arrived(entry: Entry) -> Entry:
    """The same with streams that are read without their revisions. What a merged stream says of its
    inputs' revisions are elements like others.
    """
    operator = entry.answer.operator
    new: dict[Operator, Operator] = {}
    for each in in_its_section(operator):
        if isinstance(each, Scan) and each.stream.revisable:
            new[each] = replace(each, as_arrived=True)
        elif isinstance(each, Merge):
            new[each] = each
    whole = new.get(operator, substitute(operator, new))
    return replace(entry, answer=replace(entry.answer, operator=whole))
