"""The compiler as the commands use it. Importing this loads the parser; nothing else here does."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable

from reflow.grammar.diagnostic import Diagnostic, render
from reflow.grammar.source import Source

# Modules stay: looking through them for garbage would cost a fifth of the start-up.
gc.disable()
from reflow.compiler import pipeline  # noqa: E402

gc.freeze()
gc.enable()


def compile_file(source: Source) -> str:
    """The program's text; warnings go to stderr; CqlError if the text is wrong."""
    program = pipeline.compile_source(source)
    _warn(source, program.warnings)
    return program.text


def explain_file(source: Source, form: str) -> str:
    """The plan as text in one of the forms of `explain`; warnings go to stderr."""
    page = pipeline.explain_source(source, form)
    _warn(source, page.warnings)
    return page.text


def _warn(source: Source, warnings: Iterable[Diagnostic]) -> None:
    for warning in warnings:
        print(render(source, warning), file=sys.stderr)
