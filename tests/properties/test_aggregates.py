"""Aggregates of all kinds against the oracle: in windows with and without SLIDE, by rows, without
end, without keys, over points, and over rows that are taken back.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..harness.engine import Run
from ..oracle.query import Query, Windowed
from ..oracle.windows import Range, Rows, Unbounded, Window
from .case import Case, CaseQuery
from .draw import Draw
from .feeding import draw_steps
from .play import faults, play, report
from .scene import Scene, Stream
from .texts import Column

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

S = Stream("s", (("ts", "BIGINT"), ("k", "STRING"), ("v", "INT"), ("x", "DOUBLE")), 4)
SCENE = Scene(False, (S,), (), ())

# Where the two languages differ: what is asked here -> what DuckDB is asked.
DIFFERENT = {
    "FIRST(v)": "first(v ORDER BY ts, _row)",
    "LAST(v, TRUE)": "last(v ORDER BY ts, _row) FILTER (WHERE v IS NOT NULL)",
    "FIRST(x) FILTER (WHERE v > 0)": "first(x ORDER BY ts, _row) FILTER (WHERE v > 0)",
    "MIN_BY(v, x)": "(list(v ORDER BY x, v) FILTER (WHERE x IS NOT NULL AND v IS NOT NULL))[1]",
    "MEDIAN(x)": "quantile_cont(x, 0.5)",
    "MEDIAN(n)": "quantile_cont(n, 0.5)",
    "PERCENTILE_APPROX(v, 0.3)": "quantile_disc(v, 0.3)",
    "COUNT_IF(v > 1)": "COUNT(*) FILTER (WHERE v > 1)",
    "COUNT(DISTINCT v, k)": "COUNT(DISTINCT (v, k)) FILTER (WHERE v IS NOT NULL AND k IS NOT NULL)",
}
BY_K = "k"
LISTS: tuple[tuple[str, str, Window, tuple[str, ...]], ...] = (
    (
        BY_K,
        "[RANGE 7]",
        Range(7),
        (
            "COUNT(DISTINCT v)",
            "COUNT(*) FILTER (WHERE v > 1)",
            "STDDEV(x)",
            "FIRST(v)",
            "MEDIAN(x)",
            "SUM(DISTINCT v)",
        ),
    ),
    (
        BY_K,
        "[RANGE 8 SLIDE 4]",
        Range(8, 4),
        ("LAST(v, TRUE)", "VAR_POP(x)", "COUNT(DISTINCT v, k)", "PERCENTILE_APPROX(v, 0.3)"),
    ),
    (
        "",
        "[RANGE 5]",
        Range(5),
        ("COUNT(DISTINCT k)", "MEDIAN(x)", "FIRST(x) FILTER (WHERE v > 0)", "BOOL_OR(v > 1)"),
    ),
    ("", "[RANGE 6]", Range(6), ("SUM(x)", "AVG(x) FILTER (WHERE v > 0)", "COUNT_IF(v > 1)")),
    (BY_K, "[UNBOUNDED]", Unbounded(), ("COUNT(DISTINCT v)", "LAST(v, TRUE)", "MEDIAN(x)")),
    ("", "[UNBOUNDED]", Unbounded(), ("FIRST(v)", "LAST(v, TRUE)")),
    ("", "[ROWS 4]", Rows(4), ("FIRST(v)", "SUM(x)", "COUNT(DISTINCT k)")),
)
COUNTS = "SELECT k, COUNT(*) AS n FROM {} GROUP BY k"
ABOVE = "SELECT COUNT(DISTINCT n) AS d, MEDIAN(n) AS m, MIN(n) AS least FROM {}"
REAL = {"STDDEV(x)", "VAR_POP(x)", "MEDIAN(x)", "MEDIAN(n)", "SUM(x)"}


def queries() -> tuple[CaseQuery, ...]:
    made = []
    for number, (key, window, oracle, asked) in enumerate(LISTS):
        head, tail = (f"SELECT {key}, ", f" GROUP BY {key}") if key else ("SELECT ", "")
        having = " HAVING COUNT(DISTINCT v) <> 2" if number == 0 else ""
        text = ", ".join(f"{each} AS a{n}" for n, each in enumerate(asked))
        meant = ", ".join(f"{DIFFERENT.get(each, each)} AS a{n}" for n, each in enumerate(asked))
        kinds = [Column(f"a{n}", kind(each)) for n, each in enumerate(asked)]
        made.append(
            CaseQuery(
                f"q{number}",
                f"{head}{text} FROM s {window}{tail}{having}",
                Query(f"{head}{meant} FROM w{tail}{having}", {"w": Windowed("s", oracle)}),
                tuple([Column("k", "text"), *kinds] if key else kinds),
                "changes",
            )
        )
    return (*made, *above())


def kind(asked: str) -> str:
    return "approx" if asked in REAL or asked.startswith(("AVG", "FIRST(x)")) else "int"


def above() -> tuple[CaseQuery, ...]:
    """Aggregates of an answer that changes, and of reports that late rows take back."""
    columns = (Column("d", "int"), Column("m", "approx"), Column("least", "int"))
    meant = ABOVE.replace("MEDIAN(n)", DIFFERENT["MEDIAN(n)"])
    inner = Query(COUNTS.format("u"), {"u": Windowed("s", Range(4))}, {}, "istream")
    counts = COUNTS.format("s [RANGE 4]")
    return (
        CaseQuery(
            "points",
            ABOVE.format(f"({counts}) AS c"),
            Query(meant.format(f"({COUNTS.format('w')})"), {"w": Windowed("s", Range(4))}),
            columns,
            "changes",
        ),
        CaseQuery(
            "reports",
            ABOVE.format(f"ISTREAM ({counts}) [RANGE 6 SLIDE 3]"),
            Query(meant.format("w"), {"w": Windowed(inner, Range(6, 3))}),
            columns,
            "changes",
        ),
    )


@pytest.mark.spark
def test_aggregates_are_the_oracles(spark: SparkSession, tmp_path: Path) -> None:
    steps = draw_steps(Draw(7), SCENE)
    made = Case(7, SCENE, queries(), steps, declarations=tuple(SCENE.declarations()))
    run = Run(spark, made.text(), tmp_path)
    found = list(faults(made, run, play(made, run)))
    assert not found, report(made, found)
