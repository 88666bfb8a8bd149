"""The Linear Road script of the STREAM prototype: read, and said in Reflow's CQL and the oracle's.

The prototype's `Union` and `Except` are those of bags; `/` of integers is DIV; a view that is
registered as a stream may have a window, one that is registered as a relation has none. Seconds are
ticks. The toll of a segment is asked from 50 vehicles on: `busy` puts another number there, so that
a few vehicles are enough.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

from ..oracle.query import Query, Windowed
from ..oracle.windows import Now, Range, Rows, Unbounded, Window
from .material import FOLDER
from .scripts import ORDER, QUERY, lines

SCRIPT = FOLDER / "stream" / "examples" / "scripts" / "linearroad"

_REGISTERED = re.compile(
    r"register (?P<kind>stream|relation) (?P<name>\w+) \((?P<columns>.*)\)", re.I
)
_REPORT = re.compile(r"(?P<report>[ir]stream)\s*\((?P<query>.*)\)", re.I)
_COMBINED = re.compile(r"(?P<left>\w+) (?P<how>union|except) (?P<right>\w+)", re.I)
_TABLE = re.compile(
    r"\s*(?P<name>\w+)\s*(?:\[(?P<window>[^\]]*)\])?(?: as (?P<alias>\w+))?\s*", re.I
)
_INTO = "INTO PARQUET '{{dir}}/out/{}' AS CHANGELOG;"
_SECONDS = {"second": 1, "minute": 60, "hour": 3600}

Report = Literal["istream", "rstream"]


@dataclass(frozen=True)
class Table:
    """An item of FROM; `window` as the prototype writes it, None where there is none."""

    name: str
    window: str | None
    alias: str


@dataclass(frozen=True)
class Statement:
    """A view, or an output. A query has `head`, `tables` and `tail`; a combination `how` and two
    tables.
    """

    name: str
    stream: bool
    columns: tuple[str, ...]
    report: Report | None
    head: str
    tables: tuple[Table, ...]
    tail: str = ""
    how: str = ""


@dataclass(frozen=True)
class Script:
    """The base streams with their columns, and all statements in order; outputs are among them."""

    streams: Mapping[str, tuple[str, ...]]
    statements: Mapping[str, Statement]
    outputs: tuple[str, ...]


def read(busy: int = 50) -> Script:
    """The script, or the same for segments that count as busy above so many vehicles."""
    streams: dict[str, tuple[str, ...]] = {}
    statements: dict[str, Statement] = {}
    outputs: list[str] = []
    waiting = ""
    for keyword, value in lines(SCRIPT.read_text()):
        if keyword in ("vquery", "query"):
            waiting = re.sub(r"\b50\b", str(busy), value.strip().rstrip(";").strip())
        elif keyword == "table":
            _, name, columns = _registered(value)
            streams[name] = columns
        elif keyword == "vtable":
            kind, name, columns = _registered(value)
            # SM5AvgRel is registered as a stream, though it is a relation: it has groups.
            stream = kind == "stream" and "group by" not in waiting.lower()
            statements[name] = _statement(name, stream, columns, waiting)
        elif keyword == "dest":
            statements[value] = _statement(value, False, (), waiting)
            outputs.append(value)
    return Script(streams, statements, tuple(outputs))


def _registered(text: str) -> tuple[str, str, tuple[str, ...]]:
    found = _REGISTERED.fullmatch(text.strip().rstrip(";").strip())
    assert found is not None, text
    columns = tuple(column.split()[0] for column in found["columns"].split(","))
    return found["kind"].lower(), found["name"], columns


def _statement(name: str, stream: bool, columns: tuple[str, ...], text: str) -> Statement:
    combined = _COMBINED.fullmatch(text)
    if combined is not None:
        tables = tuple(Table(combined[side], None, combined[side]) for side in ("left", "right"))
        return Statement(name, stream, columns, None, "", tables, how=combined["how"].lower())
    report: Any = None
    reported = _REPORT.fullmatch(text)
    if reported is not None:
        report, text = reported["report"].lower(), reported["query"].strip()
    found = QUERY.fullmatch(text)
    assert found is not None, text
    tables = tuple(_table(part) for part in found["tables"].split(","))
    head = re.sub(r"(?i)^select ", "", found["head"])
    return Statement(name, stream, columns, report, head, tables, found["tail"] or "")


def _table(text: str) -> Table:
    found = _TABLE.fullmatch(text)
    assert found is not None, text
    return Table(found["name"], found["window"], found["alias"] or found["name"])


def needed(script: Script, name: str) -> list[str]:
    """The statements that one is made of, itself last, in the order of the script."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one in script.statements and one not in found:
            found.add(one)
            waiting += [table.name for table in script.statements[one].tables]
    return [known for known in script.statements if known in found]


# --- Reflow's CQL --------------------------------------------------------------------------------


def cql(script: Script, names: tuple[str, ...]) -> str:
    """One text that answers these statements: an output under its name, a view under `q_` and its
    name.
    """
    wanted = {known for name in names for known in needed(script, name)}
    texts = ["SET unbounded_state = 'allow';"]
    for stream, columns in script.streams.items():
        declared = ", ".join(f"{column} BIGINT" for column in columns)
        texts.append(
            f"CREATE STREAM {stream} ({ORDER} BIGINT, {declared}, ORDER BY {ORDER})"
            f" FROM CSV '{{dir}}/in/{stream}';"
        )
    for name, statement in script.statements.items():
        if name in wanted:
            body = _cql(script, statement)
            if name in script.outputs:
                texts.append(f"CREATE QUERY {name} AS {body} {_INTO.format(name)}")
            else:
                texts.append(f"CREATE VIEW {name} AS {body};")
    for name in names:
        if name not in script.outputs:
            text = f"CREATE QUERY q_{name} AS SELECT * FROM {name}"
            texts.append(f"{text} {_INTO.format(f'q_{name}')}")
    return "\n".join([*texts, ""])


def _cql(script: Script, statement: Statement) -> str:
    if statement.how:
        left, right = (_whole(script, table.name) for table in statement.tables)
        return f"SELECT {left} {statement.how.upper()} ALL SELECT {right}"
    head = _renamed(statement, " DIV ")
    tables = ", ".join(_item(script, statement, table) for table in statement.tables)
    query = f"SELECT {head} FROM {tables}{statement.tail}"
    return f"{statement.report.upper()} ({query})" if statement.report else query


def _whole(script: Script, name: str) -> str:
    """All columns of a name but the order field, which the prototype does not show."""
    return f"{', '.join(_columns(script, name))} FROM {name}"


def _columns(script: Script, name: str) -> tuple[str, ...]:
    return script.streams[name] if name in script.streams else script.statements[name].columns


def _renamed(statement: Statement, divide: str) -> str:
    """The select list with the names that the view gives its columns."""
    head = re.sub(r"(\b[\w.]+)\s*/\s*(\d+)", rf"\1{divide}\2", statement.head)
    if head.split()[-1] == "*":
        return head
    items = head.split(",")
    names = statement.columns or tuple(f"c{i}" for i in range(len(items)))
    return ", ".join(f"{item.strip()} AS {n}" for item, n in zip(items, names, strict=True))


def _item(script: Script, statement: Statement, table: Table) -> str:
    window = ""
    if table.window is not None:
        window = f" [{_window_text(table.window)}]"
    elif len(statement.tables) > 1 and _is_stream(script, table.name):
        window = " [UNBOUNDED]"
    alias = f" AS {table.alias}" if table.alias != table.name else ""
    return f"{table.name}{window}{alias}"


def _is_stream(script: Script, name: str) -> bool:
    return name in script.streams or script.statements[name].stream


def _window_text(text: str) -> str:
    length = _length(text)
    return text if length is None else f"RANGE {length}"


def _length(text: str) -> int | None:
    found = re.fullmatch(r"range (\d+) (\w+?)s?", text.strip(), re.I)
    return None if found is None else int(found[1]) * _SECONDS[found[2].lower()]


# --- The oracle's form ---------------------------------------------------------------------------


def oracle_form(script: Script, name: str) -> Query:
    """A statement as a query of the oracle."""
    numbers = count()
    inputs: dict[str, Windowed] = {}
    statement = script.statements[name]
    sql = _sql(script, statement, inputs, numbers)
    return Query(sql, inputs, report=statement.report)


def _sql(
    script: Script, statement: Statement, inputs: dict[str, Windowed], numbers: Iterator[int]
) -> str:
    if statement.how:
        left, right = (
            f"SELECT {', '.join(_columns(script, table.name))}"
            f" FROM {_source(script, table, inputs, numbers)}"
            for table in statement.tables
        )
        return f"{left} {statement.how.upper()} ALL {right}"
    tables = ", ".join(_source(script, table, inputs, numbers) for table in statement.tables)
    return f"SELECT {_renamed(statement, ' // ')} FROM {tables}{statement.tail}"


def _source(
    script: Script, table: Table, inputs: dict[str, Windowed], numbers: Iterator[int]
) -> str:
    """A table of FROM: an input of its own for a stream, the query itself for a relation."""
    if not _is_stream(script, table.name):
        sql = _sql(script, script.statements[table.name], inputs, numbers)
        if script.statements[table.name].report is None:
            return f"({sql}) AS {table.alias}"
    name = f"i{next(numbers)}"
    inputs[name] = Windowed(_stream(script, table.name), _window(table.window))
    columns = ", ".join(_columns(script, table.name))
    return f"(SELECT {columns} FROM {name}) AS {table.alias}"


def _stream(script: Script, name: str) -> str | Query:
    """A base stream, or a view of streams as the elements that enter it."""
    if name in script.streams:
        return name
    statement = script.statements[name]
    query = oracle_form(script, name)
    return Query(query.sql, query.inputs, report=statement.report or "istream")


def _window(text: str | None) -> Window:
    if text is None:
        return Unbounded()
    length = _length(text)
    if length is not None:
        return Range(length)
    if text.strip().lower() == "now":
        return Now()
    found = re.fullmatch(r"(?:partition by (?:\w+\.)?(\w+) )?rows (\d+)", text.strip(), re.I)
    assert found is not None, text
    return Rows(int(found[2]), (found[1],) if found[1] else ())


# --- A small input -------------------------------------------------------------------------------

MINUTES, VEHICLES, SEGMENTS = 7, 9, 3


def traffic(script: Script, seed: int = 1) -> dict[str, list[dict[str, Any]]]:
    """A few minutes on one road: vehicles report every 30 seconds, two of them have an accident in
    segment 1, some ask for their balance.
    """
    chance = random.Random(seed)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in script.streams}
    for minute in range(MINUTES):
        at = minute * 60
        rows["MinStr"].append({ORDER: at, "Mnt": minute})
        rows["MinEndStr"].append({ORDER: at + 59, "Mnt": minute})
        for direction in (0, 1):
            for segment in range(SEGMENTS):
                place = {"XWay": 0, "Dir": direction, "Seg": segment}
                rows["MinSegStr"].append({ORDER: at, "Mnt": minute} | place)
    for vehicle in range(VEHICLES):
        rows["CommonInputStr"] += _journey(chance, vehicle)
    for name in rows:
        rows[name].sort(key=lambda row: row[ORDER])
    return rows


def _journey(chance: random.Random, vehicle: int) -> Iterator[dict[str, Any]]:
    direction, start = vehicle % 2, chance.randrange(0, 30)
    stopped = vehicle in (2, 4)  # both eastbound, at the same position
    position = 5280 + 100 if stopped else chance.randrange(0, 5280)
    for at in range(start, MINUTES * 60, 30):
        leaving = at + 30 >= MINUTES * 60
        yield _report_of(chance, vehicle, direction, position, at, lane=4 if leaving else 1)
        if chance.random() < 0.6:
            yield _report_of(chance, vehicle, direction, position, at + 3, lane=1) | {"Type": 2}
        if not stopped:
            position = (position + chance.randrange(0, 2000)) % (SEGMENTS * 5280)


def _report_of(
    chance: random.Random, vehicle: int, direction: int, position: int, at: int, lane: int
) -> dict[str, Any]:
    zeros = dict.fromkeys(("Qid", "Sinit", "Send", "Dow", "Tod", "Dy"), 0)
    return {
        **zeros,
        ORDER: at,
        "Type": 0,
        "Scd": at,
        "Vid": vehicle,
        "Speed": chance.randrange(10, 45),
        "XWay": 0,
        "Lane": lane,
        "Dir": direction,
        "Seg": position // 5280,
        "Pos": position,
        "Qid": at * 10 + vehicle,
    }
