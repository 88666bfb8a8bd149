"""A case in two forms: arrivals and a query for the oracle, one .cql text for Reflow."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from ..oracle.history import History, NrrSchema, StreamSchema
from ..oracle.query import NrrUse, Query, Report, Windowed
from ..oracle.windows import Log, Now, Range, Rows, Unbounded, Window
from .cases import COUNT, PARTITIONED, RELATION, Case

REPORTS: Final[Mapping[str, Report]] = MappingProxyType(
    {"ISTREAM": "istream", "DSTREAM": "dstream", "RSTREAM": "rstream"}
)


def oracle_form(case: Case) -> tuple[History, Query]:
    """What arrives, all in one epoch, and the query."""
    streams, nrrs = {}, {}
    for name, table in case.inputs.items():
        columns = {"instant": "BIGINT"} | _types(table)
        if name == case.nrr:
            nrrs[name] = NrrSchema(name, columns, (table["cols"][0],), "instant")
        else:
            logged = "_op" in _names(case, name)
            told = {"instant": "BIGINT", "_op": "VARCHAR"} | columns if logged else columns
            streams[name] = StreamSchema(name, told, "instant", logged)
    history = History(streams, nrrs)
    for name in case.inputs:
        if name == case.nrr:
            history.replace(1, name, rows(case, name))
        else:
            history.arrive(1, name, rows(case, name))
    return history, _oracle_query(case)


def _oracle_query(case: Case) -> Query:
    inputs = {
        alias: Windowed(source, _window(spec, case.inputs[source]["cols"]))
        for alias, (source, spec) in case.windows.items()
        if alias != case.nrr
    }
    report = REPORTS.get(case.out)
    if case.nrr is None:
        return Query(_without_stars(case), inputs, report=report)
    (stream,) = inputs
    sql = f"{case.sql} AND {case.nrr}._row = {stream}._row"
    return Query(sql, inputs, {case.nrr: NrrUse(case.nrr, stream)}, report)


def _without_stars(case: Case) -> str:
    """The oracle's tables have columns of its own: a star is spelt out."""

    def spelt(found: re.Match[str]) -> str:
        columns = case.inputs[case.windows[found[1]][0]]["cols"]
        return f"SELECT {', '.join(columns)} FROM {found[1]}"

    return re.sub(r"SELECT \* FROM (\w+)", spelt, case.sql)


def _window(spec: Sequence[Any], columns: Sequence[str]) -> Window:
    if spec[0] == "RANGE":
        return Range(spec[1])
    if spec[0] == RELATION:
        return Log((), "_op", {"+": "insert", "-": "delete"}, ("instant",))
    if spec[0] == COUNT:
        return Rows(spec[1])
    if spec[0] == PARTITIONED:
        return Rows(spec[2], tuple(columns[key] for key in spec[1]))
    return Now() if spec[0] == "NOW" else Unbounded()


def rows(case: Case, name: str) -> list[dict[str, Any]]:
    """An input's rows as mappings, the instant in `instant`."""
    return [dict(zip(_names(case, name), row, strict=True)) for row in case.inputs[name]["rows"]]


def _names(case: Case, name: str) -> list[str]:
    """The names of a row's values: a relation's log has a sign after the instant."""
    kinds = {spec[0] for source, spec in case.windows.values() if source == name}
    return ["instant", *(["_op"] if RELATION in kinds else []), *case.inputs[name]["cols"]]


def _types(table: Mapping[str, Any], text: str = "VARCHAR") -> dict[str, str]:
    first = table["rows"][0][-len(table["cols"]) :]
    return {
        name: text if isinstance(value, str) else "BIGINT"
        for name, value in zip(table["cols"], first, strict=True)
    }


def cql(case: Case) -> str:
    """The case as one .cql text; its answer goes to a LOG."""
    declared = [_declaration(case, name) for name in case.inputs]
    query = _with_windows(case)
    if case.out != "REL":
        query = f"{case.out} ({query})"
    return "\n".join([*declared, f"CREATE QUERY q AS {query} INTO LOG '{{dir}}/out/q.log';", ""])


def _declaration(case: Case, name: str) -> str:
    table = case.inputs[name]
    columns = ", ".join(f"{c} {kind}" for c, kind in _types(table, "STRING").items())
    if name == case.nrr:
        key = table["cols"][0]
        return (
            f"CREATE NRR {name} (instant BIGINT, {columns}, KEY ({key}), VERSION BY instant)"
            f" FROM JSON '{{dir}}/nrr/{name}';"
        )
    if "_op" in _names(case, name):
        return (
            f"CREATE RELATION {name} (instant BIGINT, _op STRING, {columns}, ORDER BY instant)"
            f" FROM JSON '{{dir}}/in/{name}' REVISIONS BY _op (INSERT '+', DELETE '-');"
        )
    return (
        f"CREATE STREAM {name} (instant BIGINT, {columns}, ORDER BY instant)"
        f" FROM JSON '{{dir}}/in/{name}';"
    )


def _with_windows(case: Case) -> str:
    """The query's SQL with each name after a FROM followed by its window."""

    def windowed(found: re.Match[str]) -> str:
        names = [name.strip() for name in found[1].split(",")]
        return f"FROM {', '.join(name + _window_text(case, name) for name in names)}"

    return re.sub(r"\bFROM\s+([\w, ]+?)(?=\s+(?:WHERE|GROUP|EXCEPT)\b|\)|$)", windowed, case.sql)


def _window_text(case: Case, alias: str) -> str:
    kind, *arguments = case.windows[alias][1]
    if alias == case.nrr:
        return ""
    if kind == COUNT:
        return f" [ROWS {arguments[0]}]"
    if kind == PARTITIONED:
        keys, count = arguments
        columns = case.inputs[case.windows[alias][0]]["cols"]
        return f" [PARTITION BY {', '.join(columns[k] for k in keys)} ROWS {count}]"
    if kind == RELATION:
        return ""
    return f" [{' '.join(str(part) for part in (kind, *arguments))}]"
