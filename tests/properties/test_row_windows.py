"""Every kind of window by rows, flat and with something above and below it, on both ways of keeping
state: rewritten every epoch, and added to, read by touched keys only.
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


def over(source: str | View | Query, window: Window, sql: str = "SELECT ts, v FROM w") -> Query:
    return Query(sql, {"w": Windowed(source, window)})


INNER = Query(
    "SELECT k, COUNT(*) AS n FROM u GROUP BY k", {"u": Windowed("s", Range(4))}, {}, "istream"
)
REPORTED = "ISTREAM (SELECT k, COUNT(*) AS n FROM s [RANGE 4] GROUP BY k)"
HIGH = View((Branch("s", "k, v", "v > 2"),))
BOTH = View((Branch("s", "v"), Branch("z", "v"), Branch("s", "g")))
WINDOWS = {
    "rows": ("SELECT ts, v FROM s [ROWS 3]", over("s", Rows(3)), (ORDER, V)),
    "slide": ("SELECT ts, v FROM s [ROWS 3 SLIDE 4]", over("s", Rows(3, (), 4)), (ORDER, V)),
    "parted": (
        "SELECT ts, v FROM s [PARTITION BY k, g ROWS 2]",
        over("s", Rows(2, ("k", "g"))),
        (ORDER, V),
    ),
    "slid": (
        "SELECT ts, v FROM s [PARTITION BY k ROWS 3 SLIDE 2]",
        over("s", Rows(3, ("k",), 2)),
        (ORDER, V),
    ),
    "both": (
        "SELECT k, SUM(v) AS v FROM z [PARTITION BY k ROWS 3 RANGE 5] GROUP BY k",
        over("z", Rows(3, ("k",), 1, 5), "SELECT k, SUM(v) AS v FROM w GROUP BY k"),
        (K, V),
    ),
    "session": (
        "SELECT DISTINCT k, g FROM s [SESSION 3 BY k]",
        over("s", Session(3, ("k",)), "SELECT DISTINCT k, g FROM w"),
        (K, G),
    ),
    "view": (
        "SELECT MAX(v) AS v FROM high [ROWS 4]",
        over(HIGH, Rows(4), "SELECT MAX(v) AS v FROM w"),
        (V,),
    ),
    "reported": (
        f"SELECT k, n FROM {REPORTED} [ROWS 3] AS r",
        over(INNER, Rows(3), "SELECT k, n FROM w"),
        (K, G),
    ),
    "reported_slid": (
        f"SELECT k, n FROM {REPORTED} [PARTITION BY k ROWS 2 SLIDE 2] AS r",
        over(INNER, Rows(2, ("k",), 2), "SELECT k, n FROM w"),
        (K, G),
    ),
    "reported_session": (
        f"SELECT k, n FROM {REPORTED} [SESSION 3 BY k] AS r",
        over(INNER, Session(3, ("k",)), "SELECT k, n FROM w"),
        (K, G),
    ),
    "union": (
        "SELECT v FROM (SELECT v FROM s UNION ALL SELECT v FROM z UNION ALL SELECT g FROM s)"
        " [ROWS 3] AS u",
        over(BOTH, Rows(3), "SELECT v FROM w"),
        (V,),
    ),
    "joined": (
        "SELECT a.v, b.v AS u FROM s [ROWS 2] AS a, z [PARTITION BY k ROWS 1] AS b WHERE a.k = b.k",
        Query(
            "SELECT a.v, b.v AS u FROM a, b WHERE a.k = b.k",
            {"a": Windowed("s", Rows(2)), "b": Windowed("z", Rows(1, ("k",)))},
        ),
        (V, G),
    ),
}


def case(seed: int) -> Case:
    queries = tuple(
        CaseQuery(f"q_{name}", cql, oracle, columns, "changes")
        for name, (cql, oracle, columns) in WINDOWS.items()
    )
    return Case(seed, SCENE, queries, draw_steps(Draw(seed), SCENE))


class _WithView(Run):
    """A run whose text declares the view that the queries read."""

    def __init__(self, spark: SparkSession, made: Case, directory: Path) -> None:
        view = "CREATE VIEW high AS SELECT k, v FROM s WHERE v > 2;\n"
        text = made.text()
        at = text.index("CREATE QUERY")
        super().__init__(spark, text[:at] + view + text[at:], directory)


@pytest.mark.spark
@pytest.mark.parametrize(("seed", "few"), [(3, True), (4, False)])
def test_windows_by_rows_give_the_oracles_answers(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, few: bool
) -> None:
    if not few:
        monkeypatch.setattr("reflow.runtime.state.store.SMALL", 0)
        monkeypatch.setattr("reflow.runtime.state.store.FOLD_AFTER", 2)
        monkeypatch.setattr("reflow.runtime.deltas.held_rows.LARGE_STATE", 0)
    made = case(seed)
    run = _WithView(spark, made, tmp_path)
    found = list(faults(made, run, play(made, run)))
    assert not found, report(made, found)
