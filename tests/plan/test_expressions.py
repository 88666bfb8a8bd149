"""Scalar expressions as text."""

from __future__ import annotations

import pytest

from reflow.compiler.plan.expressions import (
    bare_column,
    columns_of,
    conjunction,
    conjuncts,
    equal_columns,
    is_deterministic,
    quoted,
    readable,
    replace_columns,
    uses,
)


def test_columns_are_the_first_parts() -> None:
    assert columns_of("`a` + `der Name`.`teil` * 2") == {"a", "der Name"}
    assert columns_of("TRANSFORM(`list`, x -> x + `y`)") == {"list", "y"}
    assert columns_of("'a' || 1") == frozenset()


@pytest.mark.parametrize(
    ("sql", "new", "expected"),
    [
        ("`a` * 2", {"a": "`x` + 1"}, "(`x` + 1) * 2"),
        ("`a`.`b` > 1", {"a": "`s`"}, "`s`.`b` > 1"),
        ("`a` > 1", {"b": "`x`"}, "`a` > 1"),
        ("`a` + `b`", {"a": "`b`", "b": "`a`"}, "`b` + `a`"),
        ("`a` IS NULL", {"a": "CASE WHEN `x` THEN 1 END"}, "CASE WHEN `x` THEN 1 END IS NULL"),
        ("NOT `a`", {"a": "`x` AND `y`"}, "NOT (`x` AND `y`)"),
        ("NOT `a`", {"a": "`x` RLIKE 'y'"}, "NOT (`x` RLIKE 'y')"),
        ("-`a`", {"a": "-1"}, "-(-1)"),
        ("`a` = TRUE", {"a": "`x` IN (1, 2)"}, "(`x` IN (1, 2)) = TRUE"),
    ],
)
def test_replacement(sql: str, new: dict[str, str], expected: str) -> None:
    assert replace_columns(sql, new) == expected


def test_conjuncts_and_back() -> None:
    sql = "(`a` > 1 AND (`b` OR `c`)) AND `d` = 'x AND y'"
    assert conjuncts(sql) == ("`a` > 1", "(`b` OR `c`)", "`d` = 'x AND y'")
    assert conjunction(["`a` OR `b`", "`c`", "`c`"]) == "(`a` OR `b`) AND `c`"
    assert conjuncts("`x` BETWEEN 1 AND 2") == ("`x` BETWEEN 1 AND 2",)


def test_small_questions() -> None:
    assert bare_column("`a b`") == "a b"
    assert bare_column("`a`.`b`") is None
    assert equal_columns("(`a` = `b`)") == ("a", "b")
    assert equal_columns("`a` = 1") is None
    assert uses("`a` + `a` * `b`", "a") == 2
    assert quoted("a`b") == "`a``b`"
    assert readable("`a`  =\n'x' AND `der Name` > 1") == "a = 'x' AND `der Name` > 1"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("`a` + 1", True),
        ("RAND() > 0.5", False),
        ("UUID()", False),
        ("CURRENT_TIMESTAMP() > `t`", False),
        ("`rand` > 1 AND `s` = 'uuid()'", True),
    ],
)
def test_determinism(sql: str, expected: bool) -> None:
    assert is_deterministic(sql) is expected


@pytest.mark.parametrize(
    "sql",
    [
        "LOG10(`d`)",
        "TO_CHAR(`m`, '999')",
        "TO_DATE(`s`, 'yyyy-MM-dd')",
        "DATE_SUB(`d`, 3)",
        "REGEXP_EXTRACT(`s`, '(\\\\d+)', 1)",
        "NAMED_STRUCT('a', 1, 'b', `s`)",
        "ARRAY(1, 2)[0]",
        "MAP('a', 1)['a']",
        "CAST(`k` AS INT)",
        "EXTRACT(HOUR FROM `ts`)",
        "AGGREGATE(`list`, 0, (x, y) -> x + y)",
        "INTERVAL '5' MINUTE",
    ],
)
def test_what_is_moved_stays_as_it_was(sql: str) -> None:
    assert conjuncts(f"{sql} = 1 AND `a` = 2") == (f"{sql} = 1", "`a` = 2")
    assert replace_columns(f"{sql} = `old`", {"old": "`new`"}) == f"{sql} = `new`"


def test_parameters_of_lambdas_hide_no_column_that_moves_in() -> None:
    sql = "TRANSFORM(`list`, x -> x.k + `k` + x)"
    assert (
        replace_columns(sql, {"k": "`X` + 1"})
        == "TRANSFORM(`list`, x_2 -> x_2.k + (`X` + 1) + x_2)"
    )
    assert replace_columns(sql, {"k": "`y`"}) == "TRANSFORM(`list`, x -> x.k + `y` + x)"
    nested = "TRANSFORM(`list`, x -> AGGREGATE(x, `k`, (y, z) -> y + z + x))"
    assert (
        replace_columns(nested, {"k": "`y`"})
        == "TRANSFORM(`list`, x -> AGGREGATE(x, `y`, (y_2, z) -> y_2 + z + x))"
    )
