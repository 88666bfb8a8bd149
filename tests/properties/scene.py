"""What the queries of a case draw on: streams, views, relations, and the unit of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..oracle.history import NrrSchema, StreamSchema
from ..oracle.query import Branch
from ..oracle.query import View as OracleView
from ..oracle.windows import Now, Range, Rows, Session, Unbounded, Window, tumble
from .draw import Draw
from .expressions import predicate, scalar
from .texts import Column, oracle_text

DUCKDB = {"STRING": "VARCHAR", "INT": "INTEGER"}
KINDS = {"STRING": "text", "INT": "int", "BIGINT": "int", "DOUBLE": "real", "TIMESTAMP": "time"}
SECOND = 1_000_000


@dataclass(frozen=True)
class Stream:
    """A base stream: columns with Spark's types, the bound on disorder in units of time."""

    name: str
    columns: tuple[tuple[str, str], ...]
    within: int

    def named(self) -> tuple[Column, ...]:
        return tuple(Column(quoted(name), KINDS[kind]) for name, kind in self.columns)


@dataclass(frozen=True)
class Nrr:
    """A relation; with `versioned` its rows hold since the value of `since`."""

    name: str
    columns: tuple[tuple[str, str], ...]
    versioned: bool

    def named(self) -> tuple[Column, ...]:
        return tuple(Column(name, KINDS[kind]) for name, kind in self.columns)


@dataclass(frozen=True)
class View:
    """A stateless view of a stream: which columns, under which condition."""

    name: str
    stream: Stream
    columns: tuple[tuple[str, Column], ...]
    condition: str

    def cql(self) -> str:
        return f"CREATE VIEW {self.name} AS {self._select(self.stream.name)};"

    def sql(self, table: str) -> str:
        return f"({oracle_text(self._select(table))})"

    def oracle(self) -> OracleView:
        """For windows whose rows are the view's."""
        listed, condition = oracle_text(self._listed()), oracle_text(self.condition)
        return OracleView((Branch.of(self.stream.name, listed, condition),))

    def named(self) -> tuple[Column, ...]:
        return tuple(Column(name, column.kind) for name, column in self.columns)

    def _select(self, table: str) -> str:
        return f"SELECT {self._listed()} FROM {table} WHERE {self.condition}"

    def _listed(self) -> str:
        return ", ".join(f"{column.name} AS {name}" for name, column in self.columns)


@dataclass(frozen=True)
class Scene:
    """One file's declarations. `timestamps`: order values are times, and a unit is a second."""

    timestamps: bool
    streams: tuple[Stream, ...]
    views: tuple[View, ...]
    nrrs: tuple[Nrr, ...]

    @property
    def unit(self) -> int:
        return SECOND if self.timestamps else 1

    def length(self, units: int) -> str:
        return f"{units} SECONDS" if self.timestamps else str(units)

    def window(self, draw: Draw, short: bool = False) -> tuple[str, Window]:
        """A window as CQL and for the oracle."""
        length = draw.number(1, 6 if short else 18)
        slide = draw.number(1, 7)
        u, text = self.unit, self.length
        options: list[tuple[int, tuple[str, Window]]] = [
            (5, (f"[RANGE {text(length)}]", Range(length * u))),
            (3, (f"[RANGE {text(length)} SLIDE {text(slide)}]", Range(length * u, slide * u))),
            (1, (f"[TUMBLE {text(length)}]", tumble(length * u))),
            (1, ("[NOW]", Now())),
            (0 if short else 2, ("[UNBOUNDED]", Unbounded())),
        ]
        return draw.weighted(options)

    def row_window(self, draw: Draw, columns: Sequence[Column]) -> tuple[str, Window]:
        """A window in which later rows decide, over a stream with these columns."""
        count, slide = draw.number(1, 6), draw.number(1, 4)
        length, gap = draw.number(1, 18), draw.number(1, 6)
        keys = draw.some(columns, 2)
        listed = ", ".join(key.name for key in keys)
        by = tuple(key.name.strip('"') for key in keys)
        u, text, divided = self.unit, self.length, f"PARTITION BY {listed} ROWS {count}"
        options: list[tuple[int, tuple[str, Window]]] = [
            (3, (f"[ROWS {count}]", Rows(count))),
            (2, (f"[ROWS {count} SLIDE {slide}]", Rows(count, (), slide))),
            (3, (f"[{divided}]", Rows(count, by))),
            (1, (f"[{divided} SLIDE {slide}]", Rows(count, by, slide))),
            (2, (f"[{divided} RANGE {text(length)}]", Rows(count, by, 1, length * u))),
            (3, (f"[SESSION {text(gap)} BY {listed}]", Session(gap * u, by))),
        ]
        return draw.weighted(options)

    def declarations(self) -> list[str]:
        return [
            *(self._stream(stream) for stream in self.streams),
            *(self._nrr(nrr) for nrr in self.nrrs),
            *(view.cql() for view in self.views),
        ]

    def _stream(self, stream: Stream) -> str:
        columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in stream.columns)
        within = f" WITHIN {self.length(stream.within)}" if stream.within else ""
        return (
            f"CREATE STREAM {stream.name} ({columns}, ORDER BY ts{within})"
            f" FROM JSON '{{dir}}/in/{stream.name}';"
        )

    def _nrr(self, nrr: Nrr) -> str:
        columns = ", ".join(f"{name} {kind}" for name, kind in nrr.columns)
        version = ", VERSION BY since" if nrr.versioned else ""
        return (
            f"CREATE NRR {nrr.name} ({columns}, KEY (k){version})"
            f" FROM JSON '{{dir}}/nrr/{nrr.name}';"
        )

    def stream_schemas(self) -> dict[str, StreamSchema]:
        return {s.name: StreamSchema(s.name, _duckdb(s.columns), "ts") for s in self.streams}

    def nrr_schemas(self) -> dict[str, NrrSchema]:
        return {
            n.name: NrrSchema(n.name, _duckdb(n.columns), ("k",), "since" if n.versioned else None)
            for n in self.nrrs
        }


def quoted(name: str) -> str:
    """A name as both languages take it."""
    return name if name.isidentifier() and name not in ("group", "order") else f'"{name}"'


def _duckdb(columns: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return {name: DUCKDB.get(kind, kind) for name, kind in columns}


def draw_scene(draw: Draw) -> Scene:
    """Two or three streams, a view of each of some, and two relations."""
    timestamps = draw.chance(0.5)
    order = ("ts", "TIMESTAMP" if timestamps else "BIGINT")
    shapes = [
        (order, ("k", "STRING"), ("g", "BIGINT"), ("v", "INT"), ("d", "DOUBLE")),
        (("k", "STRING"), ("group", "BIGINT"), order, ("v", "INT")),
        (order, ("k", "STRING"), ("Größe", "DOUBLE")),
    ]
    streams = tuple(
        Stream(f"s{i}", shape, draw.one([0, 0, draw.number(1, 8)]))
        for i, shape in enumerate(shapes[: draw.number(2, 3)], start=1)
    )
    views = tuple(_view(draw, stream) for stream in streams if draw.chance(0.5))
    nrrs = (
        Nrr("n1", (("k", "STRING"), ("label", "STRING"), ("rank", "BIGINT")), False),
        Nrr("n2", (("k", "STRING"), ("rate", "BIGINT"), ("since", order[1])), True),
    )
    return Scene(timestamps, streams, views, nrrs)


def _view(draw: Draw, stream: Stream) -> View:
    columns = tuple(
        (f"x{i}", scalar(draw, stream.named())) for i in range(1, draw.number(2, 4) + 1)
    )
    return View(f"view_{stream.name}", stream, columns, predicate(draw, stream.named()))
