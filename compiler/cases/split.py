"""A test file cut into its cases: what stands before the first TEST belongs to all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reflow.grammar.diagnostic import Diagnostic
from reflow.grammar.source import Source, Span
from reflow.grammar.value import value

from ..syntax import nodes
from .assemble import Assembled, assemble

ReadScript = Callable[[str], Source]
"""Reads the script of a path as written; raises OSError or UnicodeDecodeError if it cannot."""


@value
class Cut:
    """The text of one case; `missing` are the scripts that could not be read."""

    name: str
    place: Span
    text: Assembled
    missing: tuple[Diagnostic, ...]


def cut(source: Source, script: nodes.Script, read_script: ReadScript) -> Iterator[Cut]:
    """The cases of a file. One without TEST is a single case."""
    begins = [s for s in script.statements if isinstance(s, nodes.BeginTest)]
    runs = [s for s in script.statements if isinstance(s, nodes.RunScript)]
    reader = _Scripts(source, runs, read_script)
    starts = [test.span.start for test in begins]
    ends = [*starts[1:], len(source.text)]
    common = Span(0, starts[0]) if starts else Span(0, len(source.text))
    if not begins:
        first = script.statements[0].span if script.statements else Span(0, 0)
        yield _cut(source, "", Span(first.start, first.start), [common], reader)
        return
    for test, start, end in zip(begins, starts, ends, strict=True):
        yield _cut(source, test.name, test.span, [common, Span(start, end)], reader)


def _cut(source: Source, name: str, place: Span, spans: list[Span], scripts: _Scripts) -> Cut:
    parts: list[tuple[Source, Span]] = []
    missing: list[Diagnostic] = []
    for span in spans:
        at = span.start
        for run in scripts.within(span):
            parts.append((source, Span(at, run.span.start)))
            found = scripts.read(run)
            if isinstance(found, Source):
                parts.append((found, Span(0, len(found.text))))
            else:
                missing.append(found)
            at = run.span.end
        parts.append((source, Span(at, span.end)))
    return Cut(name, place, assemble(source.path, parts), tuple(missing))


class _Scripts:
    """The scripts that a file runs, each read once."""

    def __init__(
        self, source: Source, runs: list[nodes.RunScript], read_script: ReadScript
    ) -> None:
        self._source = source
        self._runs = runs
        self._read = read_script
        self._known: dict[str, Source | str] = {}

    def within(self, span: Span) -> list[nodes.RunScript]:
        """Those of a stretch of the file."""
        return [run for run in self._runs if span.start <= run.span.start < span.end]

    def read(self, run: nodes.RunScript) -> Source | Diagnostic:
        """The script, or what is wrong; its place is that in the test file."""
        if run.path not in self._known:
            try:
                self._known[run.path] = self._read(run.path)
            except FileNotFoundError:
                self._known[run.path] = "no such file"
            except UnicodeDecodeError:
                self._known[run.path] = "not UTF-8 text"
            except OSError as error:
                self._known[run.path] = error.strerror or "it cannot be read"
        found = self._known[run.path]
        if isinstance(found, Source):
            return found
        message = f"the script {run.path!r} cannot be read: {found}"
        hint = "paths are those from the folder of the test file"
        return Diagnostic("RF3502", message, run.path_span, hint=hint)
