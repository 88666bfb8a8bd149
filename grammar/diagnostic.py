"""Diagnostics: errors and warnings as values, turned into text once, at the edge."""

from __future__ import annotations

from enum import Enum

from .source import Source, Span
from .value import value


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@value
class Diagnostic:
    """One finding about a source text.

    `code` is stable (`RF` and four digits: 1xxx syntax, 2xxx names and types, 3xxx meaning, 9xxx
    not available yet); `expected` and `hint` may be empty.
    """

    code: str
    message: str
    span: Span
    expected: str = ""
    hint: str = ""
    severity: Severity = Severity.ERROR


class CqlError(Exception):
    """The user's text is wrong. Carries every diagnostic of the file, in order."""

    def __init__(self, source: Source, diagnostics: list[Diagnostic]) -> None:
        self.source = source
        self.diagnostics = sorted(diagnostics, key=lambda d: (d.span.start, d.code))
        super().__init__("\n\n".join(render(source, d) for d in self.diagnostics))


def render(source: Source, diagnostic: Diagnostic) -> str:
    """A diagnostic as the user sees it: head line, place, source line, caret, expectation, hint."""
    line, column = source.position(diagnostic.span.start)
    text = source.line(line)
    width = max(1, min(diagnostic.span.end - diagnostic.span.start, len(text) - column + 1))
    gutter = " " * len(str(line))
    # Tabs are kept in the margin so that the caret stays below its character in any terminal.
    margin = "".join("\t" if char == "\t" else " " for char in text[: column - 1])
    lines = [
        f"{diagnostic.severity.value}[{diagnostic.code}]: {diagnostic.message}",
        f"{gutter}--> {source.path}:{line}:{column}",
        f"{gutter} |",
        f"{line} | {text}",
        f"{gutter} | {margin}{'^' * width}",
    ]
    if diagnostic.expected:
        lines.append(f"{gutter} = expected: {diagnostic.expected}")
    if diagnostic.hint:
        lines.append(f"{gutter} = hint: {diagnostic.hint}")
    return "\n".join(lines)
