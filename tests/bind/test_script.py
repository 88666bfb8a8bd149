"""Whole files: names of queries, settings, warnings, and every error in one run."""

from __future__ import annotations

import pytest

from reflow.compiler.bind import bind
from reflow.compiler.syntax import nodes
from reflow.grammar.diagnostic import CqlError
from reflow.grammar.source import Source, Span

from .binding import bound, codes

STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, ORDER BY ts) FROM CSV 's/';\n"


def test_bare_queries_are_called_after_the_file() -> None:
    plan, _ = bound(
        f"{STREAM} SELECT k FROM s; CREATE QUERY f_2 AS SELECT k FROM s; SELECT k FROM s;", "f"
    )
    assert [sink.query for sink in plan.sinks] == ["f", "f_2", "f_3"]


def test_equal_subplans_are_one_node() -> None:
    plan, _ = bound(f"{STREAM} SELECT k FROM s [NOW]; SELECT k FROM s [NOW] WHERE k > 1;")
    assert [type(o).__name__ for o in plan.operators()].count("Window") == 1


def test_settings_are_sorted_texts() -> None:
    plan, _ = bound(
        f"SET spark.b = TRUE; SET timezone = 'Europe/Rome'; SET spark.a = 3; {STREAM} "
        "SELECT k FROM s;"
    )
    assert plan.settings == (("spark.a", "3"), ("spark.b", "true"), ("timezone", "Europe/Rome"))
    assert plan.timezone == "Europe/Rome"


def test_state_that_grows_with_keys_is_a_warning() -> None:
    query = "SELECT k, COUNT(*) AS n FROM s GROUP BY k;"
    assert [w.code for w in bound(f"{STREAM} {query}")[1]] == ["RF3302"]
    assert bound(f"{STREAM} SET unbounded_state = 'allow'; {query}")[1] == []
    assert bound(f"{STREAM} SELECT k, COUNT(*) AS n FROM s [NOW] GROUP BY k;")[1] == []


def test_a_join_without_a_window_is_allowed_when_asked_for() -> None:
    query = "SELECT a.k FROM s AS a, s AS b WHERE a.k = b.k;"
    assert codes(f"{STREAM} {query}") == ["RF3301", "RF3301"]
    assert codes(f"{STREAM} SET unbounded_state = 'allow'; {query}") == []
    assert codes(f"{STREAM} {query.replace('AS', '[UNBOUNDED] AS')}") == []


def test_what_is_broken_causes_no_further_errors() -> None:
    text = f"""{STREAM}
    CREATE VIEW v AS SELECT kk AS a, k FROM s;
    CREATE VIEW w AS SELECT x, y FROM missing;
    SELECT a + 1, k FROM v WHERE a = 5;
    SELECT anything, w.more FROM w [NOW], s [NOW] WHERE w.k = other;
    SELECT x, z FROM w GROUP BY y HAVING SUM(z) > 1;
    SELECT z FROM s [NOW] GROUP BY kk;
    SELECT k FROM s [NOW] GROUP BY kk;
    """
    assert codes(text) == ["RF2005", "RF2001", "RF2005", "RF2005", "RF2005"]


def test_all_errors_of_a_file_come_in_one_run() -> None:
    text = f"""{STREAM}
    SELECT a, b, UPER(k), SUM(c) FROM s [RANGE 0 SECONDS] WHERE d = 1 AND k GROUP BY e HAVING f > 1;
    """
    assert codes(text) == [
        "RF2005", "RF2005", "RF2010", "RF2005", "RF3101", "RF2005", "RF2103", "RF2005", "RF2005",
    ]  # fmt: skip


def test_nodes_without_from_are_refused() -> None:
    here = Span(0, 6)
    select = nodes.Select(None, False, (), (), None, (), None, here)
    query = nodes.CreateQuery(None, select, None, None, None, None, here)
    with pytest.raises(CqlError) as caught:
        bind(Source("q.cql", "SELECT"), nodes.Script((query,)), "q")
    assert [d.code for d in caught.value.diagnostics] == ["RF3201"]


def test_a_random_value_is_for_stateless_queries() -> None:
    assert codes(f"{STREAM} SELECT rand() AS r FROM s INTO JSON 'o';") == []
    assert codes(f"{STREAM} SELECT current_timestamp() AS r FROM s INTO JSON 'o';") == []
    assert codes(f"{STREAM} SELECT current_timestamp() AS r FROM s [NOW];") == ["RF3210"]
    assert codes(f"{STREAM} SELECT unix_timestamp() AS r FROM s [NOW];") == ["RF3210"]
    assert codes(f"{STREAM} SELECT unix_timestamp(k) AS r FROM s [NOW];") == []
    view = "CREATE VIEW v AS SELECT uuid() AS u FROM s;"
    assert codes(f"{STREAM} {view} SELECT DISTINCT u FROM v [NOW];") == ["RF3210"]
    assert codes(f"{STREAM} SELECT k FROM s [NOW] WHERE rand() > 0.5;") == ["RF3210"]
