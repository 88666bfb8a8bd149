"""Windows by rows whose state is large: it is added to and folded now and then, and read by touched
keys only. Drawn queries have little, which is rewritten every epoch.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..harness.engine import Run
from ..oracle.query import Branch, Query, View, Windowed
from ..oracle.windows import Range, Rows, Session, Window
from .case import Case, CaseQuery
from .draw import Draw
from .feeding import draw_steps
from .play import faults, play, report
from .scene import Scene, Stream
from .texts import Column

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ORDER, K, G, V = Column("ts", "int"), Column("k", "text"), Column("g", "int"), Column("v", "int")
S = Stream("s", (("ts", "BIGINT"), ("k", "STRING"), ("g", "BIGINT"), ("v", "INT")), 4)
Z = Stream("z", S.columns, 0)
SCENE = Scene(False, (S, Z), (), ())


def over(source: str | View | Query, window: Window, columns: str = "ts, v") -> Query:
    return Query(f"SELECT {columns} FROM w", {"w": Windowed(source, window)})


COUNTS = "SELECT k, COUNT(*) AS n FROM {} GROUP BY k"
INNER = Query(COUNTS.format("u"), {"u": Windowed("s", Range(4))}, {}, "istream")
BOTH = View((Branch.of("s", "v"), Branch.of("z", "v"), Branch.of("s", "g")))
QUERIES = (
    ("SELECT ts, v FROM s [PARTITION BY k ROWS 3 SLIDE 2]", over("s", Rows(3, ("k",), 2))),
    ("SELECT ts, v FROM z [PARTITION BY k ROWS 3 RANGE 5]", over("z", Rows(3, ("k",), 1, 5))),
    ("SELECT ts, v FROM s [SESSION 3 BY k]", over("s", Session(3, ("k",)))),
    (
        f"SELECT k, n FROM ISTREAM ({COUNTS.format('s [RANGE 4]')})"
        " [PARTITION BY k ROWS 2 SLIDE 2]",
        over(INNER, Rows(2, ("k",), 2), "k, n"),
    ),
    (
        "SELECT v FROM (SELECT v FROM s UNION ALL SELECT v FROM z UNION ALL SELECT g FROM s)"
        " [ROWS 3]",
        over(BOTH, Rows(3), "v"),
    ),
)
KINDS = ((ORDER, V), (ORDER, V), (ORDER, V), (K, G), (V,))


@pytest.mark.spark
def test_large_state_of_windows_by_rows(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reflow.runtime.state.store.SMALL", 0)
    monkeypatch.setattr("reflow.runtime.state.store.FOLD_AFTER", 2)
    monkeypatch.setattr("reflow.runtime.deltas.touched.LARGE_STATE", 0)
    steps, declared = draw_steps(Draw(4), SCENE), tuple(SCENE.declarations())
    made = Case(4, SCENE, _queries(), steps, declarations=declared)
    run = Run(spark, made.text(), tmp_path)
    found = list(faults(made, run, play(made, run)))
    assert not found, report(made, found)


def _queries() -> tuple[CaseQuery, ...]:
    return tuple(
        CaseQuery(f"q{number}", cql, oracle, KINDS[number], "changes")
        for number, (cql, oracle) in enumerate(QUERIES)
    )
