"""CREATE STREAM, CREATE NRR, and the logs of CREATE RELATION, checked."""

from __future__ import annotations

from reflow.compiler.syntax import nodes

from ..plan.operators import NrrDeclaration, StreamDeclaration
from ..plan.schema import Column, Schema
from .ddl import DdlError, nearest_type, read_type
from .elements import of_elements, ticks_of
from .findings import Findings
from .lengths import interval, units
from .names import lookup, meant, one_of
from .operations import OPERATION
from .revisions import revisable
from .settings import text_of
from .source_clauses import (
    refuse_later,
    refuse_on_nrr,
    refuse_on_relation,
    source_format,
    source_path,
)
from .statistics import FindColumn, statistics

_TICKS = frozenset({"BIGINT", "INT", "SMALLINT"})
_TIMES = frozenset({"TIMESTAMP", "TIMESTAMP_NTZ"})


def stream(
    node: nodes.CreateSource, findings: Findings, timestamps: bool = True
) -> StreamDeclaration:
    """The declaration of a stream, or of the log of a relation; mistakes are recorded, and what is
    wrong is left out. `timestamps`: the clock of the file, for a log without an order.
    """
    log = node.kind == "relation"
    columns = _columns(node, findings)
    refuse_later(node, findings)
    if node.version_by is not None:
        findings.error(
            "RF3003", "VERSION BY is for NRRs", node.version_by.span, "ORDER BY on a stream"
        )
    envelopes = node.revisions is not None and node.revisions.debezium
    ordered = not log or (node.order_by is not None and node.order_by.column is not None)
    order, timestamps = _order(node.order_by, columns, findings) if ordered else (None, timestamps)
    within = 0
    if node.order_by is not None and node.order_by.within is not None:
        within = units(node.order_by.within, timestamps, findings, "WITHIN", least=0) or 0
    declared = StreamDeclaration(
        name=node.name.text,
        columns=(*columns, OPERATION) if envelopes else columns,
        format=source_format(node, columns, findings),
        path=source_path(node, findings),
        options=options(node.source.options) if node.source else (),
        order=order,
        timestamps=timestamps,
        within=within,
        strict=node.order_by is not None and node.order_by.strict,
        key=_key(node.key, columns, findings),
        idle_after=(
            interval(node.idle_after.interval, findings, "IDLE AFTER") if node.idle_after else None
        ),
        max_ahead=_max_ahead(node, timestamps, findings),
        guarantees=frozenset(guarantee.kind for guarantee in node.guarantees),
        statistics=statistics(
            node, "log" if log else "stream", _finder(columns, findings), findings
        ),
        relation=log,
        envelopes=envelopes,
    )
    if log:
        refuse_on_relation(node, findings)
        return declared
    if node.elements is not None:
        return of_elements(node, declared, findings)
    return revisable(node, declared, findings)


def nrr(node: nodes.CreateSource, findings: Findings) -> NrrDeclaration:
    """The declaration of a non-retroactive relation."""
    columns = _columns(node, findings)
    refuse_later(node, findings)
    refuse_on_nrr(node, findings)
    return NrrDeclaration(
        name=node.name.text,
        columns=columns,
        format=source_format(node, columns, findings),
        path=source_path(node, findings),
        options=options(node.source.options) if node.source else (),
        key=_key(node.key, columns, findings),
        version_by=_version(node.version_by, columns, findings),
        statistics=statistics(node, "relation", _finder(columns, findings), findings),
    )


def options(given: tuple[nodes.Option, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((option.name, text_of(option.value)) for option in given))


# --- columns ---


def _columns(node: nodes.CreateSource, findings: Findings) -> Schema:
    seen: dict[str, str] = {}
    found: list[Column] = []
    for definition in node.columns:
        name = definition.name.text
        first = seen.get(name.casefold())
        if first is not None:
            message = f"the column `{name}` is declared twice"
            hint = "" if first == name else "two names must differ in more than case"
            findings.error("RF2008", message, definition.name.span, hint=hint)
            continue
        seen[name.casefold()] = name
        found.append(Column(name, _type(definition, findings)))
    return tuple(found)


def _type(definition: nodes.ColumnDefinition, findings: Findings) -> str:
    try:
        return read_type(definition.type).ddl
    except DdlError as error:
        findings.error(
            "RF2009",
            str(error),
            definition.type_span,
            "a type of Spark SQL, such as `BIGINT`, `DOUBLE` or `STRING`",
            nearest_type(error.word),
        )
        return "UNKNOWN"


def _column(name: nodes.Name, columns: Schema, findings: Findings) -> Column | None:
    """A declared column by name; None, with an error, where there is none."""
    match = lookup(name.text, columns, lambda c: c.name)
    if match.only is None:
        known = tuple(column.name for column in columns)
        findings.error(
            "RF2005",
            f"there is no column `{name.text}`",
            name.span,
            one_of(known),
            meant(name.text, known),
        )
    return match.only


def _finder(columns: Schema, findings: Findings) -> FindColumn:
    return lambda name: _column(name, columns, findings)


def _key(key: nodes.Key | None, columns: Schema, findings: Findings) -> tuple[str, ...]:
    if key is None:
        return ()
    found = (_column(name, columns, findings) for name in key.columns)
    return tuple(column.name for column in found if column is not None)


# --- order ---


def _order(
    order: nodes.OrderBy | None, columns: Schema, findings: Findings
) -> tuple[str | None, bool]:
    """The order column (None: arrival), and whether the clock is of timestamps."""
    if order is None or order.column is None:
        return None, True
    column = _column(order.column, columns, findings)
    if column is None or column.type in _TIMES | {"UNKNOWN"}:
        # An unknown column is taken for what the bound on disorder says.
        ticks = order.within is not None and order.within.ticks is not None
        return (column.name if column else None), not (ticks and column is None)
    if column.type in _TICKS:
        return column.name, False
    findings.error(
        "RF3001",
        f"`{column.name}` is a {column.type}: no stream can be ordered by it",
        order.column.span,
        "a column of type TIMESTAMP or BIGINT",
        "declare it as TIMESTAMP" if column.type in {"DATE", "STRING"} else "",
    )
    return None, column.type in {"DATE", "STRING"}


def ticks(node: nodes.CreateSource) -> bool | None:
    """Whether the order column of a stream or a relation counts in ticks; None where it has none,
    or none that is declared.
    """
    if node.kind == "stream" and node.elements is not None:
        return ticks_of(node)
    if node.kind == "nrr" or node.order_by is None or node.order_by.column is None:
        return None
    match = lookup(node.order_by.column.text, node.columns, lambda c: c.name.text)
    return None if match.only is None else match.only.type in _TICKS


def _version(version: nodes.VersionBy | None, columns: Schema, findings: Findings) -> str | None:
    if version is None:
        return None
    column = _column(version.column, columns, findings)
    if column is None:
        return None
    if column.type not in _TIMES | _TICKS | {"UNKNOWN"}:
        findings.error(
            "RF3003",
            f"`{column.name}` is a {column.type}: versions cannot be ordered by it",
            version.column.span,
            "a column of type TIMESTAMP or BIGINT",
        )
        return None
    return column.name


def _max_ahead(node: nodes.CreateSource, timestamps: bool, findings: Findings) -> int | None:
    if node.max_ahead is None:
        return None  # the planner gives the default: what is written counts for more
    return units(node.max_ahead.length, timestamps, findings, "MAX AHEAD")
