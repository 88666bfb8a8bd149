"""Scripts of the STREAM prototype, read where they lie and translated to Reflow's CQL.

A script registers streams and relations, names their input files and gives one query; a view is a
query whose columns are named by a second line. The prototype's `/` on integers is `DIV` here, `*`
leaves out the order value, and a join says `[UNBOUNDED]` where the prototype means it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..oracle.multiplicity import Changes, add
from .material import FOLDER

STREAM = FOLDER / "stream"
TYPES = {"integer": "BIGINT", "float": "DOUBLE", "byte": "STRING"}
ORDER = "t_"
SIGN = "sign_"

REGISTERED = re.compile(
    r"register (?P<kind>stream|relation) (?P<name>\w+) \((?P<columns>.*)\)", re.IGNORECASE
)
TABLE = re.compile(r"\s*(?P<name>\w+)(?P<window> \[[^\]]*\])?(?: as (?P<alias>\w+))?\s*", re.I)
QUERY = re.compile(
    r"(?P<head>select .*?) from (?P<tables>.*?)(?P<tail> (?:where|group) .*)?", re.IGNORECASE
)


@dataclass(frozen=True)
class Stream:
    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    data: Path
    relation: bool = False


@dataclass(frozen=True)
class Script:
    """One script: its streams, and its statements in the prototype's CQL."""

    streams: tuple[Stream, ...]
    views: tuple[tuple[str, tuple[str, ...], str], ...]
    query: str


def read(number: int) -> Script:
    """The script `testN`."""
    streams: list[Stream] = []
    views: list[tuple[str, tuple[str, ...], str]] = []
    query = waiting = ""
    registered: tuple[str, tuple[str, ...], tuple[str, ...]] = ("", (), ())
    relation = False
    for keyword, value in lines((STREAM / "scripts" / f"test{number}").read_text()):
        if keyword == "table":
            registered = _registered(value)
            relation = value.lower().startswith("register relation")
        elif keyword == "source":
            streams.append(Stream(*registered, STREAM / "data" / Path(value).name, relation))
        elif keyword == "vquery":
            waiting = value
        elif keyword == "vtable":
            name, columns, _ = _registered(value)
            views.append((name, columns, waiting))
        elif keyword == "query":
            query = value
    return Script(tuple(streams), tuple(views), query)


def lines(text: str) -> list[tuple[str, str]]:
    pairs = [line.split(":", 1) for line in text.splitlines() if not line.startswith("#")]
    return [(pair[0].strip(), pair[1].strip().rstrip(";")) for pair in pairs if len(pair) == 2]


def _registered(text: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    found = REGISTERED.fullmatch(text)
    assert found is not None, text
    columns = [column.split() for column in found["columns"].split(",")]
    names = tuple(column[0] for column in columns)
    return found["name"], names, tuple(TYPES.get(column[1], "STRING") for column in columns)


def cql(script: Script) -> str:
    """The script as one .cql text; data lies at `{dir}/in/<stream>`, the answer goes to a LOG."""
    columns = {stream.name: stream.columns for stream in script.streams}
    columns |= {name: names for name, names, _ in script.views}
    statements = [_declaration(stream) for stream in script.streams]
    for name, names, query in script.views:
        statements.append(f"CREATE VIEW {name} AS {_query(query, columns, names)};")
    query = _query(script.query, columns)
    statements.append(f"CREATE QUERY q AS {query} INTO LOG '{{dir}}/out/q.log';")
    return "\n".join([*statements, ""])


def _declaration(stream: Stream) -> str:
    columns = ", ".join(f"{n} {t}" for n, t in zip(stream.columns, stream.types, strict=True))
    if stream.relation:
        return (
            f"CREATE RELATION {stream.name} ({ORDER} BIGINT, {SIGN} STRING, {columns},"
            f" ORDER BY {ORDER}) FROM CSV '{{dir}}/in/{stream.name}'"
            f" REVISIONS BY {SIGN} (INSERT '+', DELETE '-');"
        )
    return (
        f"CREATE STREAM {stream.name} ({ORDER} BIGINT, {columns}, ORDER BY {ORDER})"
        f" FROM CSV '{{dir}}/in/{stream.name}';"
    )


def _query(text: str, columns: dict[str, tuple[str, ...]], names: Sequence[str] = ()) -> str:
    """A query with its stars spelt out; `names` rename its columns, by position."""
    report = re.fullmatch(r"(rstream|istream)\s*\((.*)\)", text, re.IGNORECASE)
    if report is not None:
        return f"{report[1].upper()} ({_query(report[2], columns)})"
    text = re.sub(r"(\b[\w.]+)\s*/\s*(\d+)", r"\1 DIV \2", text)
    found = QUERY.fullmatch(text)
    assert found is not None, text
    tables = [TABLE.fullmatch(part) for part in found["tables"].split(",")]
    items = [_item(table, joined=len(tables) > 1) for table in tables if table is not None]
    head = found["head"]
    if head.endswith("*"):
        head = head[:-1] + ", ".join(
            f"{table['alias'] or table['name']}.{column}"
            for table in tables
            if table is not None
            for column in columns[table["name"]]
        )
    if names:
        selected = zip(re.sub(r"(?i)^select ", "", head).split(","), names, strict=True)
        head = "SELECT " + ", ".join(f"{expression.strip()} AS {n}" for expression, n in selected)
    return f"{head} FROM {', '.join(items)}{found['tail'] or ''}"


def _item(table: re.Match[str], joined: bool) -> str:
    window = table["window"] or (" [UNBOUNDED]" if joined else "")
    alias = f" AS {table['alias']}" if table["alias"] else ""
    return f"{table['name']}{window}{alias}"


def write_data(stream: Stream, directory: Path) -> None:
    """The stream's rows as CSV, without the line of types that the prototype's files begin with."""
    _, *rows = stream.data.read_text().splitlines(keepends=True)
    folder = directory / "in" / stream.name
    folder.mkdir(parents=True)
    (folder / "rows.csv").write_text("".join(rows))


def golden_text(number: int) -> str:
    return (STREAM / "golden" / f"test{number}").read_text()


def with_last_instant(number: int, golden: Changes) -> Changes:
    """Test 4's log lacks its last instant, which the prototype never closes."""
    if number == 4:
        add(golden, ("9999", "9999"), 9999, 1)
    return golden
