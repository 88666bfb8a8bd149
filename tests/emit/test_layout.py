"""Python literals and the layout of expressions."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reflow.compiler.emit.layout import Raw, Text, call, mapping, pair, statement, texts
from reflow.compiler.emit.literals import comment, docstring, number, string


@given(st.text())
def test_a_string_literal_means_its_text(text: str) -> None:
    assert ast.literal_eval(string(text)) == text


@given(st.text())
def test_a_comment_is_one_line(text: str) -> None:
    assert len(comment(text).splitlines()) <= 1


@given(st.text())
def test_a_docstring_stays_closed(text: str) -> None:
    assert ast.parse(f'"""{docstring(text)}."""')


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("plain", '"plain"'),
        ("it's", '"it\'s"'),
        ('say "a"', "'say \"a\"'"),
        ("a\\b\nc\td", '"a\\\\b\\nc\\td"'),
        ("größer ≥", '"größer ≥"'),
        ("a\u202eb", '"a\\u202eb"'),
    ],
)
def test_literals(text: str, literal: str) -> None:
    assert string(text) == literal


def test_numbers_are_grouped_from_five_digits_on() -> None:
    assert [number(n) for n in (7, 9999, 10_000, -86_400_000_000)] == [
        "7",
        "9999",
        "10_000",
        "-86_400_000_000",
    ]


def test_what_fits_stays_on_its_line() -> None:
    node = call("join", Raw("e"), equal=texts(["a", "b"]), columns=mapping({"x": Text("y")}))
    assert statement("j1 = ", node) == 'j1 = join(e, equal=["a", "b"], columns={"x": "y"})'


def test_what_does_not_fit_stands_one_item_a_line() -> None:
    node = call("f", Text("x" * 60), Text("y" * 60), key=pair("a", "b"))
    assert statement("p = ", node, "    ").splitlines() == [
        "    p = f(",
        f'        "{"x" * 60}",',
        f'        "{"y" * 60}",',
        '        key=("a", "b"),',
        "    )",
    ]


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=30).map(" ".join))
def test_a_broken_string_means_the_same(text: str) -> None:
    code = statement("", call("f", Text(text), named=Text(text), rows=mapping({"k": Text(text)})))
    tree = ast.parse(code)
    values = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and n.value != "k"]
    assert set(values) == {text} or text == "k"
