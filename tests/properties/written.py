"""Written queries over drawn data: windows stand in the text as `{name}`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ..oracle.query import Query, Report, Windowed
from ..oracle.windows import Now, Range, Unbounded, Window
from .case import Case, CaseQuery, draw_case
from .texts import Column

_SECOND: Final = 1_000_000
WINDOWS: Final[dict[str, tuple[str, Window]]] = {
    "now": ("[NOW]", Now()),
    "five": ("[RANGE 5 SECONDS]", Range(5 * _SECOND, None)),
    "nine": ("[RANGE 9 SECONDS]", Range(9 * _SECOND, None)),
    "slide": ("[RANGE 6 SECONDS SLIDE 4 SECONDS]", Range(6 * _SECOND, 4 * _SECOND)),
    "all": ("[UNBOUNDED]", Unbounded()),
}
STREAMS: Final = ("s1", "s2", "s3")

Written = tuple[str, Report | None]


def written_case(seed: int, queries: Sequence[Written]) -> Case:
    """The data of a seed with these queries. Columns whose name has a `k` are texts, others whole
    numbers. The seed's streams must be ordered by TIMESTAMP.
    """
    named = [_query(f"q{n}", text, report) for n, (text, report) in enumerate(queries, 1)]
    return replace(draw_case(seed), queries=tuple(named))


def _query(name: str, text: str, report: Report | None) -> CaseQuery:
    cql = text.format(**{place: window for place, (window, _) in WINDOWS.items()})
    sql, inputs = text, {}
    for stream in STREAMS:
        for place, (_, window) in WINDOWS.items():
            if (written := f"{stream} {{{place}}}") in sql:
                table = f"{stream}_{place}"
                sql = sql.replace(written, table)
                inputs[table] = Windowed(stream, window)
    listed = sql.removeprefix("SELECT ").removeprefix("DISTINCT ").partition(" FROM")[0]
    kinds = ["text" if "k" in column else "int" for column in listed.split(", ")]
    columns = tuple(Column(f"c{n}", kind) for n, kind in enumerate(kinds))
    if report is not None:
        cql = f"{report.upper()} ({cql})"
    return CaseQuery(name, cql, Query(sql, inputs, {}, report), columns, "changes")
