"""Texts and their formatted forms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reflow.grammar.format.formatter import format_source
from reflow.grammar.source import Source

PAIRS = sorted(Path(__file__).with_name("pairs").glob("*.cql"))


def formatted(text: str) -> str:
    return format_source(Source("x.cql", text))


@pytest.mark.parametrize("file", PAIRS, ids=lambda file: file.stem)
def test_pair(file: Path) -> None:
    expected = file.with_suffix(".formatted").read_text("utf-8")
    assert formatted(file.read_text("utf-8")) == expected
    assert formatted(expected) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" \n\n", ""),
        (";", ";\n"),
        ("-- only", "-- only\n"),
        ("\ufeff-- mark  \r\n\r\n\r\nset a=1\r\n;", "-- mark\n\nSET a = 1;\n"),
        ("set a = 1 -- one\n; -- two", "SET a = 1;  -- one\n-- two\n"),
        ("set a = 1\n-- own\n;", "SET a = 1;\n-- own\n"),
        ("create view v as a union b", "CREATE VIEW v AS a UNION b\n"),
    ],
)
def test_small_texts(text: str, expected: str) -> None:
    assert formatted(text) == expected
    assert formatted(expected) == expected


def test_columns_break_from_the_hundred_and_first_character_on() -> None:
    fits = f"CREATE STREAM s (a INT, {'b' * 57} INT) FROM CSV 'x';\n"
    assert len(fits) == 101  # with its line feed
    assert formatted(fits) == fits
    assert formatted(fits.replace("';", "y';")).count("\n") == 5


def test_the_example_of_the_page_is_formatted() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formatting.md").read_text("utf-8")
    (example,) = re.findall(r"(?ms)^```sql\n(.*?)^```", page)
    assert formatted(example) == example
