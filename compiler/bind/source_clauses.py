"""FROM of a CREATE, and the clauses that have no place on some kinds of source."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span

from ..plan.schema import Column, Schema
from .findings import Findings

_FILES = frozenset({"csv", "json", "parquet", "orc", "text", "avro", "xml"})
_PATHLESS = frozenset({"rate", "socket", "kafka"})
_OWN_COLUMNS: Mapping[str, Schema] = MappingProxyType(
    {
        "rate": (Column("timestamp", "TIMESTAMP"), Column("value", "BIGINT")),
        "socket": (Column("value", "STRING"), Column("timestamp", "TIMESTAMP")),
        "kafka": (
            Column("key", "BINARY"),
            Column("value", "BINARY"),
            Column("topic", "STRING"),
            Column("partition", "INT"),
            Column("offset", "BIGINT"),
            Column("timestamp", "TIMESTAMP"),
            Column("timestampType", "INT"),
        ),
    }
)


def source_format(node: nodes.CreateSource, columns: Schema, findings: Findings) -> str:
    if node.source is None:
        findings.error(
            "RF3004",
            f"`{node.name.text}` has no source",
            node.name.span,
            "FROM CSV '…', FROM JSON '…' or another source after the columns",
        )
        return "csv"
    _check_fixed_columns(node.source, columns, findings)
    return node.source.format


def _check_fixed_columns(source: nodes.From, columns: Schema, findings: Findings) -> None:
    """RATE is declared whole; of the others what is read."""
    own = _OWN_COLUMNS.get(source.format)
    if own is None:
        return
    given = {column.name.casefold(): column.type for column in columns}
    known = {column.name.casefold(): column.type for column in own}
    if given == known if source.format == "rate" else given.items() <= known.items():
        return
    findings.error(
        "RF3006",
        f"FROM {source.format.upper()} has columns of its own",
        source.span,
        f"({', '.join(f'{column.name} {column.type}' for column in own)})",
    )


def source_path(node: nodes.CreateSource, findings: Findings) -> str | None:
    source = node.source
    if source is None:
        return None
    in_options = any(option.name.lower() == "path" for option in source.options)
    if source.format in _FILES and not source.path and not in_options:
        findings.error(
            "RF3007",
            f"FROM {source.format.upper()} needs a path",
            source.span,
            f"FROM {source.format.upper()} 'folder/'",
        )
    if source.format in _PATHLESS and source.path is not None:
        findings.error(
            "RF3007",
            f"FROM {source.format.upper()} reads no path",
            source.span,
            f"FROM {source.format.upper()} OPTIONS (…)",
        )
    return source.path


def refuse_later(node: nodes.CreateSource, findings: Findings) -> None:
    """What the language has and Reflow does not do yet."""
    if node.archive is not None and node.kind == "relation":
        findings.not_yet("RF9010", "ARCHIVE on a relation", node.archive.span)


def refuse_on_relation(node: nodes.CreateSource, findings: Findings) -> None:
    """The log of a relation says itself how rows come and leave."""
    if node.elements is not None:
        findings.error(
            "RF3005",
            "ELEMENTS has no meaning on a relation",
            node.elements.span,
            hint="a stream of elements is CREATE STREAM: its rows leave as its elements say",
        )


def refuse_on_nrr(node: nodes.CreateSource, findings: Findings) -> None:
    """Clauses about the order of a stream mean nothing on an NRR."""
    clauses: tuple[tuple[str, Span | None], ...] = (
        ("ORDER BY", node.order_by.span if node.order_by else None),
        ("IDLE AFTER", node.idle_after.span if node.idle_after else None),
        ("MAX AHEAD", node.max_ahead.span if node.max_ahead else None),
        ("REVISIONS", node.revisions.span if node.revisions else None),
        ("ARCHIVE", node.archive.span if node.archive else None),
        ("ELEMENTS", node.elements.span if node.elements else None),
        ("this guarantee", node.guarantees[0].span if node.guarantees else None),
    )
    for word, span in clauses:
        if span is not None:
            hint = "event-time versions are VERSION BY" if word == "ORDER BY" else ""
            findings.error("RF3005", f"{word} has no meaning on an NRR", span, hint=hint)
