"""Merged streams against the oracle: one logical stream as several physical ones, cut into epochs
each by itself, with restarts; some of them lag behind or end early.

What lies before the merged frontier is what the logical stream says, and of rows that EAGER merges
all that any copy has brought. `REFLOW_MERGES=all` plays all kinds, policies and seeds; every run
some of them, since `tests/runtime/test_merge_operators.py` holds each against its reference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import pytest

from reflow.compiler.physical.calls import Merged
from reflow.compiler.pipeline import bind, compile_text, read, rewrite
from reflow.grammar.source import Source

from ..harness.engine import Run
from ..oracle.evaluate import Evaluator
from ..oracle.multiplicity import difference, net
from .case import Sink
from .copies import ROWS, CopiesCase, RowKind, answers_case, elements_case, rows_case
from .plan_sql import query_of
from .play import Played, faults, play, report

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OF_ROWS: Final[list[tuple[str, Sink]]] = [
    ("SELECT k, v FROM m", "changes"),
    ("SELECT k, COUNT(*) AS c, SUM(v) AS v FROM m {w} GROUP BY k", "changes"),
    ("SELECT DISTINCT k FROM m {w}", "changes"),
    ("SELECT a.k, a.v, b.v AS n FROM m {w} AS a, s {w} AS b WHERE a.k = b.k", "changes"),
    ("SELECT k, v FROM m {w} WHERE v > 2", "final"),
    ("SELECT k FROM m {w} EXCEPT ALL SELECT k FROM s {w}", "log"),
    ("SELECT COUNT(*) AS c, MAX(v) AS v FROM m {w}", "final"),
]
"""The last begins with the first row, which CLEANSE holds back."""

COUNTED: Final = "SELECT k, COUNT(*) AS n FROM {x} GROUP BY k"
OF_COUNTS: Final = [
    ("SELECT k, n FROM m", "SELECT k, COUNT(*) AS n FROM x {w} GROUP BY k"),
    ("SELECT k FROM m WHERE n > 1", "SELECT k FROM x {w} GROUP BY k HAVING COUNT(*) > 1"),
    (
        "SELECT n, COUNT(*) AS c FROM m GROUP BY n",
        "SELECT n, COUNT(*) AS c FROM (SELECT k, COUNT(*) AS n FROM x {w} GROUP BY k) GROUP BY n",
    ),
]
ONCE: Final = "SELECT DISTINCT k FROM {x}"
OF_ONCE: Final = [("SELECT k FROM m", "SELECT DISTINCT k FROM x {w}")]
WINDOWED: Final = "SELECT k, v FROM {x}"
OF_WINDOWS: Final = [
    ("SELECT k, v FROM m", "SELECT k, v FROM x {w}"),
    ("SELECT k, SUM(v) AS v FROM m GROUP BY k", "SELECT k, SUM(v) AS v FROM x {w} GROUP BY k"),
]
OF_ELEMENTS: Final = [
    "SELECT k, v FROM m",
    "SELECT k FROM m WHERE v > 1",
    "SELECT k, COUNT(*) AS c, SUM(v) AS v FROM m GROUP BY k",
    "SELECT a.k, b.v FROM m AS a, m AS b WHERE a.v = b.v",
]
POLICIES: Final = (
    *("EAGER", "CHATTY", "HALF FROZEN", "CONSERVATIVE", "FOLLOW LEADER"),
    *("FRACTION 0.5", "FRACTION 1"),
)
VARIANTS: Final = ("R3", "R4")
ALL: Final = os.environ.get("REFLOW_MERGES") == "all"
PLAYED: Final = (
    [(variant, policy) for variant in VARIANTS for policy in POLICIES]
    if ALL
    else [("R3", "CONSERVATIVE"), ("R4", "CHATTY")]
)
"""`test_merges_as_told` has them all."""
SEEDS: Final = range(1, 9) if ALL else range(1, 2)


def of_rows(seed: int, kind: RowKind) -> CopiesCase:
    return rows_case(seed, kind, OF_ROWS[:-1] if kind == "cleansed" else OF_ROWS)


def settled_faults(case: CopiesCase, run: Run, played: list[Played]) -> Iterator[str]:
    """Where a query says something else of instants before the merged frontier than the logical
    stream.
    """
    oracle = case.oracle()
    for query in case.queries:
        for step in played:
            complete = step.mark.complete
            if complete is None:
                continue
            expected = oracle.changes(query.oracle, until=complete - 1)
            actual = net(run.changes(query.name, query.kinds, step.mark), until=complete - 1)
            fault = difference(expected, actual)
            if fault:
                yield f"{query.name} before {complete}, {step.mark}:\n{fault}"
                break


def merged_by(case: CopiesCase) -> list[str]:
    steps = compile_text(case.text()).physical.steps
    return [step.call.variant for step in steps if isinstance(step.call, Merged)]


@pytest.mark.parametrize("kind", ROWS)
def test_copies_are_merged_as_they_are_drawn(kind: RowKind) -> None:
    """Each kind by its algorithm, and no query is empty all the time."""
    case = of_rows(1, kind)
    assert merged_by(case) == ["R2 duplicates" if kind == "cleansed" else kind]
    oracle = case.oracle()
    assert not [query.name for query in case.queries if not oracle.changes(query.oracle)]


@pytest.mark.parametrize("seed", range(1, 9))
def test_plans_mean_what_their_queries_say(seed: int) -> None:
    """As bound and as rewritten; without the engine."""
    case = of_rows(seed, "R4")
    oracle = Evaluator(case.history())
    source = Source("merges.cql", case.text())
    bound, _ = bind(source, read(source), "merges")
    after = rewrite(bound).plan
    for query, old, new in zip(case.queries, bound.sinks, after.sinks, strict=True):
        expected = oracle.changes(query.oracle)
        for sink in (old, new):
            fault = difference(expected, oracle.changes(query_of(sink)))
            assert not fault, f"{query.cql}\n{fault}"


@pytest.mark.spark
@pytest.mark.parametrize(
    ("kind", "seed"),
    [(kind, seed) for seed in SEEDS for kind in (ROWS if ALL else ("R1", "R4", "cleansed"))],
)
def test_rows_of_any_copy_are_there_once(
    spark: SparkSession, tmp_path: Path, kind: RowKind, seed: int
) -> None:
    case = of_rows(seed, kind)
    run = Run(spark, case.text(), tmp_path)
    played = play(case, run)
    found = [*faults(case, run, played), *settled_faults(case, run, played)]
    if kind == "cleansed":
        # What is held back has shown its instant all the same.
        found = [fault for fault in found if not fault.startswith("now is")]
    assert not found, report(case, found)
    assert run.dead_letters == 0


@pytest.mark.spark
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("view", "queries", "slide"),
    [
        pytest.param(COUNTED, OF_COUNTS, None, id="groups"),
        pytest.param(WINDOWED, OF_WINDOWS, 3, id="windows that move by steps"),
        *(
            [
                pytest.param(WINDOWED, OF_WINDOWS, None, id="windows"),
                pytest.param(ONCE, OF_ONCE, None, id="distinct rows"),
            ]
            if ALL
            else []
        ),
    ],
)
def test_answers_over_copies_are_merged(
    spark: SparkSession,
    tmp_path: Path,
    view: str,
    queries: Sequence[tuple[str, str]],
    slide: int | None,
    seed: int,
) -> None:
    """Announced ends as they are told, all else in normal form."""
    case = answers_case(seed, view, queries, slide)
    run = Run(spark, case.text(), tmp_path)
    played = play(case, run)
    found = list(settled_faults(case, run, played))
    assert not found, report(case, found)
    assert _reached(case, played)


@pytest.mark.spark
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("variant", "policy"), PLAYED)
def test_elements_come_to_the_logical_stream(
    spark: SparkSession, tmp_path: Path, variant: Literal["R3", "R4"], policy: str, seed: int
) -> None:
    case = elements_case(seed, variant, policy, OF_ELEMENTS)
    assert merged_by(case) == [variant]
    run = Run(spark, case.text(), tmp_path)
    played = play(case, run)
    found = list(settled_faults(case, run, played))
    assert not found, report(case, found)
    assert run.dead_letters == 0
    assert played[-1].mark.complete == 100


def _reached(case: CopiesCase, played: list[Played]) -> bool:
    """Whether the merged frontier has come behind all rows but the last."""
    rows = case.known[0]["m"]
    complete = played[-1].mark.complete
    return complete is not None and complete > rows[-2]["ts"] + 5 * case.scene.unit
