"""Deep nesting is read or refused, never a traceback."""

from __future__ import annotations

import pytest

from reflow.compiler.syntax.nodes import Select

from .reading import expression, query, refusals

DEEP = {
    "sums": ("(1 + ", "a", ")"),
    "functions": ("f(", "a", ")"),
    "casts": ("CAST(", "a", " AS INT)"),
    "cases": ("CASE WHEN b THEN ", "a", " END"),
    "not": ("NOT ", "a", ""),
    "minus": ("- ", "a", ""),
    "plus": ("+ ", "a", ""),
    "subscripts": ("a[", "1", "]"),
    "fields": ("", "a", ".b"),
    "chains": ("", "a", " + b"),
    "subqueries": ("(SELECT ", "a", " FROM t)"),
    "rows": ("(1, ", "a", ")"),
    "lambdas": ("f(x -> ", "a", ")"),
}


@pytest.mark.parametrize("kind", DEEP)
def test_too_deep_is_refused(kind: str) -> None:
    start, middle, end = DEEP[kind]
    (found,) = refusals(f"SELECT {start * 500}{middle}{end * 500} FROM t")
    assert found.code == "RF1016"


@pytest.mark.parametrize("kind", [kind for kind in DEEP if kind not in {"subqueries", "lambdas"}])
def test_deep_but_not_too_deep_can_be_printed(kind: str) -> None:
    start, middle, end = DEEP[kind]
    levels = 40
    assert expression(f"{start * levels}{middle}{end * levels}").sql(dialect="spark")


def test_doubled_brackets_are_one_pair() -> None:
    assert expression("(" * 500 + "a" + ")" * 500).sql(dialect="spark") == "(a)"
    assert isinstance(query("(" * 500 + "SELECT a FROM t" + ")" * 500), Select)


@pytest.mark.parametrize("word", ["AND", "OR"])
def test_long_chains_are_balanced(word: str) -> None:
    found = expression(f" {word} ".join(["a = 1"] * 2000))
    assert found.sql(dialect="spark").count(word) == 1999
    depth, level = 0, [found]
    while level:
        depth += 1
        level = [child for node in level for child in node.iter_expressions()]
    assert depth < 20


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM (" * 200 + "SELECT a FROM t" + ")" * 200,
        " UNION ALL ".join(["SELECT a FROM t"] * 500),
        "SELECT a FROM t" + " JOIN u ON b = c" * 500,
        "SELECT a FROM " + "(" * 300 + "t" + " JOIN u ON b = c)" * 300 + " JOIN v ON d = e",
        "SELECT CAST(a AS " + "ARRAY<" * 500 + "INT" + ">" * 500 + ") FROM t",
        "CREATE STREAM s (a " + "ARRAY<" * 500 + "INT" + ">" * 500 + ")",
    ],
)
def test_deep_queries_and_types_are_refused(text: str) -> None:
    assert refusals(text)[0].code == "RF1016"


def test_long_lists_are_no_depth() -> None:
    assert len(query("SELECT " + ", ".join(["a"] * 2000) + " FROM t").items) == 2000
    assert len(expression("a IN (" + ", ".join(["1"] * 2000) + ")").expressions) == 2000
