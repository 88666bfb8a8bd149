"""Names of any script, quotes, comments, strings, and the start of a file."""

from __future__ import annotations

import pytest
from sqlglot import exp

from reflow.compiler.syntax.build import read
from reflow.compiler.syntax.nodes import Script
from reflow.grammar.source import Source


def column(text: str) -> exp.Identifier:
    return read(Source("x", f"SELECT {text} FROM t")).statements[0].query.items[0].expression.this


def string(text: str) -> str:
    return read(Source("x", f"SELECT {text} FROM t")).statements[0].query.items[0].expression.this


def statements(text: str) -> Script:
    return read(Source("x", text))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("größe", "größe"),
        ("日本", "日本"),
        ("имя_1", "имя_1"),
        ("_x", "_x"),
        ("Mixed", "Mixed"),
        ("ısı", "ısı"),
        ("ın", "ın"),  # a dotless i is no i: this is not IN
        ('"order"', "order"),
        ('"a b;--c"', "a b;--c"),
        ('"say ""hi"""', 'say "hi"'),
        ("`a``b`", "a`b"),
        ('`a"b`', 'a"b'),
        ("e\u0301te\u0301", "été"),  # decomposed letters are composed
    ],
)
def test_names(written: str, name: str) -> None:
    assert column(written).this == name


def test_names_that_spark_would_not_read_are_quoted() -> None:
    assert column("größe").sql(dialect="spark") == "`größe`"
    assert column("`a``b`").sql(dialect="spark") == "`a``b`"
    assert column("interval").sql(dialect="spark") == "`interval`"
    assert column("plain").sql(dialect="spark") == "plain"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("''", ""),
        ("''''", "'"),
        ("'it''s'", "it's"),
        ("'a\\'", "a\\"),
        ("'a\\n'", "a\\n"),
        ("'-- no comment; /* nor this */'", "-- no comment; /* nor this */"),
        ("'two\nlines'", "two\nlines"),
        ("'\"'", '"'),
    ],
)
def test_strings(written: str, value: str) -> None:
    assert string(written) == value


def test_comments_hold_anything() -> None:
    text = "SELECT a -- ; ' \" /* \nFROM t /* ; ' -- \n \" */ WHERE /**/ b = 1 --"
    assert len(statements(text).statements) == 1


def test_comments_do_not_nest() -> None:
    assert len(statements("/* /* */ SELECT a FROM t").statements) == 1


def test_a_minus_before_a_comment_is_a_minus() -> None:
    script = statements("SELECT a - -- b\n 1 FROM t")
    assert isinstance(script.statements[0].query.items[0].expression, exp.Sub)


def test_byte_order_mark_is_skipped() -> None:
    assert len(statements("\ufeffSELECT a FROM t").statements) == 1


@pytest.mark.parametrize("text", ["select a from t", "Select A From T", "SELECT\ta\r\nFROM\u00a0t"])
def test_case_and_white_space(text: str) -> None:
    assert len(statements(text).statements) == 1


def test_the_last_semicolon_may_be_missing() -> None:
    assert len(statements("SELECT a FROM t; SELECT b FROM u").statements) == 2
    assert len(statements("SELECT a FROM t; SELECT b FROM u;").statements) == 2
