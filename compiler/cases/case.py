"""One case of a test file, ready to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from reflow.grammar.source import Span
from reflow.grammar.value import value

from ..bind.steps import Output, Step


@value
class Located:
    """A statement of a case: the file it stands in, its line, its text."""

    path: str
    line: int
    text: str


@value
class Case:
    """A named case.

    `program` is the text of its program, whose sinks write change logs with columns `c0`, `c1`, …
    to the folders of `folders`, by query; it is empty where there is nothing to run, because of
    `errors` or because an error was asserted. `codes` are the error codes that were asserted.
    """

    name: str
    place: Located
    program: str = ""
    steps: tuple[Step, ...] = ()
    outputs: tuple[Output, ...] = ()
    folders: Mapping[str, str] = field(default_factory=dict)
    relations: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[Span, Located] = field(default_factory=dict)
    codes: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    errors: str = ""

    def located(self, step: Step) -> Located:
        """Where a step stands."""
        return self.places[step.span]

    @property
    def as_asserted(self) -> bool:
        """Whether the errors are those that were asserted: each code is found, and no other."""
        return bool(self.codes) and set(self.codes) == set(self.found)
