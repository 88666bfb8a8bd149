"""A test file to its cases."""

from __future__ import annotations

from pathlib import PurePath

from reflow.grammar.diagnostic import Diagnostic, render
from reflow.grammar.source import Source, Span

from .. import pipeline
from ..bind.steps import Answer, Changes
from ..bind.trials import BoundTrial, bind_trial
from ..syntax.build import read_what_can_be
from .case import Case, Located
from .program import Places, program_of
from .split import Cut, ReadScript, cut


def read_cases(source: Source, read_script: ReadScript, folder: str) -> tuple[Case, ...]:
    """The cases of a file, in order. What they write, and their NRRs, lie in folders of their own
    below `folder`.
    """
    with pipeline.deep():
        script = read_what_can_be(source)
        cuts = tuple(cut(source, script, read_script))
        return tuple(_case(source, one, f"{folder}/{i}") for i, one in enumerate(cuts))


def _case(source: Source, cut_: Cut, folder: str) -> Case:
    name = PurePath(source.path).stem
    script = read_what_can_be(cut_.text.source)
    bound = bind_trial(cut_.text.source, script, name)
    line, _ = source.position(cut_.place.start)
    place = Located(source.path, line, source.line(line).strip())
    found = (*(d.code for d in bound.errors), *(d.code for d in cut_.missing))
    title = cut_.name or name
    if found or bound.codes or bound.plan is None:
        errors = _errors(source, cut_, bound)
        return Case(title, place, codes=bound.codes, found=found, errors=errors)
    places = Places(folder)
    about = (s.query for s in bound.steps if isinstance(s, Answer | Changes))
    asserted = frozenset(about)
    return Case(
        name=title,
        place=place,
        program=program_of(bound.plan, places, asserted),
        steps=bound.steps,
        outputs=bound.outputs,
        folders={o.query: places.output(i) for i, o in enumerate(bound.outputs)},
        relations=places.relations,
        places={step.span: _located(cut_, step.span) for step in bound.steps},
    )


def _errors(source: Source, cut_: Cut, bound: BoundTrial) -> str:
    """All that is wrong with a case, as text."""
    missing: list[Diagnostic] = list(cut_.missing)
    texts = [render(source, diagnostic) for diagnostic in missing]
    if bound.errors:
        texts.append(cut_.text.rendered(bound.errors))
    return "\n\n".join(texts)


def _located(cut_: Cut, span: Span) -> Located:
    source, there = cut_.text.origin(span)
    line, _ = source.position(there.start)
    return Located(source.path, line, " ".join(source.text[there.start : there.end].split()))
