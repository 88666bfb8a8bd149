"""Type texts."""

from __future__ import annotations

import pytest

from reflow.compiler.bind.ddl import DdlError, nearest_type, read_type


@pytest.mark.parametrize(
    ("text", "ddl"),
    [
        ("integer", "INT"),
        ("LONG", "BIGINT"),
        ("NUMERIC", "DECIMAL(10,0)"),
        ("DEC(5)", "DECIMAL(5,0)"),
        ("VARCHAR(10)", "STRING"),
        ("TIMESTAMP_LTZ", "TIMESTAMP"),
        ("ARRAY<ARRAY<INT>>", "ARRAY<ARRAY<INT>>"),
        ("map<string, struct<a int, `b c`: LONG>>", "MAP<STRING, STRUCT<a: INT, `b c`: BIGINT>>"),
    ],
)
def test_a_type_is_written_in_one_way(text: str, ddl: str) -> None:
    assert read_type(text).ddl == ddl
    assert read_type(ddl).ddl == ddl


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("STRNG", "STRNG"),
        ("ARRAY<STRNG>", "STRNG"),
        ("DECIMAL(50,2)", "DECIMAL"),
        ("DECIMAL(2,5)", "DECIMAL"),
        ("MAP<INT>", ">"),
        ("INT INT", "INT"),
    ],
)
def test_a_wrong_type_says_which_word_is_wrong(text: str, word: str) -> None:
    with pytest.raises(DdlError) as caught:
        read_type(text)
    assert caught.value.word == word


def test_the_nearest_type() -> None:
    assert nearest_type("STRNG") == "did you mean `STRING`?"
    assert nearest_type("QQQQ") == ""
