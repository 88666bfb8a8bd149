"""Test files to cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from reflow.compiler.cases import Case, read_cases
from reflow.grammar.source import Source

from ..failure import UsageError
from ..texts import read_source


@dataclass(frozen=True)
class Ready:
    """A case and the folder that is its own."""

    case: Case
    folder: str

    @property
    def title(self) -> str:
        return f"{self.case.place.path}: {self.case.name}"


@dataclass(frozen=True)
class Collected:
    """All cases, in order, and what is wrong with files that could not be read."""

    cases: tuple[Ready, ...]
    problems: tuple[str, ...]


def collect(paths: Sequence[str], folder: str) -> Collected:
    """The cases of these files; a file named twice is read once."""
    cases: list[Ready] = []
    problems: list[str] = []
    for number, path in enumerate(dict.fromkeys(paths)):
        try:
            source = read_source(path)
        except UsageError as error:
            problems.append(str(error))
            continue
        own = f"{folder}/{number}"
        read = partial(_read_beside, Path(path).parent)
        found = read_cases(source, read, own)
        cases += [Ready(case, f"{own}/{i}") for i, case in enumerate(found)]
    return Collected(tuple(cases), tuple(problems))


def _read_beside(folder: Path, path: str) -> Source:
    """A script by its path from the folder of the test file."""
    whole = folder / path
    return Source(str(whole), whole.read_bytes().decode("utf-8"))


def chosen(cases: Sequence[Ready], texts: Sequence[str]) -> tuple[Ready, ...]:
    """The cases whose title holds one of the texts, in any case; all if there is no text."""
    wanted = [text.casefold() for text in texts]
    return tuple(
        ready
        for ready in cases
        if not wanted or any(text in ready.title.casefold() for text in wanted)
    )
