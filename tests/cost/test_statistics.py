"""Where figures come from: WITH STATS, an earlier run's archive, defaults, in this order."""

from __future__ import annotations

from reflow.compiler.cost import Figure, Statistics
from reflow.compiler.pipeline import compile_source
from reflow.compiler.plan.operators import Scan, StreamDeclaration
from reflow.grammar.source import Source

TEXT = """
CREATE STREAM s (ts TIMESTAMP, k STRING, f BOOLEAN, ORDER BY ts) FROM CSV 's/' {};
SELECT k, COUNT(*) AS n FROM s [RANGE 1 MINUTE] WHERE f GROUP BY k INTO PARQUET 'out';
"""
SEEN = {"s": {"rows": 600, "first": 0, "last": 60_000_000}}


def stream(stats: str = "") -> StreamDeclaration:
    plan = compile_source(Source("q.cql", TEXT.format(stats))).plan
    return next(o.stream for o in plan.operators() if isinstance(o, Scan))


def test_with_stats_wins() -> None:
    declared = stream("WITH STATS (rate = 7, distinct k = 3)")
    figures = Statistics(SEEN)
    assert figures.rate(declared) == Figure(7, "WITH STATS")
    assert figures.distinct(declared, "k") == Figure(3, "WITH STATS")


def test_then_the_archive() -> None:
    assert Statistics(SEEN).rate(stream()) == Figure(10, "archive")


def test_one_row_or_one_instant_gives_no_rate() -> None:
    for seen in ({"rows": 1, "first": 5, "last": 5}, {"rows": 9, "first": 5, "last": 5}, {}):
        assert Statistics({"s": seen}).rate(stream()).origin == "default"


def test_then_defaults() -> None:
    declared = stream()
    assert Statistics().rate(declared) == Figure(100, "default")
    assert Statistics().distinct(declared, "f") == Figure(2, "default")
    assert Statistics().distinct(declared, "k") == Figure(100, "default")


def test_the_order_column_has_a_value_for_each_row() -> None:
    assert Statistics(SEEN).distinct(stream(), "ts") == Figure(864_000, "archive")


def test_the_plan_is_made_with_the_figures() -> None:
    compiled = compile_source(Source("q.cql", TEXT.format("")), observed=SEEN)
    shown = {(k.source, k.name): str(k.figure) for k in compiled.physical.figures}
    assert shown == {
        ("s", "rate"): "10 (archive)",
        ("s", "distinct k"): "100 (default)",
        ("s", "distinct f"): "2 (default)",
    }
