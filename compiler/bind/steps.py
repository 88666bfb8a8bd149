"""The steps of a test, bound: what arrives, what time it is, what must be so.

Values are Spark SQL text, cast to the types of their columns. Instants are order values:
microseconds, or ticks. Rows of a table hold all its columns; asserted rows those of the answer.
"""

from __future__ import annotations

from typing import TypeAlias

from reflow.grammar.source import Span
from reflow.grammar.value import value

Rows: TypeAlias = tuple[tuple[str, ...], ...]


@value
class Insert:
    """Rows of a stream, or of an NRR; `arrival` is when they arrive, where that is said."""

    table: str
    rows: Rows
    arrival: int | None
    span: Span


@value
class Delete:
    """Rows of an NRR go: those whose `columns` (positions) are as given."""

    table: str
    columns: tuple[int, ...]
    rows: Rows
    span: Span


@value
class Move:
    """The clock goes to an instant, or on by a length."""

    to: int | None
    by: int | None
    span: Span


@value
class Answer:
    """These rows, as often as given and in any order, are the answer at an instant; None: now."""

    query: str
    at: int | None
    rows: Rows
    span: Span


@value
class Changed:
    """Rows that entered or left, at an instant; None: at any."""

    entered: bool
    at: int | None
    rows: Rows


@value
class Changes:
    """These rows have entered and left since the last such step about the query, and no other."""

    query: str
    changed: tuple[Changed, ...]
    span: Span


Step: TypeAlias = Insert | Delete | Move | Answer | Changes


@value
class Output:
    """A query that is asserted about: its name, and the names of its columns as written."""

    query: str
    columns: tuple[str, ...]


__all__ = [
    "Answer",
    "Changed",
    "Changes",
    "Delete",
    "Insert",
    "Move",
    "Output",
    "Rows",
    "Step",
]
