"""The log of a relation: which row it is that a change is about, and what is done to it."""

from __future__ import annotations

from typing import cast

from reflow.compiler.syntax import nodes

from ..plan.operators import Operation, Relation, Scan, StreamDeclaration
from ..plan.schema import names
from .ddl import read_type
from .declarations import OPERATION
from .findings import Findings
from .names import lookup, meant, one_of

_CODE = "RF3012"
_OF_ENVELOPES: tuple[tuple[Operation, str], ...] = (
    ("delete", "d"),
    ("insert", "c"),
    ("insert", "r"),
    ("replace", "u"),
)
_UNCOMPARED = frozenset({"map", "variant"})


def relation(
    node: nodes.CreateSource, log: StreamDeclaration, findings: Findings
) -> Relation | None:
    """The contents that a log tells; None, with errors, where it tells none."""
    before = len(findings.errors)
    operation, marks = _operations(node, log, findings)
    if len(findings.errors) > before:
        return None
    _check_key(node, log, operation, findings)
    if any(kind == "replace" for kind, _ in marks) and not log.key:
        assert node.revisions is not None
        findings.error(
            _CODE,
            "REPLACE needs to know which row it replaces",
            node.revisions.span,
            "KEY (…) among the columns",
            "without a key a log inserts whole rows and deletes them: a change is a DELETE and an "
            "INSERT",
        )
    if len(findings.errors) > before:
        return None
    made = Relation(Scan(log), log.key, operation, marks)
    _check_columns(node, made, findings)
    return None if len(findings.errors) > before else made


def _operations(
    node: nodes.CreateSource, log: StreamDeclaration, findings: Findings
) -> tuple[str | None, tuple[tuple[Operation, str], ...]]:
    """The column that says what is done, and which of its values says what."""
    revisions = node.revisions
    if revisions is None:
        return None, ()
    if revisions.column is None:
        return _envelopes(node, revisions, log, findings)
    column = lookup(revisions.column.text, log.columns, lambda c: c.name).only
    if column is None:
        known = names(log.columns)
        wanted = revisions.column.text
        findings.error(
            "RF2005",
            f"there is no column `{wanted}`",
            revisions.column.span,
            one_of(known),
            meant(wanted, known),
        )
        return None, ()
    if column.name == log.order:
        findings.error(
            _CODE, f"`{column.name}` is the order of the changes already", revisions.column.span
        )
    _check_marks(revisions, findings)
    return column.name, tuple(
        sorted((cast(Operation, kind), text) for kind, text in revisions.marks)
    )


def _envelopes(
    node: nodes.CreateSource,
    revisions: nodes.Revisions,
    log: StreamDeclaration,
    findings: Findings,
) -> tuple[str | None, tuple[tuple[Operation, str], ...]]:
    """Debezium's envelopes: `op` beside the rows `before` and `after` a change."""
    if log.format != "json":
        where = f"REVISIONS DEBEZIUM from {log.format.upper()}"
        findings.not_yet("RF9009", where, revisions.span)
    if log.order is not None:
        assert node.order_by is not None
        # A deletion has the row as it was, with its old order value.
        findings.not_yet("RF9009", "ORDER BY with REVISIONS DEBEZIUM", node.order_by.span)
    if not log.key:
        findings.error(
            _CODE,
            "an envelope says which row it changes by its key",
            revisions.span,
            "KEY (…) among the columns",
        )
    if sum(c.name.casefold() == OPERATION.name for c in log.columns) > 1:
        message = f"a relation of envelopes has a column `{OPERATION.name}` of its own"
        findings.error(_CODE, message, node.name.span)
    return OPERATION.name, _OF_ENVELOPES


def _check_marks(revisions: nodes.Revisions, findings: Findings) -> None:
    """Each value says one thing."""
    values = [text for _, text in revisions.marks]
    twice = next((text for text in values if values.count(text) > 1), None)
    if twice is not None:
        findings.error(_CODE, f"'{twice}' stands for two operations", revisions.span)


def _check_key(
    node: nodes.CreateSource, log: StreamDeclaration, operation: str | None, findings: Findings
) -> None:
    """The columns that only tell when and how are no part of a row."""
    if node.key is None:
        return
    for name in node.key.columns:
        column = lookup(name.text, log.columns, lambda c: c.name).only
        if column is not None and column.name in (log.order, operation):
            findings.error(
                _CODE,
                f"`{column.name}` tells when or how the relation changes: it is no column of its "
                "rows",
                name.span,
                "columns that tell the rows apart",
            )


def _check_columns(node: nodes.CreateSource, made: Relation, findings: Findings) -> None:
    """Something must be left to read, and rows that are looked for must be comparable."""
    if not made.schema:
        message = f"nothing is left of a row of `{made.input.stream.name}`"
        findings.error(_CODE, message, node.name.span, "a column more")
    if made.only_grows:
        return
    compared = made.key or names(made.schema)
    for definition in node.columns:
        column = lookup(definition.name.text, made.schema, lambda c: c.name).only
        if column is None or column.name not in compared:
            continue
        if read_type(column.type).family in _UNCOMPARED:
            findings.error(
                _CODE,
                f"rows cannot be found by `{column.name}`: two values of {column.type} are not "
                "compared",
                definition.span,
                "" if made.key else "KEY (…) of other columns",
            )
