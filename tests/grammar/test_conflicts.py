"""The grammar is LALR(1) but for one collision that does not matter."""

from __future__ import annotations

import logging

import lark
import pytest

from reflow.grammar.cache import grammar_text


def build(text: str) -> None:
    lark.Lark(text, parser="lalr", lexer="contextual", start="script", debug=True)


def test_no_shift_is_preferred_to_a_reduction(caplog: pytest.LogCaptureFixture) -> None:
    before = lark.logger.level
    lark.logger.setLevel(logging.DEBUG)
    lark.logger.addHandler(caplog.handler)
    try:
        build(grammar_text())
    finally:
        lark.logger.setLevel(before)
        lark.logger.removeHandler(caplog.handler)
    assert "conflict" not in caplog.text


def test_the_one_collision_is_that_of_doubled_brackets() -> None:
    text = grammar_text()
    assert text.count("\nbracketed.2:") == 1
    with pytest.raises(lark.GrammarError) as caught:
        build(text.replace("\nbracketed.2:", "\nbracketed:"))
    assert str(caught.value).count("Reduce/Reduce collision") == 1
    assert "<bracketed : LPAR query RPAR>" in str(caught.value)
    assert "<scalar_query : LPAR query RPAR>" in str(caught.value)
