"""A page as it is printed, with the compiler's own words about its example."""

from __future__ import annotations

from dataclasses import replace

from reflow.grammar.diagnostic import CqlError, Diagnostic, render
from reflow.grammar.source import Source, Span

from ..explain.fragments import changed
from ..pipeline import Compiled, compile_text
from .page import DECLARATIONS, Page


def shown(page: Page) -> str:
    """Markdown: what it is, why, an example and what is said about it, the cure."""
    parts = [f"# {page.name}: {page.title}", page.text.rstrip()]
    if page.wrong is not None:
        parts += ["## Wrong", _block(page.wrong, "sql"), _block(messages(page), "text")]
    if page.right is not None:
        parts += ["## Right", _block(page.right, "sql")]
    if page.example is not None:
        parts += ["## Example", _block(page.example, "sql"), _block(effect(page), "text")]
    return "\n\n".join(parts) + "\n"


def messages(page: Page) -> str:
    """The errors and warnings of the page's code that its wrong example gives."""
    assert page.wrong is not None
    return "\n\n".join(
        render(Source("example.cql", page.wrong), _moved(each))
        for each in diagnostics(page.wrong)
        if each.code == page.name
    )


def effect(page: Page) -> str:
    """What a rewrite does to the page's example: before and after, or the candidates."""
    assert page.example is not None
    compiled = compile_text(DECLARATIONS + page.example, "example")
    for each in compiled.rewrites:
        if each.rule == page.name:
            return "\n".join(changed(each))
    return _choice(page.name, compiled)


def diagnostics(example: str) -> list[Diagnostic]:
    """All that the compiler says about an example, after the declarations."""
    try:
        return list(compile_text(DECLARATIONS + example, "example").warnings)
    except CqlError as error:
        return error.diagnostics


def _choice(name: str, compiled: Compiled) -> str:
    lines = []
    for decision in compiled.decisions:
        if decision.rule == name:
            lines.append(decision.operator)
            lines += [
                f"{'->' if candidate.chosen else '  '} {candidate.what}: {candidate.cost:.3g}"
                for candidate in decision.candidates
            ]
    return "\n".join(lines)


def _moved(diagnostic: Diagnostic) -> Diagnostic:
    """The same within the example alone."""
    span = diagnostic.span
    start, end = (place - len(DECLARATIONS) for place in (span.start, span.end))
    return replace(diagnostic, span=Span(max(0, start), max(0, end)))


def _block(text: str, language: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"
