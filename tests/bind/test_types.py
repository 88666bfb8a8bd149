"""Types of expressions by Spark's rules, and the clashes that are certain."""

from __future__ import annotations

import pytest

from .binding import mistakes, type_of


@pytest.mark.parametrize(
    ("expression", "type_"),
    [
        ("1", "INT"),
        ("3000000000", "BIGINT"),
        ("1.50", "DECIMAL(3,2)"),
        ("1e3", "DOUBLE"),
        ("5L", "BIGINT"),
        ("-5", "INT"),
        ("'x'", "STRING"),
        ("TRUE", "BOOLEAN"),
        ("DATE '2026-01-01'", "DATE"),
        ("TIMESTAMP '2026-01-01 00:00:00'", "TIMESTAMP"),
        ("t + i", "INT"),
        ("i + l", "BIGINT"),
        ("i + f", "DOUBLE"),
        ("f + f", "FLOAT"),
        ("m + i", "DECIMAL(13,2)"),
        ("m + 1", "DECIMAL(11,2)"),
        ("m * m", "DECIMAL(21,4)"),
        ("m / i", "DECIMAL(21,13)"),
        ("n * n", "DECIMAL(38,6)"),
        ("m + x", "DOUBLE"),
        ("i / 2", "DOUBLE"),
        ("i DIV 2", "BIGINT"),
        ("i % 2", "INT"),
        ("-m", "DECIMAL(10,2)"),
        ("d + 1", "DATE"),
        ("ts + INTERVAL 1 DAY", "TIMESTAMP"),
        ("ts - ts", "INTERVAL DAY TO SECOND"),
        ("s || 'x'", "STRING"),
        ("i = '5'", "BOOLEAN"),
        ("s LIKE 'a%'", "BOOLEAN"),
        ("i IS NULL", "BOOLEAN"),
        ("CASE WHEN b THEN i ELSE l END", "BIGINT"),
        ("CASE i WHEN 1 THEN 'a' END", "STRING"),
        ("COALESCE(i, 2.5)", "DECIMAL(11,1)"),
        ("IF(b, 1, 2)", "INT"),
        ("CAST(s AS DECIMAL(5,1))", "DECIMAL(5,1)"),
        ("CAST(a AS ARRAY<STRING>)", "ARRAY<STRING>"),
        ("a[0]", "INT"),
        ("mp['k']", "INT"),
        ("st.x", "INT"),
        ("MAP_KEYS(mp)", "ARRAY<STRING>"),
        ("ARRAY(1, 2L)", "ARRAY<BIGINT>"),
        ("CONCAT(s, i)", "STRING"),
        ("CEIL(x)", "BIGINT"),
        ("CEIL(m)", "DECIMAL(9,0)"),
        ("ABS(m)", "DECIMAL(10,2)"),
        ("HOUR(ts)", "INT"),
        ("EXTRACT(SECOND FROM ts)", "DECIMAL(8,6)"),
        ("DATE_TRUNC('hour', ts)", "TIMESTAMP"),
        ("TIMESTAMPDIFF(HOUR, ts, ts)", "BIGINT"),
        ("FROM_JSON(s, 'a INT')", "UNKNOWN"),
    ],
)
def test_the_type_of_an_expression(expression: str, type_: str) -> None:
    assert type_of(expression) == type_


@pytest.mark.parametrize(
    ("expression", "type_"),
    [
        ("COUNT(*)", "BIGINT"),
        ("COUNT(s)", "BIGINT"),
        ("SUM(i)", "BIGINT"),
        ("SUM(m)", "DECIMAL(20,2)"),
        ("SUM(n)", "DECIMAL(38,6)"),
        ("SUM(f)", "DOUBLE"),
        ("AVG(i)", "DOUBLE"),
        ("AVG(m)", "DECIMAL(14,6)"),
        ("MEAN(x)", "DOUBLE"),
        ("MIN(d)", "DATE"),
        ("MAX(s)", "STRING"),
        ("SUM(i) / COUNT(*)", "DOUBLE"),
    ],
)
def test_the_type_of_an_aggregate(expression: str, type_: str) -> None:
    assert type_of(expression) == type_


@pytest.mark.parametrize(
    "expression",
    [
        "i = '5'",
        "s = 5",
        "d < ts",
        "ts > '2026-01-01'",
        "b = 'true'",
        "s + 1",
        "'1' * i",
        "UPPER(5)",
        "SIZE(a)",
        "YEAR('2026-01-01')",
        "CONCAT(a, a)",
        "a = ARRAY(1)",
        "st = st",
        "NULL = a",
        "SUM(NULL)",
        "MAX(b)",
        "FROM_JSON(s, 'a INT').a + 1",
        "KLL_SKETCH_TO_STRING_BIGINT(bin)",
        "COUNT(i, l)",
        "GREATEST(d, ts)",
        "ABS(INTERVAL '1' DAY)",
        "TRANSFORM(a, s -> s AND b)",
        "TRANSFORM(ARRAY(st), e -> e.x + i)",
        "AGGREGATE(a, 0, (acc, e) -> acc + e)",
    ],
)
def test_what_spark_may_accept_is_accepted(expression: str) -> None:
    assert mistakes(expression) == []


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("i = b", "RF2101"),
        ("a = i", "RF2101"),
        ("mp = mp", "RF2101"),
        ("i = ts", "RF2101"),
        ("st < 5", "RF2101"),
        ("i IN (1, a)", "RF2101"),
        ("s + a", "RF2102"),
        ("b + 1", "RF2102"),
        ("ts + 1", "RF2102"),
        ("ts * 2", "RF2102"),
        ("i AND b", "RF2103"),
        ("NOT s", "RF2103"),
        ("CASE WHEN i THEN 1 END", "RF2103"),
        ("SUM(s)", "RF2104"),
        ("AVG(b)", "RF2104"),
        ("MAX(mp)", "RF2104"),
        ("UPPER(s, s)", "RF2105"),
        ("COALESCE()", "RF2105"),
        ("COALESCE(a, i)", "RF2108"),
        ("UPPER(a)", "RF2109"),
        ("YEAR(i)", "RF2109"),
        ("ARRAY_MAX(i)", "RF2109"),
        ("MAP_KEYS(a)", "RF2109"),
        ("i[0]", "RF2110"),
        ("bin.x", "RF2110"),
        ("st.y", "RF2011"),
        ("UPER(s)", "RF2010"),
        ("SUM(SUM(i))", "RF3204"),
    ],
)
def test_what_is_surely_wrong_is_refused(expression: str, code: str) -> None:
    assert mistakes(expression) == [code]
