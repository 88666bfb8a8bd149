"""Evaluation by the definition: at every instant, the one-time query over the inputs' snapshots.

Between two instants at which some input changes nothing happens, so only those are evaluated. All
of them go into one statement (DuckDB: LATERAL); `one_at_a_time` asks one by one instead, for the
oracle's own tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import duckdb

from .history import History
from .multiplicity import Changes, add, canonical_row, net
from .query import NrrUse, Query, View, Windowed
from .windows import Element, Log, Window, intervals

Raw = tuple[Any, ...]
Placed = tuple[int, tuple[Any, ...], Raw]
"""A row with its order value and its place among those of the same, which ends with its number."""
Moment = tuple[int, Counter[Raw]]


@dataclass(frozen=True)
class Event:
    """A row and its validity. `ve` None: for ever."""

    row: int
    vs: int
    ve: int | None
    values: Raw


@dataclass(frozen=True)
class Result:
    """A query's multiplicity function, values as DuckDB gives them, and its columns."""

    types: tuple[str, ...]
    names: tuple[str, ...]
    changes: Mapping[Raw, Mapping[int, int]]


class Evaluator:
    """Evaluates queries over one history. The history may grow between calls."""

    def __init__(self, history: History, one_at_a_time: bool = False) -> None:
        self._history = history
        self._one_at_a_time = one_at_a_time
        self._database = duckdb.connect()
        # The optimiser loses columns of some nested LATERAL queries ("Failed to bind column
        # reference"), and the less is done to a query the better an oracle it is.
        self._database.execute("SET threads = 1; SET TimeZone = 'UTC'; PRAGMA disable_optimizer")
        self._numbers = count()

    def changes(self, query: Query, known: int | None = None, until: int | None = None) -> Changes:
        """The result over what had arrived up to the epoch `known`, for instants up to `until`.

        `until` is by default the largest order value seen in any stream.
        """
        last = self._history.now(known) if until is None else until
        if last is None:
            return {}
        result: Changes = {}
        for row, at in self._result(query, known, last).changes.items():
            for instant, weight in at.items():
                add(result, canonical_row(row), instant, weight)
        return net(result)

    def first(self, query: Query, known: int | None = None) -> int | None:
        """The order value of the first element that the query's streams had shown by then."""
        return self._history.first(query.streams(), known)

    def _result(self, query: Query, known: int | None, last: int) -> Result:
        tables, bounds = self._load(query, known, last)
        first = self.first(query, known)
        # Before the first element of its streams a query has no answer, not even COUNT 0.
        inside = {t for t in bounds | {first} if first <= t <= last} if first is not None else set()
        names, types, moments = self._answers(query, tables, sorted(inside))
        for table in tables.values():
            self._database.execute(f"DROP TABLE {table}")
        return Result(types, names, _report(query, moments))

    def _load(self, query: Query, known: int | None, last: int) -> tuple[dict[str, str], set[int]]:
        """A table per input and NRR, and the instants at which an input changes."""
        tables: dict[str, str] = {}
        bounds: set[int] = set()
        for name, item in query.inputs.items():
            columns, events = self._events(item, known, last)
            tables[name] = self._table(
                {"_row": "BIGINT", "_vs": "BIGINT", "_ve": "BIGINT"} | columns,
                [(e.row, e.vs, e.ve, *e.values) for e in events],
            )
            bounds |= {e.vs for e in events} | {e.ve for e in events if e.ve is not None}
        for name, use in query.nrrs.items():
            tables[name] = self._nrr(query, use, known)
        return tables, bounds

    def _events(
        self, item: Windowed, known: int | None, last: int
    ) -> tuple[dict[str, str], list[Event]]:
        if isinstance(item.source, Query):
            return self._reported(item, item.source, known, last)
        if isinstance(item.source, View):
            return self._viewed(item, item.source, known)
        columns = dict(self._history.streams[item.source].columns)
        if self._history.streams[item.source].elements:
            return self._told(item.source, known)
        events = _events(item.window, columns, self._arrived(item.source, known))
        return (
            _contents(item.window, columns, events)
            if isinstance(item.window, Log)
            else (columns, events)
        )

    def _told(self, stream: str, known: int | None) -> tuple[dict[str, str], list[Event]]:
        """Events of a stream of elements have lifetimes of their own."""
        schema = self._history.streams[stream]
        events = self._history.told(stream, known).events
        columns = {name: schema.columns[name] for name in schema.values()}
        return columns, [Event(number, vs, ve, values) for vs, ve, values, number in events]

    def _arrived(self, stream: str, known: int | None) -> list[Placed]:
        number = list(self._history.streams).index(stream)
        names = self._history.streams[stream].columns
        return [
            (
                self._history.order_of(stream, arrival),
                (arrival.epoch, number, row),
                tuple(arrival.values.get(name) for name in names),
            )
            for row, arrival in self._history.arrived(stream, known)
        ]

    def _viewed(
        self, item: Windowed, view: View, known: int | None
    ) -> tuple[dict[str, str], list[Event]]:
        """The rows that a view gives, at the places of the rows that they are made of."""
        columns: dict[str, str] = {}
        placed: list[Placed] = []
        for branch in view.branches:
            arrived = self._arrived(branch.stream, known)
            loaded = [(at, row, *values) for at, (*_, row), values in arrived]
            schema = dict(self._history.streams[branch.stream].columns)
            table = self._table({"_at": "BIGINT", "_number": "BIGINT"} | schema, loaded)
            found = self._database.execute(branch.sql.replace("{}", table))
            rows = found.fetchall()
            columns = columns or {str(c[0]): str(c[1]) for c in found.description[1:]}
            places = {row: (at, (*more, row)) for at, (*more, row), _ in arrived}
            placed += [(*places[row[0]], row[1:]) for row in rows]
            self._database.execute(f"DROP TABLE {table}")
        return columns, _events(item.window, columns, placed)

    def _reported(
        self, item: Windowed, inner: Query, known: int | None, last: int
    ) -> tuple[dict[str, str], list[Event]]:
        result = self._result(inner, known, last)
        columns = dict(zip(result.names, result.types, strict=True))
        # Rows that are reported at one instant have no order of arrival: that of their values.
        ranks = {v: n for n, v in enumerate(sorted(result.changes, key=_by_values))}
        placed = [
            (instant, (ranks[values],), values)
            for values, at in result.changes.items()
            for instant, times in at.items()
            for _ in range(times)
        ]
        return columns, _events(item.window, columns, placed)

    def _nrr(self, query: Query, use: NrrUse, known: int | None) -> str:
        source = query.inputs[use.input].source
        assert isinstance(source, str), "an NRR is met by the rows of a base stream"
        columns = self._history.nrrs[use.nrr].columns
        rows = [
            (row, *(version.get(name) for name in columns))
            for row, arrival in self._history.arrived(source, known)
            for version in self._history.visible(
                use.nrr, arrival.met, self._history.order_of(source, arrival)
            )
        ]
        return self._table({"_row": "BIGINT"} | dict(columns), rows)

    def _table(self, columns: Mapping[str, str], rows: Sequence[Raw]) -> str:
        name = f"t{next(self._numbers)}"
        declared = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
        self._database.execute(f"CREATE TABLE {name} ({declared})")
        if rows:
            kinds = list(columns.values())
            place = f"({', '.join('?' * len(columns))})"
            values = [_stored(v, kind) for row in rows for v, kind in zip(row, kinds, strict=True)]
            self._database.execute(
                f"INSERT INTO {name} VALUES {', '.join([place] * len(rows))}", values
            )
        return name

    def _answers(
        self, query: Query, tables: Mapping[str, str], instants: list[int]
    ) -> tuple[tuple[str, ...], tuple[str, ...], list[Moment]]:
        """Names, types, and the answer at each of the instants."""
        described = self._database.execute(
            f"SELECT * FROM ({_at('0', query, tables)}) LIMIT 0"
        ).description
        answers: dict[int, Counter[Raw]] = {instant: Counter() for instant in instants}
        for instant, row in self._rows(query, tables, instants):
            answers[instant][row] += 1
        names = tuple(column[0] for column in described)
        return names, tuple(str(column[1]) for column in described), list(answers.items())

    def _rows(
        self, query: Query, tables: Mapping[str, str], instants: list[int]
    ) -> Iterator[tuple[int, Raw]]:
        if self._one_at_a_time:
            for instant in instants:
                for row in self._database.execute(_at(str(instant), query, tables)).fetchall():
                    yield instant, row
        elif instants:
            listed = ", ".join(f"({instant}::BIGINT)" for instant in instants)
            statement = (
                f"SELECT _i._t, _q.* FROM (VALUES {listed}) AS _i(_t),"
                f" LATERAL ({_at('_i._t', query, tables)}) AS _q"
            )
            for row in self._database.execute(statement).fetchall():
                yield row[0], row[1:]


def _events(window: Window, columns: Mapping[str, str], placed: Sequence[Placed]) -> list[Event]:
    """The rows with the intervals that a window gives them."""
    ordered = sorted(placed, key=lambda each: (*each[:2], _by_values(each[2])))
    elements: list[Element] = [
        (at, dict(zip(columns, values, strict=True))) for at, _, values in ordered
    ]
    pairs = zip(ordered, intervals(window, elements), strict=True)
    return [
        Event(place[-1], valid[0], valid[1], values)
        for (_, place, values), valid in pairs
        if valid is not None
    ]


def _contents(
    log: Log, columns: dict[str, str], events: list[Event]
) -> tuple[dict[str, str], list[Event]]:
    """The rows without the columns that tell when and how they change."""
    kept = [n for n, name in enumerate(columns) if name not in (*log.hidden, log.operation)]
    names = list(columns)
    rows = [replace(e, values=tuple(e.values[n] for n in kept)) for e in events]
    return {names[n]: columns[names[n]] for n in kept}, rows


def _by_values(row: Sequence[Any]) -> list[tuple[bool, Any]]:
    """NULL before all others."""
    return [(value is not None, 0 if value is None else value) for value in row]


def _at(instant: str, query: Query, tables: Mapping[str, str]) -> str:
    """The query over the snapshots at `instant`."""
    snapshots = [
        f"{name} AS (SELECT * EXCLUDE (_ve) FROM {tables[name]}"
        f" WHERE _vs <= {instant} AND (_ve IS NULL OR {instant} < _ve))"
        for name in query.inputs
    ]
    relations = [f"{name} AS (SELECT * FROM {tables[name]})" for name in query.nrrs]
    return f"WITH {', '.join(snapshots + relations)} SELECT * FROM ({query.sql})"


def _report(query: Query, moments: list[Moment]) -> dict[Raw, dict[int, int]]:
    changes: dict[Raw, dict[int, int]] = {}
    before: Counter[Raw] = Counter()
    for instant, now in moments:
        moved = {row: now[row] - before[row] for row in now | before if now[row] != before[row]}
        if query.report == "istream":
            moved = {row: rise for row, rise in moved.items() if rise > 0}
        elif query.report == "dstream":
            moved = {row: -fall for row, fall in moved.items() if fall < 0}
        elif query.report == "rstream" and moved:
            moved = dict(now)
        for row, weight in moved.items():
            changes.setdefault(row, {})[instant] = weight
        before = now
    return changes


def _stored(value: Any, kind: str) -> Any:
    if kind == "TIMESTAMP" and isinstance(value, int):
        return datetime(1970, 1, 1) + timedelta(microseconds=value)
    return value
