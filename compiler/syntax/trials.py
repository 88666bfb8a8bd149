"""Statements of test files."""

from __future__ import annotations

from .expressions import Expressions
from .fold import Node, Part, part, token_span
from .nodes import (
    Advance,
    AssertAnswer,
    AssertChanges,
    AssertError,
    BeginTest,
    ChangedRows,
    DeleteRows,
    InsertRows,
    Length,
    Moment,
    Name,
    RunScript,
    ValueRow,
)
from .words import unquoted


class Trials(Expressions):
    """Handlers of TEST, RUN SCRIPT, INSERT, DELETE, ADVANCE and ASSERT."""

    def begin_test(self, node: Node) -> BeginTest:
        (name,) = node.tokens("STRING")
        return BeginTest(unquoted(name), token_span(name), node.span)

    def run_script(self, node: Node) -> RunScript:
        (path,) = node.tokens("STRING")
        return RunScript(unquoted(path), token_span(path), node.span)

    def insert_rows(self, node: Node) -> InsertRows:
        name, *columns = node.all(Name)
        return InsertRows(name, tuple(columns), _rows(node), part(node, "at"), node.span)

    def delete_rows(self, node: Node) -> DeleteRows:
        name, *columns = node.all(Name)
        return DeleteRows(name, tuple(columns), _rows(node), node.span)

    def advance(self, node: Node) -> Advance:
        return Advance(node.first(Moment), node.first(Length), node.span)

    def assert_answer(self, node: Node) -> AssertAnswer:
        return AssertAnswer(node.first(Name), part(node, "at"), _rows(node), node.span)

    def assert_changes(self, node: Node) -> AssertChanges:
        return AssertChanges(node.first(Name), tuple(node.all(ChangedRows)), node.span)

    def changed_rows(self, node: Node) -> ChangedRows:
        return ChangedRows("ENTERED" in node.words, _rows(node), part(node, "at"), node.span)

    def assert_error(self, node: Node) -> AssertError:
        return AssertError(tuple(node.all(Name)), node.span)

    def at_instant(self, node: Node) -> Part:
        return Part("at", node.children[0], node.span)

    def row_of_values(self, node: Node) -> ValueRow:
        return ValueRow(tuple(node.children), node.span)


def _rows(node: Node) -> tuple[ValueRow, ...]:
    return tuple(node.all(ValueRow))
