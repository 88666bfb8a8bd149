"""The log of a relation: which row it is that a change is about, and what is done to it."""

from __future__ import annotations

from reflow.compiler.syntax import nodes

from ..plan.operators import Relation, Scan, StreamDeclaration
from ..plan.schema import names
from .ddl import read_type
from .findings import Findings
from .names import lookup
from .operations import operations

_CODE = "RF3012"
_UNCOMPARED = frozenset({"map", "variant"})


def relation(
    node: nodes.CreateSource, log: StreamDeclaration, findings: Findings
) -> Relation | None:
    """The contents that a log tells; None, with errors, where it tells none."""
    before = len(findings.errors)
    made = operations(node, log.columns, log.order, findings, _CODE)
    operation, marks = made.column, made.marks
    if log.envelopes and log.order is not None:
        assert node.order_by is not None
        # A deletion has the row as it was, with its old order value.
        findings.not_yet("RF9009", "ORDER BY with REVISIONS DEBEZIUM", node.order_by.span)
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
    contents = Relation(Scan(log), log.key, operation, marks)
    _check_columns(node, contents, findings)
    return None if len(findings.errors) > before else contents


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
