"""What came of a case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from reflow.compiler.cases import Case, Located

Mark: TypeAlias = Literal["missing", "unexpected", "both"]


@dataclass(frozen=True)
class Mismatch:
    """Rows other than those asserted. `rows` are shown values, each row with its mark; `expected`
    and `got` count them.
    """

    place: Located
    columns: tuple[str, ...]
    rows: tuple[tuple[Mark, tuple[str, ...]], ...]
    expected: int
    got: int


@dataclass(frozen=True)
class Trouble:
    """A case that cannot go on, and why."""

    place: Located
    text: str


@dataclass(frozen=True)
class Outcome:
    """A case that ran, or could not. It passed if nothing is in `failures`; `notes` say what else
    happened that may explain them.
    """

    case: Case
    seconds: float
    failures: tuple[Mismatch | Trouble, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.failures
