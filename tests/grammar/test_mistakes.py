"""Syntax errors: known mistakes, expectations, places, and recovery."""

from __future__ import annotations

import pytest

from reflow.compiler.syntax.build import read
from reflow.grammar.diagnostic import CqlError, Diagnostic
from reflow.grammar.malformed import MISTAKES, Mistake
from reflow.grammar.source import Source


def errors(text: str) -> list[Diagnostic]:
    with pytest.raises(CqlError) as caught:
        read(Source("x.cql", text))
    return caught.value.diagnostics


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.example)
def test_every_known_mistake_is_recognised(mistake: Mistake) -> None:
    (found,) = errors(mistake.example)
    fixed = [part for part in mistake.message.replace("{last}", "{text}").split("{text}") if part]
    assert all(part in found.message for part in fixed)
    assert found.code == mistake.code


@pytest.mark.parametrize(
    ("text", "code", "caret", "said"),
    [
        ("SELECT a FORM t", "RF1001", "t", "did you mean FROM"),
        ("SELECT a FROM t WHRE b = 1", "RF1001", "=", "did you mean WHERE"),
        ("SELCT a FROM t", "RF1001", "SELCT", "did you mean SELECT"),
        ("SELECT a b c FROM t", "RF1001", "c", "a comma may be missing"),
        ("SELECT a FROM t GROUP BYa", "RF1001", "BYa", "a space is missing: BY a"),
        ("SELECT a FROM t [ROWS5]", "RF1001", "ROWS5", "a space is missing: ROWS 5"),
        ("SELECT a FROM t [RANGE 5MINUTES]", "RF1012", "5MINUTES", "`5 MINUTES`, with a space"),
        ("SELECT a FROM t [RANGE 1D]", "RF1012", "1D", "no suffix"),
        ("SELECT order FROM t", "RF1001", "order", "reserved word"),
        ("SELECT a left FROM t", "RF1010", "left", "write AS left"),
        ("SELECT a rows FROM t", "RF1010", "rows", "write AS rows"),
        ("SELECT a FROM t WHERE (b = 1", "RF1004", "", "at 1:23 is not closed"),
        ("SELECT a FROM t [NOW", "RF1004", "", "`[` at 1:17 is not closed"),
        ("SELECT 'abc FROM t", "RF1002", "'abc FROM t", "strings end with '"),
        ('SELECT "abc FROM t', "RF1002", '"abc FROM t', "quoted name"),
        ("SELECT `abc FROM t", "RF1002", "`abc FROM t", "quoted name"),
        ("SELECT a /* b FROM t", "RF1002", "/*", "comment"),
        ("SELECT a # b FROM t", "RF1003", "#", "comments begin with --"),
        ("SELECT ชื่อ FROM t", "RF1003", "ื", "double quotes"),
        ("SELECT a FROM t WHERE b = 'it's'", "RF1001", "s", "doubled"),
        ("SELECT ‘a’ FROM t", "RF1003", "‘", "straight quotes"),
        ("WITH x AS (SELECT a FROM t) SELECT a FROM x", "RF1006", "WITH", "CREATE VIEW"),
        ("INSERT INTO t SELECT a FROM x", "RF1006", "INSERT", "names its sink"),
        ("SELECT a FROM t LIMIT 5", "RF1006", "LIMIT", "no last row"),
        ("SELECT a FROM t ORDER BY a", "RF1006", "ORDER", "no order"),
        ("SELECT a FROM t CROSS JOIN u", "RF1006", "CROSS", "FROM a, b"),
        ("SELECT a FROM t CROSS JOIN u ON b = c", "RF1010", "CROSS", "FROM a, b"),
        ("SELECT a FROM t LEFT ANTI JOIN u ON b = c", "RF1006", "ANTI", "NOT EXISTS"),
        ("SELECT SUM(a) OVER (PARTITION BY b) FROM t", "RF1006", "OVER", "FROM s [RANGE"),
        ("SELECT * EXCEPT (a) FROM t", "RF1006", "EXCEPT", "name the columns"),
        ("CREATE foo", "RF1001", "foo", "NRR, QUERY, RELATION, STREAM, VIEW"),
        ("SELECT a FROM", "RF1004", "", "a name"),
        ("SELECT a FROM t WHERE", "RF1004", "", "an expression"),
        (
            "SELECT a FROM t\nWHERE b = 'x\nAND c = 'y'",
            "RF1001",
            "y",
            "2:11 runs over several lines",
        ),
    ],
)
def test_messages(text: str, code: str, caret: str, said: str) -> None:
    found = errors(text)[0]
    assert found.code == code
    assert text[found.span.start : found.span.end] == caret
    assert said in f"{found.message} {found.expected} {found.hint}"


def test_the_end_of_the_text_is_behind_the_last_token() -> None:
    (found,) = errors("SELECT a FROM  -- a comment\n\n")
    assert found.span.start == len("SELECT a FROM")


def test_expectations_are_short() -> None:
    for text in ("SELECT a FROM t x = 1", "SELECT", "SELECT a +", "CREATE STREAM s (a INT) b"):
        assert errors(text)[0].expected.count(",") < 16


def test_errors_of_several_statements_are_reported() -> None:
    text = "SELECT a FORM t; SELECT b FROM u; SELECT ';' c d FROM v; SELECT e FROM;"
    assert [(e.code, text[e.span.start]) for e in errors(text)] == [
        ("RF1001", "t"),
        ("RF1001", "d"),
        ("RF1001", ";"),
    ]


def test_a_missing_semicolon_hides_nothing() -> None:
    text = "SELECT a FROM t\nSELECT b FROM u\nSELECT FROM v"
    assert [e.message for e in errors(text)] == [
        "a `;` is missing before SELECT",
        "a `;` is missing before SELECT",
        "this SELECT names no columns",
    ]


def test_at_most_twenty_errors() -> None:
    assert len(errors("SELECT FROM t;" * 100)) == 20


@pytest.mark.parametrize(
    "text", [")", "'", "(" * 3000, "a b", "\x00", "SELECT \ud800 FROM t", "]" * 50]
)
def test_garbage_is_refused_politely(text: str) -> None:
    assert errors(text)
