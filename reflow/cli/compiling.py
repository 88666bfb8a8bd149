"""The compiler as the commands use it. Importing this loads the parser; nothing else here does.

No garbage is looked for while the compiler loads and works: what it makes lives until the page or
the program is there, and looking through it would cost a fifth of the time.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from reflow.grammar.diagnostic import Diagnostic, render
from reflow.grammar.source import Source

from .failure import UsageError


@contextmanager
def _no_collection() -> Iterator[None]:
    """Garbage collection rests; what is alive at the end is not looked through again."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


with _no_collection():
    from reflow.compiler import pipeline


def compile_file(
    source: Source,
    settings: Mapping[str, str] = MappingProxyType({}),
    observed: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
) -> str:
    """The program's text; warnings go to stderr; CqlError if the text is wrong.

    `settings` are those of the command line: Reflow's win over SET in the file, Spark's are for
    the session and passed over here. `observed` are an earlier run's figures.
    """
    own = {name: value for name, value in settings.items() if not pipeline.is_of_spark(name)}
    try:
        with _no_collection():
            program = pipeline.compile_source(source, own, observed)
            text = program.text
    except pipeline.BadSetting as error:
        raise UsageError(f"--set: {error}") from None
    _warn(source, program.warnings)
    return text


def explain_file(
    source: Source, form: str, observed: Mapping[str, Mapping[str, int]] = MappingProxyType({})
) -> str:
    """The plan as text in one of the forms of `explain`; warnings go to stderr."""
    with _no_collection():
        page = pipeline.explain_source(source, form, observed)
    _warn(source, page.warnings)
    return page.text


def _warn(source: Source, warnings: Iterable[Diagnostic]) -> None:
    for warning in warnings:
        print(render(source, warning), file=sys.stderr)
