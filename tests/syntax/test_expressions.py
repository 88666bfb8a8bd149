"""Scalar expressions: what they are, and what Spark is told."""

from __future__ import annotations

import pytest
from sqlglot import exp

from reflow.compiler.syntax.nodes import QueryExpression, Select

from .reading import expression, refusals, spark

SPARK = [
    # --- grouping: comparisons as operands get brackets, the rest keeps its own ---
    ("a = b = c", "(a = b) = c"),
    ("a <=> b = c", "(a IS NOT DISTINCT FROM b) = c"),
    ("a = b <=> c", "(a = b) IS NOT DISTINCT FROM c"),
    ("a IS NOT DISTINCT FROM b = c", "a IS NOT DISTINCT FROM (b = c)"),
    ("a IS DISTINCT FROM b", "a IS DISTINCT FROM b"),
    ("a = b IS NULL", "(a = b) IS NULL"),
    ("a NOT BETWEEN b = 1 AND 2", "NOT a BETWEEN (b = 1) AND 2"),
    ("a BETWEEN 1 AND 2 AND b", "a BETWEEN 1 AND 2 AND b"),
    ("NOT a = b AND c OR d AND NOT e", "NOT a = b AND c OR d AND NOT e"),
    ("(a OR b) AND c", "(a OR b) AND c"),
    ("a - (b - c)", "a - (b - c)"),
    ("((((a))))", "(a)"),
    # --- arithmetic ---
    ("a / b / c", "a / b / c"),
    ("a DIV b % c", "a DIV b % c"),
    ("- -5", "- -5"),
    ("-a * b", "-a * b"),
    ("- +1", "-(1)"),
    ("~a", "~a"),
    ("a || b + c", "a || b + c"),
    ("a & b | c ^ d", "a & b | c ^ d"),
    ("a << 2 >> 3 >>> 1", "SHIFTRIGHTUNSIGNED(SHIFTRIGHT(SHIFTLEFT(a, 2), 3), 1)"),
    ("a != b", "a <> b"),
    ("a == b", "a = b"),
    ("! a", "NOT a"),
    # --- literals ---
    ("'it''s'", r"'it\'s'"),
    ("'a\\b'", r"'a\\b'"),
    ("'\\n'", r"'\\n'"),
    ("'\\'", r"'\\'"),
    ("'x\ny'", r"'x\ny'"),
    ("'\x07\x0b'", r"'\007\013'"),
    ("1.", "1."),
    (".5", ".5"),
    ("1e5", "1e5"),
    ("1.5e-5", "1.5e-5"),
    ("12345678901234567890", "12345678901234567890"),
    ("5L", "CAST(5 AS BIGINT)"),
    ("-128Y", "CAST(-128 AS TINYINT)"),
    ("-9223372036854775808L", "CAST(-9223372036854775808 AS BIGINT)"),
    ("5s", "CAST(5 AS SMALLINT)"),
    ("1.5D", "CAST('1.5' AS DOUBLE)"),
    ("-1e3f", "-CAST('1e3' AS FLOAT)"),
    ("1.50BD", "CAST('1.50' AS DECIMAL(3, 2))"),
    ("0.001BD", "CAST('0.001' AS DECIMAL(3, 3))"),
    ("1e3BD", "CAST('1e3' AS DECIMAL(4, 0))"),
    ("DATE '2020-01-01'", "CAST('2020-01-01' AS DATE)"),
    ("TIMESTAMP '2020-01-01 00:00:00'", "CAST('2020-01-01 00:00:00' AS TIMESTAMP)"),
    ("INTERVAL '5' MINUTE", "INTERVAL '5' MINUTE"),
    ("INTERVAL 5 MINUTES", "INTERVAL '5' MINUTE"),
    ("INTERVAL '-5' DAY", "INTERVAL '-5' DAY"),
    ("a - INTERVAL 1 HOUR 30 MINUTES", "a - INTERVAL '1 hour 30 minute'"),
    ("INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '1-2' YEAR TO MONTH"),
    ("INTERVAL '5 minutes'", "INTERVAL '5 minutes'"),
    ("TRUE AND NULL", "TRUE AND NULL"),
    # --- predicates ---
    ("a LIKE 'x!%' ESCAPE '!'", "a LIKE 'x!%' ESCAPE '!'"),
    ("a NOT LIKE 'x!%' ESCAPE '!'", "NOT a LIKE 'x!%' ESCAPE '!'"),
    ("a LIKE 'a\\_b'", r"a LIKE 'a\\_b'"),
    ("a NOT ILIKE b", "NOT a ILIKE b"),
    ("a RLIKE b", "a RLIKE b"),
    ("a NOT IN (1, 2)", "NOT a IN (1, 2)"),
    ("a IS NOT NULL", "NOT a IS NULL"),
    ("a IS TRUE", "a IS TRUE"),
    ("a IS NOT UNKNOWN", "NOT a IS NULL"),
    # --- functions keep their names ---
    ("datediff(a, b)", "DATEDIFF(a, b)"),
    ("date_format(a, 'yyyy')", "DATE_FORMAT(a, 'yyyy')"),
    ("substring(a, 1, 2)", "SUBSTRING(a, 1, 2)"),
    ("nvl(a, b)", "NVL(a, b)"),
    ("if(a > 1, b, c)", "IF(a > 1, b, c)"),
    ("left(a, 2) || right(b, 3)", "LEFT(a, 2) || RIGHT(b, 3)"),
    ("hour(a) + date(b)", "HOUR(a) + DATE(b)"),
    ("current_timestamp()", "CURRENT_TIMESTAMP()"),
    ("current_date", "current_date"),
    ("map('a', 1)['a']", "MAP('a', 1)['a']"),
    ("array(1, 2)[0]", "ARRAY(1, 2)[0]"),
    ("transform(xs, x -> x + 1)", "TRANSFORM(xs, x -> x + 1)"),
    ("aggregate(xs, 0, (acc, x) -> acc + x)", "AGGREGATE(xs, 0, (acc, x) -> acc + x)"),
    ("count(*)", "COUNT(*)"),
    ("COUNT(DISTINCT a, b)", "COUNT(DISTINCT a, b)"),
    ("COUNT(ALL a)", "COUNT(a)"),
    ("SUM(DISTINCT a) FILTER (WHERE b > 1)", "SUM(DISTINCT a) FILTER(WHERE b > 1)"),
    ("stddev(a) / variance(b)", "STDDEV(a) / VARIANCE(b)"),
    ("first(a, true)", "FIRST(a, TRUE)"),
    ("approx_count_distinct(a)", "APPROX_COUNT_DISTINCT(a)"),
    ("percentile(a, 0.5)", "PERCENTILE(a, 0.5)"),
    # --- the rest ---
    ("CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END", "CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END"),
    ("CASE a WHEN 1 THEN 'x' END", "CASE a WHEN 1 THEN 'x' END"),
    ("CAST(a AS decimal(10,2))", "CAST(a AS DECIMAL(10, 2))"),
    ("CAST(a AS array<array<int>>)", "CAST(a AS ARRAY<ARRAY<INT>>)"),
    ("CAST(a AS map<string, struct<x: int>>)", "CAST(a AS MAP<STRING, STRUCT<x: INT>>)"),
    ("CAST(a AS TIMESTAMP)", "CAST(a AS TIMESTAMP)"),
    ("CAST(a AS TIMESTAMP_NTZ)", "CAST(a AS TIMESTAMP_NTZ)"),
    ("EXTRACT(year FROM a)", "EXTRACT(YEAR FROM a)"),
    ("a.b.c.d", "a.b.c.d"),
    ("a[0].x[b + 1]['k']", "a[0].x[b + 1]['k']"),
    ("(a, b) IN ((1, 2), (3, 4))", "(a, b) IN ((1, 2), (3, 4))"),
    ('"q ""x"""."größe"', '`q "x"`.`größe`'),
    ("x.rows.range.key", "x.rows.range.key"),
    ("end + date", "`end` + `date`"),
]


@pytest.mark.parametrize(("written", "sql"), SPARK)
def test_spark_text(written: str, sql: str) -> None:
    assert spark(written) == sql


@pytest.mark.parametrize(("written", "sql"), SPARK)
def test_spark_text_is_stable(written: str, sql: str) -> None:
    """Where the text for Spark is CQL as well, it means the same there: it is its own text."""
    if "\\" not in sql and "IS NOT DISTINCT" not in sql:
        assert spark(sql) == sql


def test_columns() -> None:
    assert expression("a").sql() == "a"
    column = expression("a.b")
    assert isinstance(column, exp.Column)
    assert (column.table, column.name) == ("a", "b")
    field = expression("a.b.c")
    assert isinstance(field, exp.Dot)
    assert isinstance(field.this, exp.Column)
    bracketed = expression("(a).b")
    assert isinstance(bracketed, exp.Dot)


def test_quoted_names_stay_quoted() -> None:
    assert expression('"a"').this.quoted
    assert not expression("a").this.quoted


def test_aggregates_are_aggregates() -> None:
    for text in (
        "count(*)",
        "SUM(a)",
        "first(a)",
        "Percentile(a, 0.5)",
        "approx_count_distinct(a)",
    ):
        assert isinstance(expression(text), exp.AggFunc), text
    for text in ("coalesce(a)", "date_format(a)", "myfunction()"):
        assert isinstance(expression(text), exp.Anonymous), text


def test_queries_in_expressions() -> None:
    exists = expression("EXISTS (SELECT 1 FROM u)")
    assert isinstance(exists, QueryExpression)
    assert exists.args["kind"] == "exists"
    assert isinstance(exists.args["query"], Select)
    contained = expression("a + 1 NOT IN (SELECT x FROM u)")
    assert isinstance(contained, exp.Not)
    assert contained.this.args["kind"] == "in"
    assert contained.this.this.sql() == "a + 1"
    scalar = expression("(SELECT x FROM u) + 1")
    assert isinstance(scalar, exp.Add)
    assert scalar.this.args["kind"] == "scalar"
    doubled = expression("a IN ((SELECT x FROM u))")
    assert isinstance(doubled, QueryExpression)


@pytest.mark.parametrize(
    "text",
    [
        "a IS NULL IS NULL",
        "a NOT NULL",
        "EXISTS (SELECT 1 FROM u) = TRUE",
        "a LIKE b LIKE c",
        "INTERVAL 5",
        "INTERVAL -5 MINUTES",
        "f(*, a)",
        "count(DISTINCT *)",
        "x -> x + 1",
        "f(a b)",
        "a b c",
        "a.1",
        "1.2.3",
        "TRIM(BOTH ' ' FROM a)",
        "COUNT(*) OVER ()",
    ],
)
def test_refused_by_the_grammar(text: str) -> None:
    assert refusals(f"SELECT {text} FROM t")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("5x", "RF1012"),
        ("300Y", "RF1012"),
        ("1.5L", "RF1012"),
        ("sum(*)", "RF1017"),
        ("sum(a, b)", "RF1017"),
        ("min()", "RF1017"),
        ("upper(DISTINCT a)", "RF1017"),
        ("upper(a) FILTER (WHERE b)", "RF1017"),
        ('"upper"(a)', "RF1017"),
        ("a LIKE b ESCAPE 'xy'", "RF1017"),
        ("a RLIKE b ESCAPE 'x'", "RF1017"),
        ("f((a.b, c) -> a)", "RF1017"),
        ("a.b.*", "RF1017"),
        ('""', "RF1017"),
        ("CAST(a AS TEXT)", "RF1014"),
        ("CAST(a AS INT(4))", "RF1014"),
        ("CAST(a AS CHAR)", "RF1014"),
        ("CAST(a AS DECIMAL(1, 2, 3))", "RF1014"),
    ],
)
def test_refused_by_the_builder(text: str, code: str) -> None:
    (found,) = refusals(f"SELECT {text} FROM t")
    assert found.code == code
