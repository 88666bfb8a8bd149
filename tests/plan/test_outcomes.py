"""What an expression can come out as, where columns are known to be NULL or never to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reflow.compiler.plan.outcomes import STRICT_FUNCTIONS, Nulls, outcomes, refuses

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GONE = Nulls(frozenset({"n"}), frozenset({"v"}))
"""`n` is NULL, `v` is not, of all others nothing is known."""


@pytest.mark.parametrize(
    "sql",
    [
        "`n` > 3",
        "NOT `n` > 3",
        "3 = `n`",
        "`n` <> `x`",
        "`n` % 2 = 0",
        "-`n` + 1 < `x`",
        "`n` BETWEEN 1 AND 5",
        "`n` NOT BETWEEN 1 AND 5",
        "`x` BETWEEN `n` AND 5",
        "`n` IN (1, 2)",
        "`n` NOT IN (1, 2)",
        "`n` LIKE 'a%'",
        "`n` IS NOT NULL",
        "ISNOTNULL(`n`)",
        "`v` IS NULL",
        "`n` <=> 3",
        "`v` <=> `n`",
        "`n`",
        "NULL",
        "FALSE",
        "`n` > 3 AND `x` > 3",
        "`n` > 3 OR `v` IS NULL",
        "NOT (`n` > 3 OR `x` > 3)",
        "CAST(`n` AS STRING) || 'x' = 'ax'",
        "UPPER(`n`) = 'A'",
        "`n`.`field` = 3",
        "`n`[0] = 3",
        "COALESCE(`n`, NULL) = 3",
        "COALESCE(`n`, `v`) IS NULL",
        "CASE WHEN `n` > 3 THEN TRUE END",
        "CASE `n` WHEN 3 THEN TRUE ELSE FALSE END",
        "CASE WHEN `x` > 3 THEN `n` ELSE `n` END > 3",
        "(`n` > 3) IS TRUE",
        "`x` NOT IN (`n`, 3)",
        "EXTRACT(YEAR FROM `n`) = 2026",
    ],
)
def test_no_row_fulfils(sql: str) -> None:
    assert refuses(sql, GONE)


@pytest.mark.parametrize(
    "sql",
    [
        "`x` > 3",
        "`v` > 3",
        "`n` IS NULL",
        "ISNULL(`n`)",
        "NOT `n` IS NOT NULL",
        "`n` <=> `x`",
        "`n` <=> NULL",
        "`n` IS DISTINCT FROM 3",
        "`n` > 3 OR `x` > 3",
        "NOT (`n` > 3 AND `x` > 3)",
        "`x` NOT BETWEEN `n` AND 5",
        "`x` IN (`n`, 3)",
        "(`n` > 3) IS NULL",
        "COALESCE(`n`, 5) > 3",
        "COALESCE(`n` > 3, TRUE)",
        "CASE WHEN `n` > 3 THEN FALSE ELSE TRUE END",
        "CASE WHEN `n` IS NULL THEN TRUE END",
        "`v`.`field` IS NULL",
        "CAST(`v` AS INT) IS NULL",
        "`v` / 0 IS NULL",
        "SOMETHING(`n`)",
        "RAND() > 0.5",
        "TRUE",
    ],
)
def test_a_row_may_fulfil(sql: str) -> None:
    assert not refuses(sql, GONE)


def test_values_compared_are_true_or_false() -> None:
    assert outcomes("`v` > 3", GONE) == {True, False}
    assert outcomes("`v` > 3 AND `x` > 3", GONE) == {True, False, None}
    assert outcomes("`n` + `v`", GONE) == {None}


CALLS = """
    {s}: upper ucase lower lcase initcap trim ltrim rtrim btrim length len char_length
    character_length reverse int bigint float double string boolean date timestamp to_date
    {s}, 1: substring substr left right repeat
    'a', {i}: substring substr left right repeat
    {s}, 'a': concat startswith endswith contains like ilike rlike regexp regexp_like
    'a', {s}: concat startswith endswith contains like ilike rlike regexp regexp_like
    {s}, 'a', 'b': replace translate
    'a', {s}, 'b': replace translate
    'a', 'b', {s}: replace translate
    {n}: abs negative positive sign signum round bround floor ceil ceiling sqrt exp ln
    {n}, 2: mod pmod pow power
    2, {n}: mod pmod pow power
    2.5, {i}: round bround
    {d}: year quarter month day dayofmonth dayofweek dayofyear hour minute second
    {t}: unix_seconds unix_millis unix_micros
    {d}, 1: date_add date_sub
    {d}, DATE '2026-01-01': datediff
    DATE '2026-01-01', {d}: datediff
    DATE '2026-01-01', {i}: date_add date_sub
    'day', {t}: date_trunc
"""


def calls() -> list[tuple[str, str]]:
    """(function, call), one for each argument that may be NULL."""
    kinds = {"s": "STRING", "n": "DOUBLE", "i": "INT", "d": "DATE", "t": "TIMESTAMP"}
    nulls = {letter: f"CAST(NULL AS {kind})" for letter, kind in kinds.items()}
    found = []
    arguments = ""
    for line in CALLS.strip().splitlines():
        head, _, names = line.strip().rpartition(": ")
        arguments = head or arguments
        found += [(name, f"{name}({arguments.format(**nulls)})") for name in names.split()]
    return found


def test_every_strict_function_is_called() -> None:
    assert {name for name, _ in calls()} == STRICT_FUNCTIONS


@pytest.mark.spark
def test_strict_functions_give_null_for_null(spark: SparkSession) -> None:
    texts = [call for _, call in calls()]
    (row,) = spark.sql(f"SELECT {', '.join(f'{text} IS NULL' for text in texts)}").collect()
    assert [text for text, null in zip(texts, row, strict=True) if not null] == []
