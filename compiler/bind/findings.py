"""Where the errors and warnings of one run of the binder are gathered."""

from __future__ import annotations

from reflow.grammar.diagnostic import Diagnostic, Severity
from reflow.grammar.source import Span

from .codes import CODES


class Refused(Exception):
    """A clause cannot be bound any further; its diagnostics are already among the findings."""


class Findings:
    """Collects diagnostics; binding goes on after most of them, so that one run shows all.

    Two findings with the same code and span are one: a view that is read twice is wrong once.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, int, int], Diagnostic] = {}

    def error(
        self, code: str, message: str, span: Span, expected: str = "", hint: str = ""
    ) -> None:
        self._add(Diagnostic(code, message, span, expected, hint))

    def warning(self, code: str, message: str, span: Span, hint: str = "") -> None:
        self._add(Diagnostic(code, message, span, "", hint, Severity.WARNING))

    def refuse(
        self, code: str, message: str, span: Span, expected: str = "", hint: str = ""
    ) -> Refused:
        """Record an error and return the exception to raise."""
        self.error(code, message, span, expected, hint)
        return Refused()

    def not_yet(self, code: str, what: str, span: Span, plural: bool = False) -> None:
        self.error(code, f"{what} {'are' if plural else 'is'} not available yet", span)

    def _add(self, diagnostic: Diagnostic) -> None:
        if diagnostic.code not in CODES:
            raise KeyError(diagnostic.code)
        key = (diagnostic.code, diagnostic.span.start, diagnostic.span.end)
        self._found.setdefault(key, diagnostic)

    @property
    def errors(self) -> list[Diagnostic]:
        return [d for d in self._found.values() if d.severity is Severity.ERROR]

    @property
    def warnings(self) -> list[Diagnostic]:
        found = [d for d in self._found.values() if d.severity is Severity.WARNING]
        return sorted(found, key=lambda d: (d.span.start, d.code))
