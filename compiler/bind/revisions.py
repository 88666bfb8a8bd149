"""The revisions of a stream: what replaces or deletes its rows, and how long they can come."""

from __future__ import annotations

from dataclasses import replace

from reflow.compiler.syntax import nodes

from ..plan.operators import StreamDeclaration
from ..plan.schema import names
from .ddl import read_type
from .findings import Findings
from .lengths import units
from .names import lookup
from .operations import operations

_CODE = "RF3013"
_NO_KEYS = frozenset({"map", "variant"})
_LAYOUTS = frozenset({"plain", "source"})


def revisable(
    node: nodes.CreateSource, stream: StreamDeclaration, findings: Findings
) -> StreamDeclaration:
    """The stream with what REVISIONS and ARCHIVE say; mistakes are recorded."""
    made = operations(node, stream.columns, stream.order, findings, _CODE)
    _check_key(node, stream, made.column, findings)
    found = replace(
        stream,
        kept=_kept(node, stream, findings),
        kept_rows=_kept_rows(node, findings),
        bucket=_bucket(node, findings),
        in_place=_in_place(node, stream, findings),
        operation=made.column,
        marks=made.marks,
    )
    _warn_of_no_reach(node, found, findings)
    return found


def _kept(node: nodes.CreateSource, stream: StreamDeclaration, findings: Findings) -> int | None:
    """How far behind `complete` rows are corrected: ARCHIVE KEEP; 0 where it counts rows."""
    archive = node.archive
    if archive is None:
        return None
    _refuse_parts(archive, findings)
    if archive.keep_rows is not None:
        return 0
    if archive.keep is None:
        message = "ARCHIVE does not say how long rows are kept"
        findings.error(_CODE, message, archive.span, "ARCHIVE KEEP and a length, or n ROWS")
        return None
    return units(archive.keep, stream.timestamps, findings, "KEEP")


def _kept_rows(node: nodes.CreateSource, findings: Findings) -> int | None:
    """How many of the youngest rows are corrected: ARCHIVE KEEP n ROWS."""
    rows = node.archive.keep_rows if node.archive is not None else None
    if rows == 0:
        assert node.archive is not None
        findings.error("RF3008", "KEEP is zero", node.archive.span, "a number of rows")
    return rows


def _bucket(node: nodes.CreateSource, findings: Findings) -> int | None:
    """Up to how many rows small epochs are laid together."""
    rows = node.archive.bucket_rows if node.archive is not None else None
    if rows == 0:
        assert node.archive is not None
        findings.error("RF3008", "BUCKET is zero", node.archive.span, "a number of rows")
    return rows


def _in_place(node: nodes.CreateSource, stream: StreamDeclaration, findings: Findings) -> bool:
    """Whether the source's own files are the archive. Only Parquet's can be: their footers say what
    is in them, and what has been read of a text would have to be read again and again.
    """
    layout = node.archive.layout if node.archive is not None else None
    if layout is None or layout.kind != "source":
        return False
    cleaned = {name.lower(): value.lower() for name, value in stream.options}
    if cleaned.get("cleansource", "off") != "off":
        message = f"LAYOUT SOURCE reads files again that `{stream.name}` has its source take away"
        findings.error(_CODE, message, layout.span, "LAYOUT PLAIN, or no option cleanSource")
        return False
    if stream.format == "parquet":
        return True
    findings.error(
        _CODE,
        f"LAYOUT SOURCE needs a source of Parquet files, and `{stream.name}` is not",
        layout.span,
        "LAYOUT PLAIN, which archives a copy; or FROM PARQUET 'folder/'",
    )
    return False


def _refuse_parts(archive: nodes.Archive, findings: Findings) -> None:
    """What the clause has and Reflow does not do yet."""
    later = (
        ("LAYOUT", archive.layout is not None and archive.layout.kind not in _LAYOUTS),
        ("SAMPLE BY", archive.sample_by is not None),
        ("SUMMARY", bool(archive.summaries)),
    )
    for word, written in later:
        if written:
            findings.not_yet("RF9010", f"{word} in ARCHIVE", archive.span)


def _check_key(
    node: nodes.CreateSource, stream: StreamDeclaration, operation: str | None, findings: Findings
) -> None:
    """What replaces or deletes a row finds it by its key."""
    if node.revisions is not None and not node.revisions.debezium and node.key is None:
        findings.error(
            _CODE,
            "a revision says which row it is about by its key",
            node.revisions.span,
            "KEY (…) among the columns",
        )
    for name in node.key.columns if node.key is not None else ():
        column = lookup(name.text, stream.columns, lambda c: c.name).only
        if column is None:
            continue
        if column.name == operation:
            message = f"`{column.name}` tells what is done: it is no column of the rows"
            findings.error(_CODE, message, name.span, "columns that tell the rows apart")
        looked_up = node.revisions is not None or node.archive is not None
        if looked_up and read_type(column.type).family in _NO_KEYS:
            findings.error(
                _CODE,
                f"rows cannot be found by `{column.name}`: two values of {column.type} are not "
                "compared",
                name.span,
                "KEY (…) of other columns",
            )
    if operation is not None and names(stream.columns) == (operation,):
        message = f"nothing is left of a row of `{stream.name}`"
        findings.error(_CODE, message, node.name.span, "a column more")


def _warn_of_no_reach(
    node: nodes.CreateSource, stream: StreamDeclaration, findings: Findings
) -> None:
    """Without KEEP only rows that may still come can be replaced or deleted."""
    if stream.marks and stream.kept is None and node.archive is None and not stream.within:
        assert node.revisions is not None
        findings.warning(
            "RF3304",
            f"a row of `{stream.name}` cannot be corrected once a later one has come",
            node.revisions.span,
            "write ARCHIVE KEEP and a length: how far back corrections reach",
        )
