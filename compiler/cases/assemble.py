"""The text of one case, put together from a test file and the scripts it runs."""

from __future__ import annotations

from collections.abc import Iterable

from reflow.grammar.diagnostic import Diagnostic, render
from reflow.grammar.source import Source, Span
from reflow.grammar.value import value


@value
class Piece:
    """A stretch of a file; `start` is where it begins in the text put together."""

    start: int
    source: Source
    span: Span


@value
class Assembled:
    """A text whose places are known by the files they come from."""

    source: Source
    pieces: tuple[Piece, ...]

    def origin(self, span: Span) -> tuple[Source, Span]:
        """Where a stretch of the text was written; a stretch over several files begins there."""
        piece = max(
            (piece for piece in self.pieces if piece.start <= span.start),
            key=lambda piece: piece.start,
            default=self.pieces[0],
        )
        offset = piece.span.start - piece.start
        end = min(span.end + offset, piece.span.end)
        return piece.source, Span(min(span.start + offset, end), end)

    def rendered(self, diagnostics: Iterable[Diagnostic]) -> str:
        """The diagnostics as the user reads them, each in the file it is about."""
        ordered = sorted(diagnostics, key=lambda d: (d.span.start, d.code))
        return "\n\n".join(self._rendered(diagnostic) for diagnostic in ordered)

    def _rendered(self, diagnostic: Diagnostic) -> str:
        source, span = self.origin(diagnostic.span)
        return render(
            source,
            Diagnostic(
                diagnostic.code,
                diagnostic.message,
                span,
                diagnostic.expected,
                diagnostic.hint,
                diagnostic.severity,
            ),
        )


def assemble(path: str, parts: Iterable[tuple[Source, Span]]) -> Assembled:
    """The parts one after the other, each on lines of its own."""
    pieces: list[Piece] = []
    text = ""
    for source, span in parts:
        pieces.append(Piece(len(text), source, span))
        text += source.text[span.start : span.end] + "\n"
    return Assembled(Source(path, text), tuple(pieces))
