"""INTO: the mode where none is written, AS APPEND and AS UPSERT."""

from __future__ import annotations

import pytest

from .binding import codes, sink

STREAMS = """
CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, ORDER BY ts) FROM CSV 's/';
CREATE STREAM late (ts TIMESTAMP, k INT, v DOUBLE, ORDER BY ts WITHIN 1 MINUTE) FROM CSV 'l/';
CREATE NRR n (k INT, name STRING, KEY (k)) FROM CSV 'n.csv';
"""


@pytest.mark.parametrize(
    ("query", "mode"),
    [
        ("SELECT k FROM s INTO JSON 'o'", "append"),
        ("SELECT k FROM s UNION ALL SELECT k FROM late INTO PARQUET 'o'", "append"),
        ("SELECT ISTREAM k FROM s INTO CSV 'o'", "append"),
        ("SELECT k FROM s", "changelog"),
        ("SELECT k FROM s INTO LOG 'o'", "changelog"),
        ("SELECT k FROM s INTO JSON 'o' EMIT FINAL", "changelog"),
        ("SELECT k FROM s [NOW] INTO JSON 'o'", "changelog"),
        ("SELECT s.k FROM s, n WHERE s.k = n.k INTO JSON 'o'", "changelog"),
        ("SELECT DISTINCT k FROM s INTO JSON 'o'", "changelog"),
    ],
)
def test_the_mode_where_none_is_written(query: str, mode: str) -> None:
    assert sink(f"{STREAMS} {query};").mode == mode


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k FROM s [RANGE 1 HOUR] INTO JSON 'o' AS APPEND",
        "SELECT DISTINCT k FROM s [UNBOUNDED] INTO JSON 'o' AS APPEND",
        "SELECT a.k FROM s [NOW] AS a, late [UNBOUNDED] AS b INTO JSON 'o' AS APPEND",
        "SELECT name FROM s JOIN n USING (k) INTO JSON 'o' AS APPEND",
        "SELECT ISTREAM DISTINCT k FROM s [RANGE 1 HOUR] INTO JSON 'o' AS APPEND",
        "SELECT ISTREAM k FROM late INTO JSON 'o' AS APPEND",
        "SELECT k, COUNT(*) AS n FROM s [NOW] GROUP BY k EMIT FINAL INTO JSON 'o' AS APPEND",
        "SELECT k, COUNT(*) AS n FROM s [NOW] GROUP BY k EMIT FROZEN INTO JSON 'o' AS APPEND",
    ],
)
def test_append_where_nothing_is_taken_back(query: str) -> None:
    assert codes(f"{STREAMS} {query};") == []


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, COUNT(*) AS n FROM s [NOW] GROUP BY k INTO JSON 'o' AS APPEND",
        "SELECT COUNT(*) AS n FROM s INTO JSON 'o' AS APPEND",
        "SELECT ISTREAM COUNT(*) AS n FROM s [NOW] INTO JSON 'o' AS APPEND",
        "SELECT ISTREAM k FROM late [RANGE 1 HOUR] INTO JSON 'o' AS APPEND",
        "SELECT RSTREAM k FROM s [RANGE 1 HOUR] INTO JSON 'o' AS APPEND",
        "SELECT DISTINCT k FROM late [RANGE 1 HOUR] INTO JSON 'o' AS APPEND",
        "SELECT ISTREAM DISTINCT k FROM late INTO JSON 'o' AS APPEND",
        "SELECT k FROM s [NOW] UNION SELECT k FROM late [NOW] INTO JSON 'o' AS APPEND",
    ],
)
def test_append_where_something_may_be_taken_back(query: str) -> None:
    assert codes(f"{STREAMS} {query};") == ["RF3401"]


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("SELECT k AS g, COUNT(*) AS n FROM s [NOW] GROUP BY k", ("g",)),
        ("SELECT v, k, MAX(ts) AS t FROM s [NOW] GROUP BY k, v HAVING MAX(ts) > ts", None),
        ("SELECT DISTINCT k, v FROM s [NOW]", ("k", "v")),
        ("SELECT COUNT(*) AS n FROM s [NOW] GROUP BY k", None),
        ("SELECT COUNT(*) AS n FROM s [NOW]", None),
        ("SELECT k FROM s [NOW]", None),
    ],
)
def test_the_key_of_an_upsert(query: str, key: tuple[str, ...] | None) -> None:
    text = f"{STREAMS} {query} INTO PARQUET 'o' AS UPSERT;"
    if key is None:
        assert codes(text) != []
    else:
        assert sink(text).key == key


def test_a_written_key_goes_before_the_own_one() -> None:
    query = "SELECT k, v, COUNT(*) AS n FROM s [NOW] GROUP BY k, v"
    into = "INTO PARQUET 'o' AS UPSERT BY (V, n, k)"
    assert sink(f"{STREAMS} {query} {into};").key == ("v", "n", "k")


_COUNTS = "(SELECT k, v, COUNT(*) AS n FROM s [NOW] GROUP BY k, v)"
_SUMS = "(SELECT k, SUM(v) AS m FROM s [NOW] GROUP BY k)"

_HOURS = "(SELECT k, HOUR(ts) AS h FROM s [NOW])"
_NOT = "NOT EXISTS (SELECT 1 FROM s [NOW] AS b WHERE b.k = a.k)"


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("SELECT k, v, COUNT(*) AS n FROM s [NOW] GROUP BY k, v ~ (v)", False),
        ("SELECT v, COUNT(*) AS n FROM s [NOW] GROUP BY k, v ~ (v)", False),
        ("SELECT v, COUNT(*) AS n FROM s [NOW] WHERE k = 7 GROUP BY k, v ~ (v)", True),
        ("SELECT DISTINCT k, v FROM s [NOW] ~ (k)", False),
        (f"SELECT DISTINCT k, h FROM {_HOURS} AS x WHERE k = h ~ (k)", True),
        (f"SELECT DISTINCT k, h FROM {_HOURS} AS x ~ (k)", False),
        # A Group's row by its key, and what it determines.
        (f"SELECT a.k, v, n, m FROM {_COUNTS} AS a JOIN {_SUMS} AS b ON a.k = b.k ~ (k, v)", True),
        (f"SELECT a.k, v, n, m FROM {_COUNTS} AS a JOIN {_SUMS} AS b ON a.n = b.k ~ (k, v)", True),
        (f"SELECT a.k, v, n, m FROM {_COUNTS} AS a JOIN {_SUMS} AS b ON a.n = b.m ~ (k, v)", False),
        (f"SELECT a.k, b.k AS l, a.m FROM {_SUMS} AS a, {_SUMS} AS b ~ (k)", False),
        # No key is known: the written one is believed.
        ("SELECT k, v FROM s [NOW] ~ (k)", True),
        ("SELECT k, v FROM s [NOW] UNION ALL SELECT k, v FROM s [NOW] ~ (k)", True),
        # The last row of each value.
        ("SELECT k, v FROM s [PARTITION BY k ROWS 1] ~ (k)", True),
        ("SELECT DISTINCT k, v FROM s [PARTITION BY k ROWS 1] ~ (k)", True),
        ("SELECT k, v FROM s [PARTITION BY v ROWS 1] ~ (k)", False),
        # Negation keeps the left's key; one row of all needs none.
        (f"SELECT k, m FROM {_SUMS} AS a WHERE {_NOT} ~ (m)", False),
        (f"SELECT k, m FROM {_SUMS} AS a WHERE {_NOT} ~ (k)", True),
        ("SELECT k, v FROM s [NOW] EXCEPT SELECT k, v FROM s [NOW] ~ (v)", False),
        ("SELECT COUNT(*) AS n, MAX(v) AS m FROM s [NOW] ~ (m)", True),
    ],
)
def test_a_written_key_must_tell_the_rows_apart(query: str, fits: bool) -> None:
    answer, key = query.split(" ~ ")
    found = codes(f"{STREAMS} {answer} INTO PARQUET 'o' AS UPSERT BY {key};")
    assert found == ([] if fits else ["RF3404"])


def test_every_sink_but_log_and_console_needs_different_names() -> None:
    query = "SELECT k, k AS vs, k FROM s [NOW] INTO"
    assert codes(f"{STREAMS} {query} JSON 'o';") == ["RF2015", "RF2014"]
    assert codes(f"{STREAMS} {query} LOG 'o';") == []


def test_columns_that_a_sink_adds_are_not_the_query_s() -> None:
    append = "INTO JSON 'o' AS APPEND;"
    assert codes(f"{STREAMS} SELECT k AS epoch FROM s [NOW] {append}") == ["RF2015"]
    assert codes(f"{STREAMS} SELECT k AS epoch FROM s {append}") == []
    assert codes(f"{STREAMS} SELECT k AS vs FROM s [NOW] {append}") == []
    upsert = "SELECT k, COUNT(*) AS deleted FROM s [NOW] GROUP BY k INTO JSON 'o' AS UPSERT;"
    assert codes(f"{STREAMS} {upsert}") == ["RF2015"]
