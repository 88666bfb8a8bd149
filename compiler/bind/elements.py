"""ELEMENTS: the columns that make the rows of a stream elements of a physical stream (LMERGE)."""

from __future__ import annotations

from dataclasses import replace

from reflow.compiler.syntax import nodes

from ..plan.operators import StreamDeclaration
from ..plan.schema import Column
from .ddl import read_type
from .findings import Findings
from .names import lookup, meant, one_of
from .types import with_article

_CODE = "RF3014"
_PARTS = ("the kind", "the start", "the end", "the end that was")
_ORDERS = ("TIMESTAMP", "BIGINT")
_UNCOMPARED = frozenset({"map", "variant"})


Spanned = nodes.OrderBy | nodes.Revisions | nodes.Archive | nodes.IdleAfter | nodes.MaxAhead


def of_elements(
    node: nodes.CreateSource, stream: StreamDeclaration, findings: Findings
) -> StreamDeclaration:
    """The stream with what ELEMENTS says; mistakes are recorded, and a wrong clause left out."""
    if node.elements is None:
        return stream
    before = len(findings.errors)
    _refuse_beside(node, findings)
    columns = _columns(node.elements, stream, findings)
    if len(findings.errors) == before:
        _check_types(node, node.elements, columns, findings)
        _check_rows(node, stream, columns, findings)
    if len(findings.errors) > before:
        return stream
    kind, start, end, old_end = (column.name for column in columns)
    return replace(
        stream,
        elements=(kind, start, end, old_end),
        order=start,
        timestamps=columns[1].type == "TIMESTAMP",
    )


def ticks_of(node: nodes.CreateSource) -> bool | None:
    """Whether the instants of elements count in ticks; None where nothing says so."""
    if node.elements is None or len(node.elements.columns) < 2:
        return None
    found = lookup(node.elements.columns[1].text, node.columns, lambda c: c.name.text).only
    return None if found is None else found.type == "BIGINT"


def _refuse_beside(node: nodes.CreateSource, findings: Findings) -> None:
    """Elements say themselves when they are valid, and what corrects them."""
    clauses: tuple[tuple[str, Spanned | None, str], ...] = (
        ("ORDER BY", node.order_by, "elements have their start for it"),
        ("REVISIONS", node.revisions, "an adjust corrects an element"),
        ("ARCHIVE", node.archive, "up to a stable elements may be corrected"),
        ("IDLE AFTER", node.idle_after, "a stable says how far it is"),
        ("MAX AHEAD", node.max_ahead, "an adjust corrects an element"),
    )
    for word, clause, hint in clauses:
        if clause is not None:
            message = f"{word} has no meaning beside ELEMENTS"
            findings.error(_CODE, message, clause.span, hint=hint)


def _columns(
    clause: nodes.Elements, stream: StreamDeclaration, findings: Findings
) -> tuple[Column, ...]:
    if len(clause.columns) != len(_PARTS):
        findings.error(
            _CODE,
            f"ELEMENTS names {len(clause.columns)} columns",
            clause.span,
            f"four: {', '.join(_PARTS)}",
        )
        return ()
    found: list[Column] = []
    for name in clause.columns:
        column = lookup(name.text, stream.columns, lambda c: c.name).only
        if column is None:
            known = tuple(column.name for column in stream.columns)
            message = f"there is no column `{name.text}`"
            hint = meant(name.text, known)
            findings.error("RF2005", message, name.span, one_of(known), hint)
        elif column in found:
            message = f"ELEMENTS names `{column.name}` twice"
            findings.error(_CODE, message, name.span, f"four columns: {', '.join(_PARTS)}")
        else:
            found.append(column)
    return tuple(found)


def _check_types(
    node: nodes.CreateSource,
    clause: nodes.Elements,
    columns: tuple[Column, ...],
    findings: Findings,
) -> None:
    kind, start, *ends = columns
    if kind.type != "STRING":
        _wrong_type(clause.columns[0], kind, "STRING: insert, adjust or stable", findings)
    if start.type not in _ORDERS:
        _wrong_type(clause.columns[1], start, "TIMESTAMP or BIGINT", findings)
        return
    for name, end in zip(clause.columns[2:], ends, strict=True):
        if end.type != start.type:
            _wrong_type(name, end, f"{start.type}, as `{start.name}`", findings)


def _wrong_type(name: nodes.Name, column: Column, expected: str, findings: Findings) -> None:
    what = f"`{column.name}` of ELEMENTS is {with_article(read_type(column.type))}"
    findings.error(_CODE, what, name.span, expected)


def _check_rows(
    node: nodes.CreateSource,
    stream: StreamDeclaration,
    columns: tuple[Column, ...],
    findings: Findings,
) -> None:
    """Something must be left to read, and rows that are looked for must be comparable."""
    own = {column.name for column in columns}
    rest = [column for column in stream.columns if column.name not in own]
    if not rest:
        message = f"nothing is left of a row of `{stream.name}`"
        findings.error(_CODE, message, node.name.span, "a column more")
    for name in node.key.columns if node.key is not None else ():
        column = lookup(name.text, stream.columns, lambda c: c.name).only
        if column is not None and column.name in own:
            message = f"`{column.name}` tells of an element: it is no column of the rows"
            findings.error(_CODE, message, name.span, "columns that tell the rows apart")
    if any(guarantee.kind == "insert only" for guarantee in node.guarantees):
        return
    for definition in node.columns:
        column = lookup(definition.name.text, rest, lambda c: c.name).only
        if column is not None and read_type(column.type).family in _UNCOMPARED:
            findings.error(
                _CODE,
                f"an adjust cannot find its event by `{column.name}`: two values of {column.type} "
                "are not compared",
                definition.span,
                "INSERT ONLY, where nothing is adjusted",
            )
