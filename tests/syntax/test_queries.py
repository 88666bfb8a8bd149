"""Queries: SELECT, FROM, windows, set operators, and the clauses at the end."""

from __future__ import annotations

import pytest
from sqlglot import exp

from reflow.compiler.syntax.nodes import (
    BeginEnd,
    Bounded,
    DerivedTable,
    Join,
    NamedQuery,
    NowWindow,
    RangeWindow,
    ReportQuery,
    RowsWindow,
    Select,
    SessionWindow,
    SetOperation,
    TableName,
    TumbleWindow,
    UnboundedWindow,
)

from .reading import query, refusals, statement, table


def test_select() -> None:
    found = query(
        "SELECT DSTREAM DISTINCT a, b + 1 AS c, d e, *, t.* FROM t WHERE x GROUP BY a, b HAVING y"
    )
    assert isinstance(found, Select)
    assert (found.report, found.distinct) == ("dstream", True)
    assert [item.alias and item.alias.text for item in found.items] == [None, "c", "e", None, None]
    assert isinstance(found.items[3].expression, exp.Star)
    star = found.items[4].expression
    assert isinstance(star, exp.Column)
    assert isinstance(star.this, exp.Star)
    assert star.table == "t"
    assert (found.where.sql(), found.having.sql()) == ("x", "y")
    assert [key.sql() for key in found.group_by] == ["a", "b"]


def test_windows() -> None:
    assert isinstance(table("s [NOW]").window, NowWindow)
    for text in ("UNBOUNDED", "RANGE UNBOUNDED", "ROWS UNBOUNDED"):
        assert isinstance(table(f"s [{text}]").window, UnboundedWindow)
    assert table("s").window is None
    found = table("s [RANGE 5 MINUTES SLIDE 1 MINUTE]").window
    assert isinstance(found, RangeWindow)
    assert (found.length.microseconds, found.slide.microseconds) == (300_000_000, 60_000_000)
    assert table("s [RANGE 5]").window.slide is None
    found = table("s [TUMBLE 1 HOUR]").window
    assert isinstance(found, TumbleWindow)
    assert found.length.microseconds == 3_600_000_000
    found = table("s [SESSION 5 BY k, s.l]").window
    assert isinstance(found, SessionWindow)
    assert [key.sql() for key in found.by] == ["k", "s.l"]


def test_windows_of_rows() -> None:
    found = table("s [ROWS 5]").window
    assert isinstance(found, RowsWindow)
    assert (found.rows, found.slide, found.partition, found.length) == (5, None, (), None)
    assert table("s [ROWS 5 SLIDE 2]").window.slide == 2
    found = table("s AS x [PARTITION BY k, x.l ROWS 5 RANGE 10 SECONDS]").window
    assert [key.sql() for key in found.partition] == ["k", "x.l"]
    assert (found.rows, found.length.microseconds) == (5, 10_000_000)


def test_what_follows_a_table_stands_in_any_order() -> None:
    texts = ["s [NOW] REDUCE TO h AS x", "s x REDUCE TO h [NOW]", "s REDUCE TO h x [NOW]"]
    for text in texts:
        found = table(text)
        assert isinstance(found, TableName)
        assert (found.name.text, found.alias.text, found.reduction.kind) == ("s", "x", "to")
        assert isinstance(found.window, NowWindow)


def test_reductions() -> None:
    def reduction(text: str) -> tuple[str, tuple[object, ...]]:
        found = table(f"s REDUCE {text}").reduction
        return found.kind, found.arguments

    assert reduction("BY UNIFORM (0.4)") == ("uniform", (0.4,))
    kind, ages = reduction("BY AGE (1 DAY: 0, ELSE 0.9)")
    assert kind == "age"
    assert [(age and age.text, share) for age, share in ages] == [("1 DAY", 0.0), (None, 0.9)]
    kind, (lag,) = reduction("BY LOAD (TARGET LAG 5 SECONDS)")
    assert (kind, lag.microseconds) == ("load", 5_000_000)
    kind, (value,) = reduction("BY VALUE (a * 2)")
    assert (kind, value.sql()) == ("value", "a * 2")
    kind, (summary,) = reduction("TO hourly")
    assert (kind, summary.text) == ("to", "hourly")
    kind, arguments = reduction("BY Mine (1, a)")
    assert (kind, [argument.sql() for argument in arguments]) == ("Mine", ["1", "a"])
    assert reduction("BY other ()") == ("other", ())


def test_joins() -> None:
    found = table("a LEFT OUTER JOIN b ON x = y JOIN c USING (k, l)")
    assert isinstance(found, Join)
    assert (found.kind, found.on, [name.text for name in found.using]) == (
        "inner",
        None,
        ["k", "l"],
    )
    assert (found.left.kind, found.left.on.sql(), found.left.using) == ("left", "x = y", ())
    for word in ("RIGHT", "FULL", "INNER"):
        assert table(f"a {word} JOIN b ON TRUE").kind == word.lower()
    nested = table("a JOIN (b JOIN c ON x) ON y")
    assert isinstance(nested.right, Join)


def test_derived_tables() -> None:
    found = table("(SELECT a FROM t) [NOW] AS x")
    assert isinstance(found, DerivedTable)
    assert isinstance(found.query, Select)
    assert isinstance(found.window, NowWindow)
    reported = table("ISTREAM (SELECT a FROM t) [RANGE 5] x")
    assert isinstance(reported.query, ReportQuery)
    assert reported.query.report == "istream"
    assert isinstance(table("((SELECT a FROM t) UNION SELECT b FROM u) x").query, SetOperation)


def shape(found: object) -> object:
    match found:
        case SetOperation():
            sign = found.operator + (" all" if found.all else "")
            return (shape(found.left), sign, shape(found.right))
        case NamedQuery():
            return found.name.text
        case ReportQuery():
            return (found.report, shape(found.query))
        case Bounded():
            return ("bounded", shape(found.query))
        case _:
            return "select"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a UNION b EXCEPT c", (("a", "union", "b"), "except", "c")),
        ("a UNION b INTERSECT c", ("a", "union", ("b", "intersect", "c"))),
        ("a INTERSECT ALL b INTERSECT c", (("a", "intersect all", "b"), "intersect", "c")),
        ("a UNION (b EXCEPT ALL c)", ("a", "union", ("b", "except all", "c"))),
        ("a UNION DISTINCT b", ("a", "union", "b")),
        ("ISTREAM (a UNION b) UNION ALL c", (("istream", ("a", "union", "b")), "union all", "c")),
        ("a UNION b BEGIN 1 END 2", ("bounded", ("a", "union", "b"))),
        ("SELECT x FROM a UNION b", ("select", "union", "b")),
        ("(SELECT x FROM a BEGIN 1 END 2) UNION b", (("bounded", "select"), "union", "b")),
    ],
)
def test_set_operators(text: str, expected: object) -> None:
    assert shape(query(text)) == expected


def test_except_all_by() -> None:
    found = query("SELECT a FROM t EXCEPT ALL BY (src, t.dst) SELECT b FROM u")
    assert found.all
    assert [key.sql() for key in found.by] == ["src", "t.dst"]
    assert refusals("SELECT a FROM t EXCEPT BY (src) SELECT b FROM u")
    assert refusals("SELECT a FROM t UNION ALL BY (src) SELECT b FROM u")


def test_begin_end() -> None:
    found = query("SELECT a FROM t BEGIN (NOW - 10 MINUTES) END NOW")
    assert isinstance(found, Bounded)
    assert (found.bounds.begin.now, found.bounds.begin.minus.microseconds) == (True, 600_000_000)
    assert (found.bounds.end.now, found.bounds.end.minus) == (True, None)
    rows = query("SELECT a FROM t BEGIN NOW - 100 ROWS END NOW").bounds.begin
    assert (rows.minus, rows.minus_rows) == (None, 100)
    literal = query("SELECT a FROM t BEGIN '2026-01-01' END TIMESTAMP '2026-01-02 00:00:00'").bounds
    assert literal.begin.literal.sql() == "'2026-01-01'"
    assert isinstance(literal.end.literal, exp.Cast)
    assert query("SELECT a FROM t BEGIN -5 END 10").bounds.begin.literal.sql() == "-5"
    assert isinstance(table("s [BEGIN 1 END 2]").window, BeginEnd)


def test_clauses() -> None:
    found = statement(
        "CREATE QUERY q AS SELECT a FROM t INTO PARQUET 'p' OPTIONS (x = 1) AS UPSERT BY (a) "
        "EVERY 5 SECONDS EMIT FROZEN REVISE BY REPLAY MINIMAL"
    )
    assert found.name.text == "q"
    assert (found.revise.technique, found.revise.percent) == ("replay minimal", None)
    assert found.emit.when == "frozen"
    assert found.every.interval.microseconds == 5_000_000
    into = found.into
    assert (into.format, into.path, into.mode) == ("parquet", "p", "upsert")
    assert [name.text for name in into.key] == ["a"]
    assert [(o.name, o.value) for o in into.options] == [("x", 1)]


def test_a_bare_query() -> None:
    found = statement("SELECT a FROM t REVISE BY APPROXIMATE 10% INTO CONSOLE")
    assert (found.name, found.emit, found.every) == (None, None, None)
    assert (found.revise.technique, found.revise.percent) == ("approximate", 10.0)
    assert (found.into.format, found.into.path, found.into.mode) == ("console", None, None)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("SET timezone = 'Europe/Vienna'", "timezone", "Europe/Vienna"),
        (
            "SET spark.sql.join.preferSortMergeJoin = true",
            "spark.sql.join.preferSortMergeJoin",
            True,
        ),
        ("SET a.from-b = -1", "a.from-b", -1),
        ("SET x = 1.5", "x", 1.5),
    ],
)
def test_set(text: str, name: str, value: object) -> None:
    found = statement(text)
    assert (found.name, found.value) == (name, value)
    assert type(found.value) is type(value)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT a FROM t EMIT FINAL EMIT FINAL", "RF1011"),
        ("SELECT a FROM t INTO CONSOLE INTO CONSOLE", "RF1011"),
        ("SELECT a FROM t EVERY 1 SECOND EVERY 1 SECOND", "RF1011"),
        ("SELECT a FROM t REVISE BY AUTO REVISE BY AUTO", "RF1011"),
        ("SELECT a FROM t INTO MEMORY 'x' AS UPSERT AS APPEND", "RF1011"),
        ("SELECT a FROM t [NOW] [NOW]", "RF1011"),
        ("SELECT a FROM t x AS y", "RF1011"),
        ("SELECT a FROM t REDUCE TO h REDUCE TO h", "RF1011"),
        ("SELECT ISTREAM (SELECT a FROM t) FROM u", "RF1015"),
        ("t", "RF1015"),
        ("t EMIT FINAL", "RF1015"),
        ("(t)", "RF1015"),
        ("SELECT a FROM t [ROWS 1.5]", "RF1012"),
        ("SELECT a FROM t REDUCE BY UNIFORM (0.4F)", "RF1012"),
        ("SELECT a b.c FROM t", "RF1001"),
        ("SELECT a FROM (t)", "RF1001"),
        ("SELECT a FROM t JOIN u", "RF1005"),
        ("SELECT ALL a FROM t", "RF1001"),
        ("CREATE VIEW v AS SELECT a FROM t EMIT FINAL", "RF1005"),
    ],
)
def test_refusals(text: str, code: str) -> None:
    assert [found.code for found in refusals(text)] == [code]


def test_all_refusals_of_a_file_are_reported() -> None:
    found = refusals("SELECT a FROM t [NOW] [NOW]; t; SELECT 5x FROM t")
    assert [diagnostic.code for diagnostic in found] == ["RF1011", "RF1015", "RF1012"]
