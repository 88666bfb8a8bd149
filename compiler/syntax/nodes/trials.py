"""The statements of test files (`reflow test`): cases, rows, the clock, assertions."""

from __future__ import annotations

from typing import TypeAlias

from sqlglot import exp

from reflow.grammar.source import Span
from reflow.grammar.value import value

from .basic import Length, Name
from .windows import Moment


@value
class BeginTest:
    """TEST '…': a case begins, and lasts until the next one."""

    name: str
    name_span: Span
    span: Span


@value
class RunScript:
    """RUN SCRIPT '…': the statements of another file stand here."""

    path: str
    path_span: Span
    span: Span


@value
class ValueRow:
    """One row of VALUES."""

    values: tuple[exp.Expression, ...]
    span: Span


@value
class InsertRows:
    """Rows arrive. `columns` is empty where all are meant; `at` is the order value of all rows."""

    name: Name
    columns: tuple[Name, ...]
    rows: tuple[ValueRow, ...]
    at: Moment | None
    span: Span


@value
class DeleteRows:
    """Rows of an NRR go; `columns` as above."""

    name: Name
    columns: tuple[Name, ...]
    rows: tuple[ValueRow, ...]
    span: Span


@value
class Advance:
    """The clock is moved: to an instant, or by a length; one of the two is set."""

    to: Moment | None
    by: Length | None
    span: Span


@value
class AssertAnswer:
    """What the answer is. `query` is None where there is only one; `at` None: now."""

    query: Name | None
    at: Moment | None
    rows: tuple[ValueRow, ...]
    span: Span


@value
class ChangedRows:
    """Rows that entered an answer, or left it; `at` None: at any instant."""

    entered: bool
    rows: tuple[ValueRow, ...]
    at: Moment | None
    span: Span


@value
class AssertChanges:
    """Which rows have entered and left the answer since the last such statement."""

    query: Name | None
    changed: tuple[ChangedRows, ...]
    span: Span


@value
class AssertError:
    """The case must not compile, for these reasons."""

    codes: tuple[Name, ...]
    span: Span


Step: TypeAlias = InsertRows | DeleteRows | Advance | AssertAnswer | AssertChanges
TestStatement: TypeAlias = Step | BeginTest | RunScript | AssertError
