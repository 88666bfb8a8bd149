"""REVISIONS: which column of a log says what a row does, and which of its values says what."""

from __future__ import annotations

from typing import cast

from reflow.compiler.syntax import nodes
from reflow.grammar.value import value

from ..plan.operators import Operation
from ..plan.schema import Column, Schema, names
from .findings import Findings
from .names import lookup, meant, one_of

OPERATION = Column("_operation", "STRING")
"""The column of a log of Debezium's envelopes that says what is done."""

_OF_ENVELOPES: tuple[tuple[Operation, str], ...] = (
    ("delete", "d"),
    ("insert", "c"),
    ("insert", "r"),
    ("replace", "u"),
)


@value
class Operations:
    """The column, and its values sorted by what they say; None: every row is inserted."""

    column: str | None = None
    marks: tuple[tuple[Operation, str], ...] = ()


def operations(
    node: nodes.CreateSource, columns: Schema, order: str | None, findings: Findings, code: str
) -> Operations:
    """What REVISIONS says about a declaration; mistakes, with this code, are recorded.

    `columns` has the column of an envelope's operation; `order` is the order column.
    """
    revisions = node.revisions
    if revisions is None:
        return Operations()
    if revisions.column is None:
        return _envelopes(node, revisions, columns, findings, code)
    column = lookup(revisions.column.text, columns, lambda c: c.name).only
    if column is None:
        known = names(columns)
        wanted = revisions.column.text
        findings.error(
            "RF2005",
            f"there is no column `{wanted}`",
            revisions.column.span,
            one_of(known),
            meant(wanted, known),
        )
        return Operations()
    if column.name == order:
        findings.error(
            code, f"`{column.name}` is the order of the changes already", revisions.column.span
        )
    _check_marks(revisions, findings, code)
    marks = ((cast(Operation, kind), text) for kind, text in revisions.marks)
    return Operations(column.name, tuple(sorted(marks)))


def _envelopes(
    node: nodes.CreateSource,
    revisions: nodes.Revisions,
    columns: Schema,
    findings: Findings,
    code: str,
) -> Operations:
    """Debezium's envelopes: `op` beside the rows `before` and `after` a change."""
    source = node.source.format if node.source else "json"
    if source != "json":
        where = f"REVISIONS DEBEZIUM from {source.upper()}"
        findings.not_yet("RF9009", where, revisions.span)
    if node.key is None:
        findings.error(
            code,
            "an envelope says which row it changes by its key",
            revisions.span,
            "KEY (…) among the columns",
        )
    if sum(c.name.casefold() == OPERATION.name for c in columns) > 1:
        message = f"a {node.kind} of envelopes has a column `{OPERATION.name}` of its own"
        findings.error(code, message, node.name.span)
    return Operations(OPERATION.name, _OF_ENVELOPES)


def _check_marks(revisions: nodes.Revisions, findings: Findings, code: str) -> None:
    """Each value says one thing."""
    values = [text for _, text in revisions.marks]
    twice = next((text for text in values if values.count(text) > 1), None)
    if twice is not None:
        findings.error(code, f"'{twice}' stands for two operations", revisions.span)
