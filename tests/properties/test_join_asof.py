"""Windows joined with the current rows of groups: written queries over drawn data, small epochs and
large ones.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from reflow.runtime.deltas import join_asof

from ..harness.engine import Run
from ..oracle.query import Query, Report, Windowed
from ..oracle.windows import Now, Range, Unbounded, Window
from .case import Case, CaseQuery, draw_case
from .play import faults, play, report
from .texts import Column

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SECOND: Final = 1_000_000
WINDOWS: Final[dict[str, tuple[str, Window]]] = {
    "now": ("[NOW]", Now()),
    "five": ("[RANGE 5 SECONDS]", Range(5 * SECOND, None)),
    "nine": ("[RANGE 9 SECONDS]", Range(9 * SECOND, None)),
    "slide": ("[RANGE 6 SECONDS SLIDE 4 SECONDS]", Range(6 * SECOND, 4 * SECOND)),
    "all": ("[UNBOUNDED]", Unbounded()),
}
COUNTS: Final = "(SELECT k, COUNT(*) AS n, MAX(v) AS m FROM s1 {nine} AS x GROUP BY k) AS w"
QUERIES: Final[list[tuple[str, Report | None]]] = [
    (f"SELECT r.k, r.v, w.n FROM s2 {{now}} AS r JOIN {COUNTS} ON r.k = w.k", "istream"),
    (f"SELECT r.k, r.v, w.n, w.m FROM s2 {{five}} AS r JOIN {COUNTS} ON r.k = w.k", None),
    (f"SELECT w.n, r.k, r.v FROM {COUNTS} JOIN s2 {{slide}} AS r ON w.k = r.k", None),
    (f"SELECT r.k, r.v, w.n FROM s2 {{all}} AS r JOIN {COUNTS} ON r.k = w.k AND w.n > r.v", None),
    (
        "SELECT r.k, r.v, w.n FROM s2 {five} AS r JOIN"
        " (SELECT k, COUNT(*) AS n FROM s1 {slide} AS x GROUP BY k) AS w"
        ' ON r.k = w.k AND r."group" = w.n',
        None,
    ),
    (
        "SELECT r.k, w.n FROM s2 {five} AS r, (SELECT COUNT(*) AS n FROM s1 {nine} AS x) AS w",
        None,
    ),
]


@pytest.mark.spark
@pytest.mark.parametrize(("seed", "small"), [(3, True), (13, False)])
def test_pairs_are_the_oracles(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    small: bool,
) -> None:
    if not small:
        monkeypatch.setattr(join_asof, "SMALL_ROWS", -1)
    case = _case(seed)
    text = case.text()
    run = Run(spark, text, tmp_path)
    found = list(faults(case, run, play(case, run)))
    assert not found, report(case, found)


def test_every_query_looks_its_rows_up() -> None:
    from ..harness.engine import emitted

    program = emitted(_case(3).text().replace("{dir}", "x"))
    assert program.count("= join_asof(") == len(QUERIES)


def _case(seed: int) -> Case:
    drawn = draw_case(seed)
    queries = [_query(f"q{n}", text, report) for n, (text, report) in enumerate(QUERIES)]
    return replace(drawn, queries=tuple(queries))


def _query(name: str, text: str, report: Report | None) -> CaseQuery:
    cql = text.format(**{name: window for name, (window, _) in WINDOWS.items()})
    inputs: dict[str, Windowed] = {}
    tables: dict[str, str] = {}
    for place, (_, window) in WINDOWS.items():
        for stream in ("s1", "s2"):
            inputs[f"{stream}_{place}"] = Windowed(stream, window)
        tables[place] = place
    sql = text
    for stream in ("s1", "s2"):
        for place in WINDOWS:
            sql = sql.replace(f"{stream} {{{place}}}", f"{stream}_{place}")
    used = {table: windowed for table, windowed in inputs.items() if f"{table} " in sql}
    listed = enumerate(_list(sql))
    columns = tuple(Column(f"c{n}", "text" if "k" in c else "int") for n, c in listed)
    if report is not None:
        cql = f"{report.upper()} ({cql})"
    return CaseQuery(name, cql, Query(sql, used, {}, report), columns, "changes")


def _list(sql: str) -> list[str]:
    return sql.removeprefix("SELECT ").partition(" FROM")[0].split(", ")
